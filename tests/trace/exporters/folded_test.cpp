#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"
#include "tests/trace/exported.h"
#include "tests/trace/sample_trace.h"

namespace gputrace::trace {
namespace {

using namespace tests;

TEST_CASE("folded stacks: the ranges open at the launch, the call, the kernel, and its nanoseconds") {
  const Trace trace = TraceBuilder{}
                          .range({.start = 0_us, .end = 100_us, .text = "step"})
                          .range({.start = 10_us, .end = 30_us, .text = "forward"})
                          .range({.start = 30_us, .end = 60_us, .text = "backward"})
                          .api({.start = 12_us, .end = 13_us, .correlation = 1})
                          .api({.start = 30_us, .end = 31_us, .correlation = 2})  // forward has just ended
                          .api({.start = 70_us, .end = 71_us, .correlation = 3})
                          .api({.start = 120_us, .end = 121_us, .correlation = 4})
                          .kernel({.start = 20_us, .end = 25_us, .name = "conv", .correlation = 1})
                          .kernel({.start = 40_us, .end = 42_us, .name = "conv", .correlation = 2})
                          .kernel({.start = 80_us, .end = 81_us, .name = "adam", .correlation = 3})
                          .copy({.start = 130_us, .end = 137_us, .bytes = 4, .correlation = 4})
                          .build();
  CHECK(exported(trace, "folded") ==
        "cudaLaunchKernel;Memcpy HtoD (Pageable -> Device) 7000\n"
        "step;backward;cudaLaunchKernel;conv 2000\n"
        "step;cudaLaunchKernel;adam 1000\n"
        "step;forward;cudaLaunchKernel;conv 5000\n");
}

TEST_CASE("folded stacks: equal stacks are one line, kernels whose launch is not captured stand apart") {
  TraceBuilder builder;
  for (int i = 0; i < 3; ++i) {
    builder.range({.start = i * 100_us, .end = i * 100_us + 50_us, .text = "step"}).api({.start = i * 100_us, .end = i * 100_us + 1_us, .correlation = i + 1});
    builder.kernel({.start = i * 100_us, .end = i * 100_us + 10_us, .name = "conv", .correlation = i + 1});
  }
  builder.kernel({.start = 900_us, .end = 901_us, .name = "conv", .correlation = 77});
  CHECK(exported(builder.build(), "folded") ==
        "(launch not captured);conv 1000\n"
        "step;cudaLaunchKernel;conv 30000\n");
}

TEST_CASE("folded stacks: names cannot break a line or a frame, and ranges that overlap do not outlive their end") {
  const Trace trace = TraceBuilder{}
                          .range({.start = 0_us, .end = 50_us, .text = "a;b\nc"})
                          .range({.start = 10_us, .end = 80_us, .text = "longer"})
                          .api({.start = 60_us, .end = 61_us, .correlation = 1})
                          .api({.start = 20_us, .end = 21_us, .correlation = 2})
                          .kernel({.start = 60_us, .end = 61_us, .name = "k", .correlation = 1})
                          .kernel({.start = 20_us, .end = 21_us, .name = "k", .correlation = 2})
                          .build();
  CHECK(exported(trace, "folded") ==
        "a,b c;longer;cudaLaunchKernel;k 1000\n"
        "longer;cudaLaunchKernel;k 1000\n");
}

TEST_CASE("folded stacks: with several processes each has a frame of its own") {
  const std::string text = exported(sample_trace(), "folded");
  CHECK(count_of(text, "train \"one\";step 1;a domain named as a category;cudaLaunchKernel_v7000;void conv<float>(float*, int) 10333\n") == 1);
  CHECK(count_of(text, "unknown process;(launch not captured);of nobody 1000\n") == 1);
  CHECK(count_of(text, "process 200;(launch not captured);") > 0);
}

TEST_CASE("folded stacks: a trace without GPU work is an empty file") {
  CHECK(exported(TraceBuilder{}.range({.start = 0, .end = 9, .text = "step"}).build(), "folded").empty());
}

}  // namespace
}  // namespace gputrace::trace
