#include <catch2/catch.hpp>

#include "analyzer/remedy.h"
#include "analyzer/what_if.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

// Steps of kernels of 100 us that the GPU (20 multiprocessors of 8 such blocks) holds `blocks` of, launched long before they run.
Trace steps_of(std::vector<std::int64_t> kernels_ns, std::int32_t blocks) {
  TrainingLoop loop;
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 300'000, "large", 10'000);
    for (const std::int64_t ns : kernels_ns) loop.launch(0, ns, "small", blocks);
    loop.end_step();
  }
  return loop.build();
}

double won_ns(const Trace& trace) {
  const Metrics metrics = measure(trace);
  const Remedy* remedy = find_remedy("add-streams");
  const Prediction prediction = WhatIf(trace, metrics).predict({&remedy, 1});
  return prediction.step_ns - prediction.predicted_step_ns;
}

}  // namespace

TEST_CASE("kernels that fill half the GPU run in pairs, those that need more than half run as before") {
  CHECK(won_ns(steps_of({100'000, 100'000, 100'000, 100'000}, 80)) == Approx(200'000));
  CHECK(won_ns(steps_of({100'000, 100'000, 100'000, 100'000}, 81)) == Approx(0).margin(1));
}

TEST_CASE("what follows kernels side by side waits for the longest of them") {
  CHECK(won_ns(steps_of({150'000, 100'000, 100'000, 150'000}, 80)) == Approx(200'000));
}

TEST_CASE("as many kernels as the GPU has room for begin together") {
  CHECK(won_ns(steps_of({100'000, 100'000, 100'000, 100'000}, 40)) == Approx(300'000));
}

TEST_CASE("kernels that the host launches one by one when the GPU is idle win nothing by more streams") {
  TrainingLoop loop;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 6; ++i) {
      loop.launch(0, 20'000, "small", 40);
      loop.host(0, 100'000);
    }
    loop.end_step();
  }
  CHECK(won_ns(loop.build()) == Approx(0).margin(1));
}
