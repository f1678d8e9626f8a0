#include "gui/rasterizer.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace gputrace::gui {
namespace {

struct Color {
  float r = 0, g = 0, b = 0, a = 0;
};

Color unpack(std::uint32_t packed) {
  return {static_cast<float>(packed & 255), static_cast<float>(packed >> 8 & 255),
          static_cast<float>(packed >> 16 & 255), static_cast<float>(packed >> 24)};
}

Color mix(const Color& a, const Color& b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, a.a + (b.a - a.a) * t};
}

struct Clip {  // pixels, the end excluded
  int left, top, right, bottom;
};

// Twice the signed area of a, b, p: positive to one side of the edge.
float edge(const ImVec2& a, const ImVec2& b, float x, float y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

// A pixel centre on an edge belongs to the triangle whose top or left edge it is: no seam is drawn twice.
bool is_top_left(const ImVec2& a, const ImVec2& b) { return a.y == b.y ? b.x > a.x : b.y < a.y; }

// Positions may lie far outside the picture, beyond int.
int bound(float value, int low, int high) {
  return low >= high ? low
                     : static_cast<int>(std::clamp(value, static_cast<float>(low), static_cast<float>(high)));
}

class Rasterizer {
 public:
  Rasterizer(Image& image, const Atlas& atlas) : image_{image}, atlas_{atlas} {}

  void draw(const ImDrawList& list, const ImVec2& origin) {
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      clip_ = {bound(command.ClipRect.x - origin.x, 0, image_.width),
               bound(command.ClipRect.y - origin.y, 0, image_.height),
               bound(command.ClipRect.z - origin.x, 0, image_.width),
               bound(command.ClipRect.w - origin.y, 0, image_.height)};
      const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
      const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
      for (unsigned i = 0; i + 2 < command.ElemCount;) {
        if (i + 5 < command.ElemCount && quad(vertices, indices + i)) {
          i += 6;
        } else {
          triangle(vertices[indices[i]], vertices[indices[i + 1]], vertices[indices[i + 2]]);
          i += 3;
        }
      }
    }
  }

 private:
  // Two triangles that make an axis-aligned rectangle of one colour, as ImGui emits rectangles and glyphs.
  bool quad(const ImDrawVert* vertices, const ImDrawIdx* index) {
    if (index[0] != index[3] || index[2] != index[4]) return false;
    const ImDrawVert &a = vertices[index[0]], &b = vertices[index[1]], &c = vertices[index[2]],
                     &d = vertices[index[5]];
    if (a.pos.y != b.pos.y || b.pos.x != c.pos.x || c.pos.y != d.pos.y || d.pos.x != a.pos.x) return false;
    if (a.col != b.col || a.col != c.col || a.col != d.col || a.pos.x > c.pos.x || a.pos.y > c.pos.y)
      return false;
    if (!(a.pos.x <= c.pos.x) || !(a.pos.y <= c.pos.y)) return true;  // not a number
    const int x0 = bound(std::ceil(a.pos.x - 0.5F), clip_.left, clip_.right);
    const int x1 = bound(std::ceil(c.pos.x - 0.5F), clip_.left, clip_.right);
    const int y0 = bound(std::ceil(a.pos.y - 0.5F), clip_.top, clip_.bottom);
    const int y1 = bound(std::ceil(c.pos.y - 0.5F), clip_.top, clip_.bottom);
    const Color color = unpack(a.col);
    if (a.uv.x == c.uv.x && a.uv.y == c.uv.y) {
      fill(x0, y0, x1, y1, tint(color, sample(a.uv.x, a.uv.y)));
      return true;
    }
    const float du = (c.uv.x - a.uv.x) / (c.pos.x - a.pos.x), dv = (c.uv.y - a.uv.y) / (c.pos.y - a.pos.y);
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x)
        blend(x, y,
              tint(color, sample(a.uv.x + (static_cast<float>(x) + 0.5F - a.pos.x) * du,
                                 a.uv.y + (static_cast<float>(y) + 0.5F - a.pos.y) * dv)));
    return true;
  }

  void triangle(const ImDrawVert& first, const ImDrawVert& second, const ImDrawVert& third) {
    const ImDrawVert* v[3] = {&first, &second, &third};
    float area = edge(v[0]->pos, v[1]->pos, v[2]->pos.x, v[2]->pos.y);
    if (area == 0 || !std::isfinite(area)) return;
    if (area < 0) {
      std::swap(v[1], v[2]);
      area = -area;
    }
    const ImVec2 &a = v[0]->pos, &b = v[1]->pos, &c = v[2]->pos;
    const int x0 = bound(std::floor(std::min({a.x, b.x, c.x})), clip_.left, clip_.right);
    const int x1 = bound(std::ceil(std::max({a.x, b.x, c.x})) + 1, clip_.left, clip_.right);
    const int y0 = bound(std::floor(std::min({a.y, b.y, c.y})), clip_.top, clip_.bottom);
    const int y1 = bound(std::ceil(std::max({a.y, b.y, c.y})) + 1, clip_.top, clip_.bottom);
    const Color ca = unpack(v[0]->col), cb = unpack(v[1]->col), cc = unpack(v[2]->col);
    const bool top_left[3] = {is_top_left(b, c), is_top_left(c, a), is_top_left(a, b)};
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const float px = static_cast<float>(x) + 0.5F, py = static_cast<float>(y) + 0.5F;
        const float wa = edge(b, c, px, py), wb = edge(c, a, px, py), wc = edge(a, b, px, py);
        const auto inside = [](float w, bool on_edge) { return w > 0 || (w == 0 && on_edge); };
        if (!inside(wa, top_left[0]) || !inside(wb, top_left[1]) || !inside(wc, top_left[2])) continue;
        const float ka = wa / area, kb = wb / area, kc = wc / area;
        const Color color{ca.r * ka + cb.r * kb + cc.r * kc, ca.g * ka + cb.g * kb + cc.g * kc,
                          ca.b * ka + cb.b * kb + cc.b * kc, ca.a * ka + cb.a * kb + cc.a * kc};
        blend(x, y,
              tint(color, sample(v[0]->uv.x * ka + v[1]->uv.x * kb + v[2]->uv.x * kc,
                                 v[0]->uv.y * ka + v[1]->uv.y * kb + v[2]->uv.y * kc)));
      }
  }

  Color texel(int x, int y) const {
    x = std::clamp(x, 0, atlas_.width - 1);
    y = std::clamp(y, 0, atlas_.height - 1);
    const std::uint8_t* p =
        &atlas_.rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(atlas_.width) +
                      static_cast<std::size_t>(x)) *
                     4];
    return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
            static_cast<float>(p[3])};
  }

  Color sample(float u, float v) const {  // bilinear, as the GL backend samples
    const float x = u * static_cast<float>(atlas_.width) - 0.5F,
                y = v * static_cast<float>(atlas_.height) - 0.5F;
    const float fx = std::floor(x), fy = std::floor(y);
    const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
    if (x - fx < 1e-3F && y - fy < 1e-3F) return texel(ix, iy);
    return mix(mix(texel(ix, iy), texel(ix + 1, iy), x - fx),
               mix(texel(ix, iy + 1), texel(ix + 1, iy + 1), x - fx), y - fy);
  }

  static Color tint(const Color& color, const Color& texture) {
    return {color.r * texture.r / 255, color.g * texture.g / 255, color.b * texture.b / 255,
            color.a * texture.a / 255};
  }

  void fill(int x0, int y0, int x1, int y1, const Color& color) {
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) blend(x, y, color);
  }

  void blend(int x, int y, const Color& color) {
    std::uint8_t* p = &image_.rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) +
                                    static_cast<std::size_t>(x)) *
                                   4];
    const float alpha = color.a / 255;
    const auto over = [alpha](std::uint8_t below, float above) {
      return static_cast<std::uint8_t>(static_cast<float>(below) +
                                       (above - static_cast<float>(below)) * alpha + 0.5F);
    };
    p[0] = over(p[0], color.r);
    p[1] = over(p[1], color.g);
    p[2] = over(p[2], color.b);
  }

  Image& image_;
  const Atlas& atlas_;
  Clip clip_{};
};

}  // namespace

Image rasterize(const ImDrawData& data, const Atlas& atlas, std::uint32_t background) {
  Image image{.width = static_cast<int>(data.DisplaySize.x),
              .height = static_cast<int>(data.DisplaySize.y),
              .rgba = {}};
  image.rgba.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (std::size_t i = 0; i < image.rgba.size(); ++i)
    image.rgba[i] = i % 4 == 3 ? 255 : static_cast<std::uint8_t>(background >> (i % 4 * 8));
  Rasterizer rasterizer{image, atlas};
  for (int i = 0; i < data.CmdListsCount; ++i) rasterizer.draw(*data.CmdLists[i], data.DisplayPos);
  return image;
}

}  // namespace gputrace::gui
