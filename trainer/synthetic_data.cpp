#include "trainer/synthetic_data.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace trainer {

namespace {

constexpr std::uint64_t kPictures = 1,
                        kNoise = 2;  // streams of numbers; each example adds its own index to kNoise

// SplitMix64 (Steele, Lea, Flood 2014): a bijection that scatters consecutive inputs.
std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

NormalNumbers::NormalNumbers(std::uint64_t seed, std::uint64_t stream)
    : state_(scatter(scatter(seed) + stream)) {}

double NormalNumbers::uniform() {
  state_ += 0x9e3779b97f4a7c15ULL;
  return (static_cast<double>(scatter(state_) >> 11) + 0.5) * 0x1p-53;
}

float NormalNumbers::next() {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return static_cast<float>(radius * std::cos(2 * std::numbers::pi * uniform()));
}

void fill_labelled_images(std::uint64_t seed, std::int64_t first_example, int classes, Tensor& images,
                          Tensor& labels) {
  const std::int64_t count = labels.elements(), pixels = images.elements() / count;
  std::vector<float> pictures(static_cast<std::size_t>(pixels * classes));
  NormalNumbers picture_numbers(seed, kPictures);
  for (float& value : pictures) value = picture_numbers.next();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t example = first_example + i, label = example % classes;
    NormalNumbers noise(seed, kNoise + static_cast<std::uint64_t>(example));
    labels.data[i] = static_cast<float>(label);
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      images.data[i * pixels + pixel] =
          pictures[static_cast<std::size_t>(label * pixels + pixel)] + noise.next();
    }
  }
}

void fill_normal(std::uint64_t seed, std::int64_t first_example, Tensor& examples) {
  const std::int64_t count = examples.shape[0], values = examples.elements() / count;
  for (std::int64_t i = 0; i < count; ++i) {
    NormalNumbers numbers(seed, kNoise + static_cast<std::uint64_t>(first_example + i));
    for (std::int64_t value = 0; value < values; ++value) examples.data[i * values + value] = numbers.next();
  }
}

}  // namespace trainer
