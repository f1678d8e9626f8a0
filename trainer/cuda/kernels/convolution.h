// The three passes of a convolution as implicit matrix products: images NCHW, filters [out, in, K, K].
#pragma once

#include "trainer/cuda/kernels/implicit_gemm.h"
#include "trainer/cuda/kernels/kernel.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

struct ConvolutionSize {
  std::int64_t images, height, width, in, kernel, out, stride, padding;

  TRAINER_BOTH std::int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  TRAINER_BOTH std::int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  TRAINER_BOTH std::int64_t pixels() const { return height * width; }
  TRAINER_BOTH std::int64_t out_pixels() const { return out_height() * out_width(); }
  TRAINER_BOTH int taps() const { return static_cast<int>(kernel * kernel); }
};

// y[n, o, oh, ow] = sum over c, kh, kw of x[n, c, oh S - P + kh, ow S - P + kw] filter[o, c, kh, kw]: a row is an output pixel, a
// column an output channel, inner is (c, kh, kw).
struct ConvolutionForward {
  const float *x, *filter;
  float* y;
  ConvolutionSize size;
  std::int64_t rows, columns, inner;

  TRAINER_BOTH ConvolutionForward(const float* images, const float* filters, float* result, const ConvolutionSize& s)
      : x(images), filter(filters), y(result), size(s), rows(s.images * s.out_pixels()), columns(s.out), inner(s.in * s.taps()) {}

  struct Row {
    const float* image;
    int top, left;
  };
  TRAINER_BOTH Row row(std::int64_t r) const {
    const std::int64_t image = r / size.out_pixels(), pixel = r % size.out_pixels();
    return {x + image * size.in * size.pixels(), static_cast<int>(pixel / size.out_width() * size.stride - size.padding),
            static_cast<int>(pixel % size.out_width() * size.stride - size.padding)};
  }
  TRAINER_BOTH float a(const Row& row, int k) const {
    const int kernel = static_cast<int>(size.kernel), tap = k % size.taps();
    const int h = row.top + tap / kernel, w = row.left + tap % kernel;
    if (h < 0 || h >= size.height || w < 0 || w >= size.width) return 0;
    return row.image[(k / size.taps() * size.height + h) * size.width + w];
  }
  TRAINER_BOTH float b(int k, int channel) const { return filter[channel * inner + k]; }
  TRAINER_BOTH void store(std::int64_t r, std::int64_t channel, float value) const {
    y[(r / size.out_pixels() * size.out + channel) * size.out_pixels() + r % size.out_pixels()] = value;
  }
};

// dx[n, c, h, w] = sum over o, kh, kw of dy[n, o, (h + P - kh) / S, (w + P - kw) / S] filter[o, c, kh, kw], where the divisions leave
// nothing and the pixel exists: a row is an input pixel, a column an input channel, inner is (o, kh, kw).
struct ConvolutionBackwardData {
  const float *dy, *filter;
  float* dx;
  ConvolutionSize size;
  std::int64_t rows, columns, inner;

  TRAINER_BOTH ConvolutionBackwardData(const float* gradients, const float* filters, float* result, const ConvolutionSize& s)
      : dy(gradients), filter(filters), dx(result), size(s), rows(s.images * s.pixels()), columns(s.in), inner(s.out * s.taps()) {}

  struct Row {
    const float* image;
    int bottom, right;  // times the stride
  };
  TRAINER_BOTH Row row(std::int64_t r) const {
    const std::int64_t image = r / size.pixels(), pixel = r % size.pixels();
    return {dy + image * size.out * size.out_pixels(), static_cast<int>(pixel / size.width + size.padding),
            static_cast<int>(pixel % size.width + size.padding)};
  }
  TRAINER_BOTH float a(const Row& row, int k) const {
    const int kernel = static_cast<int>(size.kernel), stride = static_cast<int>(size.stride), tap = k % size.taps();
    const int h = row.bottom - tap / kernel, w = row.right - tap % kernel;
    if (h < 0 || w < 0 || h % stride != 0 || w % stride != 0) return 0;
    if (h / stride >= size.out_height() || w / stride >= size.out_width()) return 0;
    return row.image[(k / size.taps() * size.out_height() + h / stride) * size.out_width() + w / stride];
  }
  TRAINER_BOTH float b(int k, int channel) const {
    return filter[(k / size.taps() * size.in + channel) * size.taps() + k % size.taps()];
  }
  TRAINER_BOTH void store(std::int64_t r, std::int64_t channel, float value) const {
    dx[(r / size.pixels() * size.in + channel) * size.pixels() + r % size.pixels()] = value;
  }
};

// dfilter[o, c, kh, kw] = sum over n, oh, ow of x[n, c, oh S - P + kh, ow S - P + kw] dy[n, o, oh, ow]: a row is (c, kh, kw), a column
// an output channel, inner an output pixel.
struct ConvolutionBackwardFilter {
  const float *x, *dy;
  float* dfilter;
  ConvolutionSize size;
  std::int64_t rows, columns, inner;

  TRAINER_BOTH ConvolutionBackwardFilter(const float* images, const float* gradients, float* result, const ConvolutionSize& s)
      : x(images), dy(gradients), dfilter(result), size(s), rows(s.in * s.taps()), columns(s.out), inner(s.images * s.out_pixels()) {}

  struct Row {
    const float* plane;  // of image 0
    int tap_h, tap_w;
  };
  TRAINER_BOTH Row row(std::int64_t r) const {
    const int tap = static_cast<int>(r % size.taps()), kernel = static_cast<int>(size.kernel);
    return {x + r / size.taps() * size.pixels(), tap / kernel, tap % kernel};
  }
  TRAINER_BOTH float a(const Row& row, int k) const {
    const int out_pixels = static_cast<int>(size.out_pixels()), out_width = static_cast<int>(size.out_width());
    const int pixel = k % out_pixels, stride = static_cast<int>(size.stride), padding = static_cast<int>(size.padding);
    const int h = pixel / out_width * stride - padding + row.tap_h, w = pixel % out_width * stride - padding + row.tap_w;
    if (h < 0 || h >= size.height || w < 0 || w >= size.width) return 0;
    return row.plane[k / out_pixels * size.in * size.pixels() + h * size.width + w];
  }
  TRAINER_BOTH float b(int k, int channel) const {
    const int out_pixels = static_cast<int>(size.out_pixels());
    return dy[(k / out_pixels * size.out + channel) * out_pixels + k % out_pixels];
  }
  TRAINER_BOTH void store(std::int64_t r, std::int64_t channel, float value) const { dfilter[channel * rows + r] = value; }
};

// a, b, result and, for more than one slice, partial sums and counters; {images, height, width, in channels, kernel, out channels,
// stride, padding, slices, counters}. More tiles than counters have blocks enough without slices.
template <class Problem, class Device>
void convolve(const Device& device, const KernelCall& call) {
  const auto& t = call.tensors;
  const auto& e = call.extents;
  ImplicitGemm<Problem> program{Problem(t[0], t[1], t[2], {e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7]}), 1, nullptr, nullptr};
  if (e[8] > 1 && program.tiles() <= e[9]) {
    program.slices = static_cast<int>(e[8]);
    program.partial_sums = t[3];
    program.counters = reinterpret_cast<unsigned*>(t[4]);
  }
  run_blocks(device, program.blocks(), program);
}

template <class Device>
KernelList<Device> convolution_kernels() {
  namespace names = kernel_names;
  return {{names::kConvolutionForward, {}, &convolve<ConvolutionForward, Device>},
          {names::kConvolutionBackwardData, {}, &convolve<ConvolutionBackwardData, Device>},
          {names::kConvolutionBackwardFilter, {}, &convolve<ConvolutionBackwardFilter, Device>}};
}

}  // namespace trainer::cuda
