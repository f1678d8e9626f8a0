#include <catch2/catch.hpp>

#include "analyzer/remedy.h"
#include "analyzer/what_if.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::CopyKind;
using gputrace::trace::Gpu;
using gputrace::trace::Trace;

namespace {

Prediction moved(const Trace& trace) {
  const Metrics metrics = measure(trace);
  const Remedy* remedy = find_remedy("move-ops-to-gpu");
  return WhatIf(trace, metrics).predict({&remedy, 1});
}

double won_ns(const Trace& trace) {
  const Prediction prediction = moved(trace);
  return prediction.step_ns - prediction.predicted_step_ns;
}

// 2 GFLOP at 75 % of 1 TFLOP/s: 2.67 ms; the weights, which come from the host, are 4 MB: 1.33 ms at 3 GB/s, and the input as much.
constexpr const char* kMatMul = "MatMul, name = a, requested = /gpu:0, device = /cpu:0, sizes = [[1000, 1000], [1000, 1000]]";
const Gpu kGpu{.device = {0}, .sm_count = 10, .compute_major = 9, .clock_hz = 390'625'000, .memory_bandwidth_bytes_per_s = 100'000'000'000};

// Steps of 100 ms with an op of `ns` on each of `threads` threads, and no GPU work at all.
Trace steps_of_ops(std::int64_t ns, int threads) {
  TraceBuilder builder;
  builder.gpu(kGpu);
  for (std::int64_t step = 0; step < 5; ++step) {
    builder.step(step * 100_ms, (step + 1) * 100_ms);
    for (int thread = 0; thread < threads; ++thread)
      builder.range({.start = step * 100_ms + 10_ms, .end = step * 100_ms + 10_ms + ns, .text = kMatMul, .domain = "op", .thread = thread});
  }
  return builder.build();
}

}  // namespace

TEST_CASE("an op that was asked for a GPU takes there what its size says, instead of its time on the host") {
  CHECK(won_ns(steps_of_ops(80_ms, 1)) == Approx(80e6 - 2.0e9 / 0.75e12 * 1e9).epsilon(0.001));
  CHECK(won_ns(steps_of_ops(2_ms, 1)) == 0);  // longer on the GPU: left where it is
}

TEST_CASE("threads work side by side: the one that is left with the most counts") {
  CHECK(won_ns(steps_of_ops(80_ms, 2)) == Approx(80e6 - 2.0e9 / 0.75e12 * 1e9).epsilon(0.001));
}

TEST_CASE("an op between calls of its thread shortens the host's work there") {
  TrainingLoop loop;
  for (int step = 0; step < 5; ++step) {
    loop.launch(0, 100'000);
    loop.wait(0);
    loop.range(0, "aten::nonzero", 3'000'000, "cpu_op");
    loop.launch(0, 100'000);
    loop.wait(0);
    loop.end_step();
  }
  const Prediction prediction = moved(loop.build());
  CHECK(prediction.step_ns - prediction.predicted_step_ns == Approx(3e6).epsilon(0.001));
  CHECK(prediction.applied.at(0).count == 5);
}

TEST_CASE("a detour through the host loses its copies, its waits and its host work") {
  TrainingLoop with, without;
  for (int step = 0; step < 5; ++step) {
    for (TrainingLoop* loop : {&with, &without}) {
      loop->launch(0, 500'000);
      if (loop == &with) {
        loop->copy(0, 1'000'000, 100'000, true, CopyKind::device_to_host);
        loop->host(0, 2'000'000);
        loop->copy(0, 1'000'000, 100'000);
      }
      loop->launch(0, 500'000);
      loop->wait(0);
      loop->end_step();
    }
  }
  const Prediction prediction = moved(with.build());
  const Trace clean = without.build();
  const Metrics metrics = measure(clean);
  CHECK(prediction.predicted_step_ns == Approx(WhatIf(clean, metrics).mean_step_ns()).epsilon(0.02));
  CHECK(prediction.applied.at(0).what == "5 pieces of work go from the host to the GPU that they belong to");
}

TEST_CASE("nothing is moved where nothing is misplaced") {
  TrainingLoop loop;
  for (int step = 0; step < 5; ++step) {
    loop.launch(0, 100'000);
    loop.wait(0);
    loop.end_step();
  }
  CHECK(moved(loop.build()).applied.at(0).count == 0);
}
