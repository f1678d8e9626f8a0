// The order of the dimensions of a batch of images.
#pragma once

#include <cstdint>

#include "trainer/shape.h"

namespace trainer {

enum class Layout : std::uint8_t {
  nhwc,  // [N, H, W, C]: a pixel's channels are neighbours
  nchw,  // [N, C, H, W]: a channel's pixels are neighbours
};

struct ImageSize {
  std::int64_t images, height, width, channels;
};

Shape shape_of(const ImageSize& size, Layout layout);
ImageSize size_of(const Shape& shape, Layout layout);

// In both layouts a batch is `outer` planes of height x width, each of whose places holds `run` neighbouring values.
struct PlaneView {
  std::int64_t outer, height, width, run;
};
PlaneView planes_of(const Shape& shape, Layout layout);

// Writes a batch that lies in layout `from` to y in the other one.
void change_layout(const float* x, Layout from, const ImageSize& size, float* y);

}  // namespace trainer
