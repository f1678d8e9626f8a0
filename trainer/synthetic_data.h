// Data that a network can learn: each class has a picture of its own under noise. The same seed gives the
// same numbers with every standard library.
#pragma once

#include <cstdint>

#include "trainer/op.h"

namespace trainer {

// Normal deviates from a counter-based generator: value i of stream s depends on (seed, s, i) alone.
class NormalNumbers {
 public:
  NormalNumbers(std::uint64_t seed, std::uint64_t stream);
  float next();

 private:
  double uniform();  // (0, 1)
  std::uint64_t state_;
};

// Fills images[n, ...] and labels[n] (class indices as floats) with examples first, first + 1, ...: example i
// is the same whichever tower it goes to.
void fill_labelled_images(std::uint64_t seed, std::int64_t first_example, int classes, Tensor& images,
                          Tensor& labels);
// Unlabelled examples of standard normal values.
void fill_normal(std::uint64_t seed, std::int64_t first_example, Tensor& examples);

}  // namespace trainer
