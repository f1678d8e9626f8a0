#include "analyzer/host_detours.h"

#include <catch2/catch.hpp>

#include "analyzer/what_if.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::CopyKind;
using gputrace::trace::Trace;

namespace {

struct Shape {
  std::int64_t down_bytes = 1'000'000, host_ns = 2'000'000;
  bool waits = true, steps = true, kernel_after = true, kernel_between = false, input = false;
  int steps_with_it = 6;
};

// Six steps of two kernels; between them what the first has computed goes to the host and back.
Trace loop_with(const Shape& shape) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 500'000);
    if (step >= 6 - shape.steps_with_it) {
      loop.copy(0, shape.down_bytes, 100'000, shape.waits, CopyKind::device_to_host);
      if (shape.kernel_between) loop.launch(0, 10'000);
      if (shape.input) loop.range(0, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", shape.host_ns);
      else loop.host(0, shape.host_ns);
      loop.copy(0, 1'000'000, 100'000);
    }
    if (shape.kernel_after) loop.launch(0, 500'000);
    loop.wait(0);
    loop.end_step();
  }
  Trace trace = loop.build();
  return trace;
}

HostDetours detours_of(const Trace& trace) {
  const Metrics metrics = measure(trace);
  const WhatIf what_if(trace, metrics);
  return find_host_detours(trace, metrics, what_if.graph(), what_if.sequences());
}

std::size_t count(const Shape& shape) { return detours_of(loop_with(shape)).list.size(); }

}  // namespace

TEST_CASE("a copy to the host that is waited for, host work and a copy back before the next kernel are a detour") {
  const Trace trace = loop_with({});
  const HostDetours detours = detours_of(trace);
  REQUIRE(detours.list.size() == 6);
  const HostDetour& detour = detours.list[0];
  CHECK(detour.bytes == 2'000'000);
  CHECK(detour.host_work.duration_ns() == 2'000'000);
  CHECK(detour.down.size() == 1);
  CHECK(detour.up.size() == 1);
  CHECK(std::count(detours.is_part.begin(), detours.is_part.end(), true) == 12);
}

TEST_CASE("what is too small, or too short, is none") {
  CHECK(count({.down_bytes = 4096}) == 6);
  CHECK(count({.down_bytes = 4095}) == 0);
  CHECK(count({.host_ns = 50'000}) == 6);
  CHECK(count({.host_ns = 49'999}) == 0);
}

TEST_CASE("without a wait, or with work of the GPU between or none after, the copy back does not bring a result") {
  CHECK(count({.waits = false}) == 0);
  CHECK(count({.kernel_between = true}) == 0);
  CHECK(count({.kernel_after = false}) == 0);
}

TEST_CASE("a wait for the next batch is no work on what was copied") { CHECK(count({.input = true}) == 0); }

TEST_CASE("what only some steps do is no part of the step") {
  CHECK(count({.steps_with_it = 3}) == 3);
  CHECK(count({.steps_with_it = 2}) == 0);
}
