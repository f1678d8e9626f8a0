#include "analyzer/gpu_limits.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

TEST_CASE("single-precision peak of published GPUs") {
  // GTX 1060 6 GB: 10 SMs x 128 lanes x 2 x 1.708 GHz = 4.37 TFLOP/s; V100: 80 x 64 x 2 x 1.53 = 15.7.
  CHECK(peak_flops({.sm_count = 10, .compute_major = 6, .compute_minor = 1, .clock_hz = 1'708'000'000}) == Approx(4.37e12).epsilon(0.01));
  CHECK(peak_flops({.sm_count = 80, .compute_major = 7, .compute_minor = 0, .clock_hz = 1'530'000'000}) == Approx(15.7e12).epsilon(0.01));
  CHECK_FALSE(peak_flops({.sm_count = 80, .compute_major = 99, .clock_hz = 1'000'000'000}));
  CHECK_FALSE(peak_flops({.compute_major = 7, .clock_hz = 1'000'000'000}));
}

TEST_CASE("resident blocks are bounded by threads, registers, shared memory and blocks") {
  const Gpu gpu{.max_threads_per_sm = 2048, .max_blocks_per_sm = 32, .registers_per_sm = 65536, .shared_bytes_per_sm = 98304};
  CHECK(resident_blocks_per_sm(gpu, 256, 16, 0) == 8);
  CHECK(resident_blocks_per_sm(gpu, 32, 16, 0) == 32);
  CHECK(resident_blocks_per_sm(gpu, 256, 128, 0) == 2);
  CHECK(resident_blocks_per_sm(gpu, 256, 16, 49152) == 2);
  CHECK(resident_blocks_per_sm(gpu, 1024, 255, 98304) == 1);
}

TEST_CASE("fill is the share of resident blocks, and unknown where the GPU is not described") {
  const auto fill = [](int blocks) {
    return gpu_fill(TraceBuilder{}
                        .gpu({.device = {0}, .sm_count = 10, .max_threads_per_sm = 2048})
                        .kernel({.start = 0, .end = 1, .grid = {blocks, 1, 1}, .block = {1024, 1, 1}, .registers = 16})
                        .build(), 0);
  };
  CHECK(fill(5) == Approx(0.25));
  CHECK(fill(2000) == Approx(1.0));
  CHECK_FALSE(gpu_fill(TraceBuilder{}.kernel({.start = 0, .end = 1}).build(), 0));
}
