#include "analyzer/late_work.h"

#include <catch2/catch.hpp>

#include "analyzer/what_if.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

// Two threads of six launches in each of four steps; the second works `late_ns` more before its fourth. `moved`: it allocates after
// another launch than the first, and so makes a call more in the second step.
Trace two_threads(std::int64_t late_ns, bool moved = false) {
  TrainingLoop loop(2);
  for (int step = 0; step < 4; ++step) {
    for (int k = 0; k < 6; ++k) {
      for (const int thread : {0, 1}) {
        loop.host(thread, 20'000);
        if (thread == 1 && k == 3) loop.host(1, late_ns);
        loop.launch(thread, 10'000);
        if (moved && (k == 2 + thread || (thread == 1 && step == 1 && k == 0))) loop.call(thread, "cudaMalloc_v3020", 100'000);
      }
    }
    loop.end_step();
  }
  return loop.build();
}

std::vector<LateWork> late_of(const Trace& trace) {
  const Metrics metrics = measure(trace);
  const WhatIf what_if(trace, metrics);
  return late_work(trace, what_if.sequences(), ChangedGraph(what_if.graph()));
}

}  // namespace

TEST_CASE("work before a call that the thread beside does not have, from a millisecond on") {
  const auto late = late_of(two_threads(1'000'000));
  REQUIRE(late.size() == 4);
  CHECK(late[0].thread.value == 1);
  CHECK(late[0].ns == 1'020'000);
  CHECK(late[0].others_ns == 20'000);
  CHECK(late_of(two_threads(999'999)).empty());
}

TEST_CASE("threads whose calls differ in number are compared from launch to launch") {
  const auto late = late_of(two_threads(1'000'000, true));
  REQUIRE(late.size() == 4);
  for (const LateWork& work : late) {
    CHECK(work.thread.value == 1);
    CHECK(work.more_ns() == 1'000'000);
  }
  CHECK(late_of(two_threads(999'999, true)).empty());
}

TEST_CASE("one thread alone has nobody to be compared with") {
  TrainingLoop loop;
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 10'000);
    loop.host(0, 5'000'000);
    loop.launch(0, 10'000);
    loop.end_step();
  }
  CHECK(late_of(loop.build()).empty());
}
