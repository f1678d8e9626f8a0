// CIFAR-10 in its binary format: files of records of one label byte (0 to 9) and 3072 pixel bytes, the red plane of a
// 32x32 image first, then green and blue (cs.toronto.edu/~kriz/cifar.html).
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace trainer {

inline constexpr std::int64_t kCifarSide = 32, kCifarChannels = 3, kCifarClasses = 10;
inline constexpr std::int64_t kCifarPixelBytes = kCifarSide * kCifarSide * kCifarChannels;

class Cifar10 {
 public:
  // data_batch_1.bin to data_batch_5.bin in `folder`. The error names the file and what is wrong: one is missing,
  // empty, ends within a record, or has a label above 9.
  static tl::expected<Cifar10, std::string> read(const std::string& folder);

  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }
  int label(std::int64_t index) const { return labels_[static_cast<std::size_t>(index)]; }
  // NHWC, (byte - 128) / 64: some -2 to 2, near the mean and deviation that a network starts well from.
  void copy_pixels(std::int64_t index, float* nhwc) const;

 private:
  std::vector<std::uint8_t> labels_, pixels_;
};

}  // namespace trainer
