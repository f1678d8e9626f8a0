#include "trainer/layout.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace trainer;

TEST_CASE("sizes and shapes of a batch in both layouts") {
  const ImageSize size{2, 3, 4, 5};
  CHECK(shape_of(size, Layout::nhwc) == Shape{2, 3, 4, 5});
  CHECK(shape_of(size, Layout::nchw) == Shape{2, 5, 3, 4});
  CHECK(size_of({2, 5, 3, 4}, Layout::nchw).channels == 5);
  CHECK(size_of({2, 3, 4, 5}, Layout::nhwc).channels == 5);
}

TEST_CASE("a batch keeps its values where its layout changes, and comes back") {
  const ImageSize size{1, 1, 2, 3};
  const std::vector<float> pixels = {1, 2, 3, 4, 5, 6};  // two pixels of three channels
  std::vector<float> channels(6), back(6);
  change_layout(pixels.data(), Layout::nhwc, size, channels.data());
  CHECK(channels == std::vector<float>{1, 4, 2, 5, 3, 6});
  change_layout(channels.data(), Layout::nchw, size, back.data());
  CHECK(back == pixels);
}
