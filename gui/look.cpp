#include "gui/look.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/embedded_fonts.h"

namespace gputrace::gui {
namespace {

constexpr int kPeriod = 8;  // the hatches repeat after so many pixels
constexpr int kTile = 64;   // drawn at once
constexpr int kTileInAtlas = kTile + kPeriod;

const ImWchar kRanges[] = {0x20, 0x17F, 0x370, 0x3FF, 0x400, 0x4FF, 0x2010, 0x2044, 0x20AC, 0x20AC, 0};
const ImWchar kSymbolRanges[] = {0x2190, 0x21FF, 0x2200, 0x22FF, 0x25A0, 0x25FF, 0x2600, 0x26FF, 0};

const ImWchar kFigureRanges[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2010, 0x2044,
                                 0x2190, 0x21FF, 0x2500, 0x25FF, 0};  // trees

ImFont* add_font(std::span<const unsigned char> file, float size_px, const ImWchar* ranges = kRanges) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 2;
  config.PixelSnapH = true;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  void* data = const_cast<unsigned char*>(file.data());  // the atlas does not own it and only reads
  return atlas.AddFontFromMemoryTTF(data, static_cast<int>(file.size()), size_px, &config, ranges);
}

void add_symbols(float size_px) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = true;
  const std::span<const unsigned char> file = embedded_fonts().symbols;
  void* data = const_cast<unsigned char*>(file.data());
  ImGui::GetIO().Fonts->AddFontFromMemoryTTF(data, static_cast<int>(file.size()), size_px, &config,
                                             kSymbolRanges);
}

bool hatched(Hatch hatch, int x, int y) {
  switch (hatch) {
    case Hatch::diagonal:
      return (x + y) % kPeriod < 3;
    case Hatch::back_diagonal:
      return (x + kPeriod - y % kPeriod) % kPeriod == 0;
    case Hatch::upright:
      return x % 4 == 0;
    case Hatch::dots:
      return x % 4 == 0 && (y + x / 4 % 2 * 2) % 4 == 0;
    case Hatch::none:
      break;
  }
  return false;
}

void draw_tiles(const std::array<int, kHatchCount>& rects, Look& look) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  unsigned char* alpha = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsAlpha8(&alpha, &width, &height);
  look.texel_u = 1.0F / static_cast<float>(width);
  look.texel_v = 1.0F / static_cast<float>(height);
  for (std::size_t h = 1; h < kHatchCount; ++h) {
    const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(rects[h]);
    look.hatches[h] = {static_cast<float>(rect.X) * look.texel_u, static_cast<float>(rect.Y) * look.texel_v};
    for (int y = 0; y < kTileInAtlas; ++y)
      for (int x = 0; x < kTileInAtlas; ++x)
        alpha[(rect.Y + y) * width + rect.X + x] = hatched(static_cast<Hatch>(h), x, y) ? 255 : 0;
  }
}

}  // namespace

Look make_look(bool dark, float scale) {
  Look look;
  look.scale = scale;
  const EmbeddedFonts& fonts = embedded_fonts();
  look.text = add_font(fonts.text, std::round(15 * scale));
  add_symbols(std::round(14 * scale));
  look.small = add_font(fonts.text, std::round(13 * scale));
  add_symbols(std::round(12 * scale));
  look.strong = add_font(fonts.strong, std::round(15 * scale));
  add_symbols(std::round(14 * scale));
  look.figures = add_font(fonts.figures, std::round(12 * scale), kFigureRanges);
  std::array<int, kHatchCount> rects{};
  for (std::size_t h = 1; h < kHatchCount; ++h)
    rects[h] = ImGui::GetIO().Fonts->AddCustomRectRegular(kTileInAtlas, kTileInAtlas);
  ImGui::GetIO().Fonts->Build();
  draw_tiles(rects, look);
  set_theme(look, dark);
  return look;
}

void set_theme(Look& look, bool dark) {
  look.theme = &theme(dark);
  const Theme& t = *look.theme;
  ImGuiStyle style;
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  const auto set = [&](ImGuiCol which, std::uint32_t color) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color);
  };
  set(ImGuiCol_WindowBg, t.panel);
  set(ImGuiCol_PopupBg, t.panel);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.text_dim);
  set(ImGuiCol_Border, t.border);
  set(ImGuiCol_Separator, t.border);
  set(ImGuiCol_TableRowBgAlt, with_alpha(t.text, 0.03F));
  set(ImGuiCol_FrameBg, dark ? with_alpha(0xFFFFFFFF, 0.07F) : with_alpha(0xFF000000, 0.06F));
  const std::uint32_t accent = t.category[static_cast<std::size_t>(Category::matmul)];
  set(ImGuiCol_Header, with_alpha(accent, 0.30F));
  set(ImGuiCol_HeaderHovered, with_alpha(accent, 0.22F));
  set(ImGuiCol_HeaderActive, with_alpha(accent, 0.45F));
  set(ImGuiCol_Button, with_alpha(accent, 0.18F));
  set(ImGuiCol_ButtonHovered, with_alpha(accent, 0.35F));
  set(ImGuiCol_ButtonActive, with_alpha(accent, 0.50F));
  set(ImGuiCol_Tab, with_alpha(accent, 0.10F));
  set(ImGuiCol_TabHovered, with_alpha(accent, 0.35F));
  set(ImGuiCol_TabActive, with_alpha(accent, 0.40F));
  style.WindowRounding = style.ChildRounding = 0;
  style.FrameRounding = style.PopupRounding = style.GrabRounding = 3;
  style.WindowBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowPadding = {8, 6};
  style.ItemSpacing = {7, 4};
  style.ScrollbarSize = 12;
  style.ScaleAllSizes(look.scale);
  ImGui::GetStyle() = style;
}

void draw_hatch(ImDrawList& list, const Look& look, Hatch hatch, float left, float top, float right,
                float bottom, std::uint32_t color) {
  if (hatch == Hatch::none) return;
  const HatchTile& tile = look.hatches[static_cast<std::size_t>(hatch)];
  const auto phase = [](float at) {
    return static_cast<float>(((static_cast<int>(at) % kPeriod) + kPeriod) % kPeriod);
  };
  left = std::round(left);
  top = std::round(top);
  right = std::round(right);
  bottom = std::round(bottom);
  for (float y = top; y < bottom; y += kTile)
    for (float x = left; x < right; x += kTile) {
      const float w = std::min<float>(kTile, right - x), h = std::min<float>(kTile, bottom - y);
      const float u = tile.u + phase(x) * look.texel_u, v = tile.v + phase(y) * look.texel_v;
      list.AddImage(ImGui::GetIO().Fonts->TexID, {x, y}, {x + w, y + h}, {u, v},
                    {u + w * look.texel_u, v + h * look.texel_v}, color);
    }
}

}  // namespace gputrace::gui
