// Colours and hatches, dark and light. Hues are from the colour-blind-safe set of Okabe and Ito; what must
// not be told by hue alone (copies by memory kind, communication, idle) has a hatch besides. Colours are
// 0xAABBGGRR, as ImGui packs.
#pragma once

#include <array>
#include <cstdint>

#include "gui/category.h"

namespace gputrace::gui {

enum class Hatch : std::uint8_t { none, diagonal, back_diagonal, upright, dots };
inline constexpr std::size_t kHatchCount = 5;

struct Theme {
  bool dark = true;
  std::uint32_t background, panel, lane, lane_alternate, border, grid, text, text_dim, idle, selection,
      highlight, warning, critical, good, run_edge;
  std::array<std::uint32_t, kCategoryCount> category;
};

const Theme& theme(bool dark);
Hatch hatch(Category category);
std::uint32_t text_on(std::uint32_t color);                  // black or white, whichever reads better
std::uint32_t with_alpha(std::uint32_t color, float alpha);  // 0 to 1

}  // namespace gputrace::gui
