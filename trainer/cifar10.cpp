#include "trainer/cifar10.h"

#include <fmt/format.h>

#include <fstream>

namespace trainer {

namespace {

constexpr int kFiles = 5;
constexpr std::size_t kRecordBytes = 1 + kCifarPixelBytes;

}  // namespace

tl::expected<Cifar10, std::string> Cifar10::read(const std::string& folder) {
  Cifar10 data;
  std::vector<char> record(kRecordBytes);
  for (int number = 1; number <= kFiles; ++number) {
    const std::string path = fmt::format("{}/data_batch_{}.bin", folder, number);
    std::ifstream file(path, std::ios::binary);
    if (!file) return tl::unexpected(fmt::format("{}: cannot be read; --data cifar10:DIR needs data_batch_1.bin to _5.bin", path));
    const std::int64_t before = data.size();
    while (file.read(record.data(), static_cast<std::streamsize>(kRecordBytes))) {
      const auto label = static_cast<std::uint8_t>(record[0]);
      if (label >= kCifarClasses)
        return tl::unexpected(fmt::format("{}: record {} has label {}, above 9; is it CIFAR-10's binary version?", path,
                                          data.size() - before, label));
      data.labels_.push_back(label);
      data.pixels_.insert(data.pixels_.end(), record.begin() + 1, record.end());
    }
    if (file.gcount() != 0)
      return tl::unexpected(fmt::format("{}: ends within record {}; fetch the file again", path, data.size() - before));
    if (data.size() == before) return tl::unexpected(fmt::format("{}: holds no records; fetch the file again", path));
  }
  return data;
}

void Cifar10::copy_pixels(std::int64_t index, float* nhwc) const {
  constexpr std::int64_t kPlane = kCifarSide * kCifarSide;
  const std::uint8_t* from = pixels_.data() + index * kCifarPixelBytes;
  for (std::int64_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::int64_t channel = 0; channel < kCifarChannels; ++channel) {
      nhwc[pixel * kCifarChannels + channel] = (static_cast<float>(from[channel * kPlane + pixel]) - 128) / 64;
    }
  }
}

}  // namespace trainer
