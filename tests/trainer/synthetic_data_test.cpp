#include "trainer/synthetic_data.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace trainer;

namespace {

struct Examples {
  std::vector<float> pixels, classes;
  Tensor images, labels;

  explicit Examples(std::int64_t count)
      : pixels(static_cast<std::size_t>(count * 16)), classes(static_cast<std::size_t>(count)) {
    images = Tensor{.shape = {count, 4, 4, 1}, .data = pixels.data()};
    labels = Tensor{.shape = {count}, .data = classes.data()};
  }
};

}  // namespace

TEST_CASE("normal numbers have mean 0 and deviation 1, and repeat for a seed") {
  NormalNumbers numbers(3, 5), again(3, 5), other(4, 5);
  double sum = 0, squares = 0;
  int different = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = static_cast<double>(numbers.next());
    sum += value;
    squares += value * value;
    CHECK(static_cast<double>(again.next()) == value);
    different += static_cast<double>(other.next()) != value;
  }
  CHECK(sum / 100000 == Approx(0).margin(0.02));
  CHECK(squares / 100000 == Approx(1).margin(0.02));
  CHECK(different > 99990);
}

TEST_CASE("an example is the same whichever tower it goes to") {
  Examples all(8), second_half(4);
  fill_labelled_images(1, 0, 3, all.images, all.labels);
  fill_labelled_images(1, 4, 3, second_half.images, second_half.labels);
  CHECK(std::equal(second_half.pixels.begin(), second_half.pixels.end(), all.pixels.begin() + 4 * 16));
  CHECK(all.classes == std::vector<float>{0, 1, 2, 0, 1, 2, 0, 1});
  CHECK(second_half.classes == std::vector<float>{1, 2, 0, 1});
}

TEST_CASE("examples of one class resemble each other more than those of two") {
  Examples examples(8);
  fill_labelled_images(1, 0, 2, examples.images, examples.labels);
  const auto distance = [&](int a, int b) {
    double sum = 0;
    for (int i = 0; i < 16; ++i)
      sum += std::pow(examples.pixels[static_cast<std::size_t>(a * 16 + i)] -
                          examples.pixels[static_cast<std::size_t>(b * 16 + i)],
                      2);
    return sum;
  };
  CHECK(distance(0, 2) + distance(4, 6) < distance(0, 1) + distance(4, 5));
}
