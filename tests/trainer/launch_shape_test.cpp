#include "trainer/launch_shape.h"

#include <catch2/catch.hpp>

using namespace trainer;

TEST_CASE("element-wise kernels: a block per 1024 elements, until the GPU is full") {
  const auto blocks = [](std::int64_t elements) { return elementwise_launch("k", elements, {}).grid.x; };
  CHECK(blocks(1) == 1);
  CHECK(blocks(1024) == 1);
  CHECK(blocks(1025) == 2);
  CHECK(blocks(48 * 1024 + 1) == 49);
  CHECK(elementwise_launch("k", 5, {}).grid_ends_at_full_gpu);
  CHECK(elementwise_launch("k", 5, {}).block.x == 1024);
}

TEST_CASE("column sums: 64 values a thread, 256 threads a block") {
  const auto blocks = [](std::int64_t rows, std::int64_t columns) {
    return column_reduction_launch("k", rows, columns, {}).grid.x;
  };
  CHECK(blocks(64, 256) == 1);
  CHECK(blocks(65, 256) == 2);
  CHECK(blocks(64, 257) == 2);
  CHECK(blocks(131072, 16) == 128);
}

TEST_CASE("whole sums: 128 values a thread") {
  CHECK(full_reduction_launch("k", 32768, {}).grid.x == 1);
  CHECK(full_reduction_launch("k", 32769, {}).grid.x == 2);
}

TEST_CASE("GEMM kernels: a block per tile and slice of the inner dimension") {
  const KernelLaunch launch = gemm_launch("k", kSgemmTile, 129, 128, 3, {});
  CHECK(launch.grid.x == 2);
  CHECK(launch.grid.y == 1);
  CHECK(launch.grid.z == 3);
}

TEST_CASE("streaming work counts four bytes an element and tensor") {
  const Work work = streaming_work(10, 3, 2);
  CHECK(work.bytes == 120);
  CHECK(work.flops == 20);
  CHECK(work.index_ops == 0);
}
