// Draws what Dear ImGui asks for without a GPU or a display: the same bytes on every run.
#pragma once

#include <cstdint>

#include "gui/image.h"

struct ImDrawData;

namespace gputrace::gui {

struct Atlas {  // the texture that all draw commands sample; RGBA
  const std::uint8_t* rgba = nullptr;
  int width = 0, height = 0;
};

// `background` is 0xAABBGGRR, as ImGui packs colours.
Image rasterize(const ImDrawData& data, const Atlas& atlas, std::uint32_t background);

}  // namespace gputrace::gui
