#include "analyzer/recorder_overhead.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;
using analyzer::recorder_overhead;
using trace::OverheadKind;

namespace {

constexpr trace::Span kWindow{0, 1'000'000'000};

std::optional<trace::Diagnostic> remark(const OverheadEvent& event) {
  return recorder_overhead(TraceBuilder{}.api({.start = 0, .end = 1}).overhead(event).build(), kWindow);
}

}  // namespace

TEST_CASE("The recorder's work on a thread that calls CUDA is remarked from 2 % of the window on") {
  const auto found = remark({.start = 100_ms, .end = 120_ms});
  REQUIRE(found);
  CHECK(found->count == 2);
  CHECK(found->what.find("thread thread 1000") != std::string::npos);
  CHECK_FALSE(remark({.start = 100_ms, .end = 119_ms}));
}

TEST_CASE("Only what lies in the window counts, and what overlaps counts once") {
  CHECK_FALSE(remark({.start = -100_ms, .end = 10_ms}));
  const auto twice = recorder_overhead(TraceBuilder{}.api({.start = 0, .end = 1}).overhead({.start = 0, .end = 30_ms})
                                           .overhead({.start = 0, .end = 30_ms}).build(), kWindow);
  REQUIRE(twice);
  CHECK(twice->count == 3);
}

TEST_CASE("The program's own compiling and loading is no overhead of recording, nor is work on a thread without calls") {
  CHECK_FALSE(remark({.start = 0, .end = 500_ms, .kind = OverheadKind::driver_jit}));
  CHECK_FALSE(remark({.start = 0, .end = 500_ms, .kind = OverheadKind::lazy_function_load}));
  CHECK(remark({.start = 0, .end = 500_ms, .kind = OverheadKind::instrumentation}));
  CHECK_FALSE(remark({.start = 0, .end = 500_ms, .thread = 1}));
}

TEST_CASE("Without overhead rows, calls or a window there is nothing to say") {
  CHECK_FALSE(recorder_overhead(TraceBuilder{}.api({.start = 0, .end = 1}).build(), kWindow));
  CHECK_FALSE(recorder_overhead(TraceBuilder{}.overhead({.start = 0, .end = 1_s}).build(), kWindow));
  CHECK_FALSE(recorder_overhead(TraceBuilder{}.api({.start = 0, .end = 1}).overhead({.start = 0, .end = 1}).build(), {5, 5}));
}
