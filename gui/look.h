// What a picture is drawn with: theme, fonts and hatches, made once per ImGui context.
#pragma once

#include <array>

#include "gui/theme.h"

struct ImFont;
struct ImDrawList;

namespace gputrace::gui {

struct HatchTile {  // where a hatch lies in the font atlas
  float u = 0, v = 0;
};

struct Look {
  const Theme* theme = nullptr;
  float scale = 1;  // 1 to 2: all sizes in pixels are multiplied by it
  ImFont *text = nullptr, *small = nullptr, *strong = nullptr, *figures = nullptr;
  std::array<HatchTile, kHatchCount> hatches{};
  float texel_u = 0, texel_v = 0;  // one pixel of the atlas

  float px(float size) const { return size * scale; }
  std::uint32_t color(Category category) const { return theme->category[static_cast<std::size_t>(category)]; }
};

// Loads fonts and hatches into the atlas of the current context and sets its style.
Look make_look(bool dark, float scale);
void set_theme(Look& look, bool dark);

// Hatches a rectangle; the pattern is fixed to the screen, so that neighbours join.
void draw_hatch(ImDrawList& list, const Look& look, Hatch hatch, float left, float top, float right,
                float bottom, std::uint32_t color);

}  // namespace gputrace::gui
