#include <catch2/catch.hpp>

#include "analyzer/remedy.h"
#include "analyzer/what_if.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::CopyKind;
using gputrace::trace::Trace;

namespace {

// Steps of a copy of `bytes` that takes 4 ms and a kernel of 2 ms after it.
Prediction halved(std::int64_t bytes, bool pageable = false, CopyKind kind = CopyKind::host_to_device) {
  TrainingLoop loop;
  for (int step = 0; step < 5; ++step) {
    loop.copy(0, bytes, 4'000'000, pageable, kind);
    loop.launch(0, 2'000'000);
    loop.wait(0);
    loop.end_step();
  }
  const Trace trace = loop.build();
  const Metrics metrics = measure(trace);
  const Remedy* remedy = find_remedy("halve-copies");
  return WhatIf(trace, metrics).predict({&remedy, 1});
}

double won_ns(const Prediction& prediction) { return prediction.step_ns - prediction.predicted_step_ns; }

}  // namespace

TEST_CASE("half the bytes take half the time, pinned or pageable, to the GPU and from it") {
  CHECK(won_ns(halved(40'000'000)) == Approx(2e6).epsilon(0.001));
  CHECK(won_ns(halved(40'000'000, true)) == Approx(2e6).epsilon(0.001));
  CHECK(won_ns(halved(40'000'000, false, CopyKind::device_to_host)) == Approx(2e6).epsilon(0.001));
}

TEST_CASE("copies that are too small for the link, and copies within a GPU, stay as they are") {
  CHECK(halved(1'000).applied.at(0).count == 0);
  CHECK(halved(40'000'000, false, CopyKind::device_to_device).applied.at(0).count == 0);
}
