#include "trainer/layout.h"

namespace trainer {

Shape shape_of(const ImageSize& size, Layout layout) {
  if (layout == Layout::nhwc) return {size.images, size.height, size.width, size.channels};
  return {size.images, size.channels, size.height, size.width};
}

ImageSize size_of(const Shape& shape, Layout layout) {
  if (layout == Layout::nhwc) return {shape[0], shape[1], shape[2], shape[3]};
  return {shape[0], shape[2], shape[3], shape[1]};
}

PlaneView planes_of(const Shape& shape, Layout layout) {
  if (layout == Layout::nhwc) return {shape[0], shape[1], shape[2], shape[3]};
  return {shape[0] * shape[1], shape[2], shape[3], 1};
}

void change_layout(const float* x, Layout from, const ImageSize& size, float* y) {
  const std::int64_t pixels = size.height * size.width;
  for (std::int64_t image = 0; image < size.images; ++image) {
    for (std::int64_t channel = 0; channel < size.channels; ++channel) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        const std::int64_t nhwc = (image * pixels + pixel) * size.channels + channel;
        const std::int64_t nchw = (image * size.channels + channel) * pixels + pixel;
        if (from == Layout::nhwc)
          y[nchw] = x[nhwc];
        else
          y[nhwc] = x[nchw];
      }
    }
  }
}

}  // namespace trainer
