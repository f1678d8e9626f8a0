// A picture in memory, and as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/result.h"

namespace gputrace::gui {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // 4 bytes a pixel, rows from the top, opaque

  const std::uint8_t* pixel(int x, int y) const {
    return &rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)) *
                 4];
  }
};

Result<std::string> encode_png(const Image& image);  // the bytes of the file; fails where memory runs out

}  // namespace gputrace::gui
