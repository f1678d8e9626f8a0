// The fonts, as files in memory: the viewer looks the same on a machine that has none installed.
#pragma once

#include <span>

namespace gputrace::gui {

struct EmbeddedFonts {
  std::span<const unsigned char> text, strong, figures, symbols;
};

const EmbeddedFonts& embedded_fonts();

}  // namespace gputrace::gui
