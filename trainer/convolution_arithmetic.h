// Convolution of images with a square [K, K, in, out] filter on the CPU (oneDNN), forward and both
// gradients.
#pragma once

#include <cstdint>
#include <memory>

#include "trainer/layout.h"

namespace trainer {

struct ConvolutionGeometry {
  std::int64_t images, height, width, in_channels;
  std::int64_t kernel, out_channels, stride, padding;  // the same padding on each side
  Layout layout = Layout::nhwc;                        // of the images

  std::int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  // Multiply and add count as two; taps that fall into the padding count, as in every published figure.
  double flops() const;
};

enum class ConvolutionPass : std::uint8_t { forward, backward_data, backward_filter };

// One prepared pass. run(a, b, result): forward (x, filter, y), backward_data (dy, filter, dx),
// backward_filter (x, dy, dfilter).
class ConvolutionArithmetic {
 public:
  ConvolutionArithmetic(ConvolutionPass pass, const ConvolutionGeometry& geometry);
  ~ConvolutionArithmetic();
  ConvolutionArithmetic(const ConvolutionArithmetic&) = delete;
  ConvolutionArithmetic& operator=(const ConvolutionArithmetic&) = delete;

  void run(const float* a, const float* b, float* result);

 private:
  struct Prepared;
  ConvolutionPass pass_;
  ConvolutionGeometry geometry_;
  std::unique_ptr<Prepared> prepared_;  // made at the first run: runs with arithmetic off never pay for it
};

}  // namespace trainer
