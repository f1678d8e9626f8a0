#include "gui/embedded_fonts.h"

// The assembler puts the font files of the packages into the read-only data; CMake gives their paths.
#define GPUTRACE_EMBED(symbol, path)                                                   \
  asm(".pushsection .rodata\n.balign 16\n" #symbol ":\n.incbin \"" path "\"\n" #symbol \
      "_end:\n.byte 0\n.popsection\n");                                                \
  extern "C" __attribute__((visibility("hidden"))) const unsigned char symbol[];       \
  extern "C" __attribute__((visibility("hidden"))) const unsigned char symbol##_end[]

GPUTRACE_EMBED(gputrace_font_text, GPUTRACE_FONT_TEXT);
GPUTRACE_EMBED(gputrace_font_strong, GPUTRACE_FONT_STRONG);
GPUTRACE_EMBED(gputrace_font_figures, GPUTRACE_FONT_FIGURES);
GPUTRACE_EMBED(gputrace_font_symbols, GPUTRACE_FONT_SYMBOLS);

namespace gputrace::gui {

const EmbeddedFonts& embedded_fonts() {
  static const EmbeddedFonts kFonts{{gputrace_font_text, gputrace_font_text_end},
                                    {gputrace_font_strong, gputrace_font_strong_end},
                                    {gputrace_font_figures, gputrace_font_figures_end},
                                    {gputrace_font_symbols, gputrace_font_symbols_end}};
  return kFonts;
}

}  // namespace gputrace::gui
