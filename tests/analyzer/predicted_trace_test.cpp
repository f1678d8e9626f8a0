#include "analyzer/predicted_trace.h"

#include <catch2/catch.hpp>

#include "analyzer/metrics.h"
#include "analyzer/what_if.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Table;
using gputrace::trace::Trace;

namespace {

// Four steps of a kernel, a copy that waits, and a kernel, with a range around the host's work; what lies before is start-up.
Trace recorded() {
  TrainingLoop loop;
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 400'000, "volta_sgemm_128x64_nn");
    loop.wait(0);
    loop.range(0, "prepare", 100'000);
    loop.copy(0, 1'000'000, 200'000);
    loop.launch(0, 300'000, "void pad(float)");
    loop.end_step();
  }
  return loop.build();
}

Trace predicted(std::vector<const Remedy*> remedies, std::vector<Scaling> scalings, Trace trace = recorded()) {
  const Metrics metrics = measure(trace);
  const WhatIf model(trace, metrics);
  const ChangedGraph changed = model.change(remedies, scalings);
  return predicted_trace(std::move(trace), changed, "predicted: test");
}

}  // namespace

TEST_CASE("without a change the predicted trace is the recorded one, marked as predicted") {
  const Trace before = recorded(), after = predicted({}, {});
  CHECK(after.kernels.start_ns == before.kernels.start_ns);
  CHECK(after.kernels.end_ns == before.kernels.end_ns);
  CHECK(after.copies.start_ns == before.copies.start_ns);
  CHECK(after.api_calls.start_ns == before.api_calls.start_ns);
  CHECK(after.api_calls.end_ns == before.api_calls.end_ns);
  CHECK(after.nvtx.start_ns == before.nvtx.start_ns);
  CHECK(after.nvtx.end_ns == before.nvtx.end_ns);
  CHECK(after.synchronizations.end_ns == before.synchronizations.end_ns);
  CHECK(after.metadata.simulated);
  CHECK(after.metadata.machine == "predicted: test");
}

TEST_CASE("a predicted trace takes as long as the prediction says, in the same steps") {
  const std::vector<Scaling> half{{"kernels", 0.5}};
  const Trace trace = recorded();
  const Metrics metrics = measure(trace);
  const double step_ns = WhatIf(trace, metrics).predict({}, half).predicted_step_ns;
  const Trace after = predicted({}, half);
  const Steps steps = measure(after).steps;
  REQUIRE(steps.spans.size() == 4);
  CHECK(static_cast<double>(steps.median_ns) == Approx(step_ns));
  CHECK(static_cast<double>(after.kernels.span(0).duration_ns()) == 200'000);
  // Ranges keep their length where the host's work does.
  for (std::size_t i = 0; i < after.nvtx.size(); ++i)
    if (after.text(after.nvtx.text[i]) == "prepare") CHECK(after.nvtx.end_ns[i] - after.nvtx.start_ns[i] == 100'000);
}

TEST_CASE("what is left out is no longer in the trace, nor is the call that asked for it") {
  const Trace before = recorded(), after = predicted({}, {{"kernels:pad", 0, true}});
  CHECK(after.kernels.size() == before.kernels.size() - 4);
  CHECK(after.api_calls.size() == before.api_calls.size() - 4);
}

TEST_CASE("of a modelled trace the machine's name stays before what was predicted; the recorder's own time is left out") {
  Trace trace = recorded();
  trace.metadata.simulated = true;
  trace.metadata.machine = "4x-titan-x";
  trace.captured.set(static_cast<std::size_t>(Table::overheads));
  const Trace after = predicted({}, {}, std::move(trace));
  CHECK(after.metadata.machine == "4x-titan-x, predicted: test");
  CHECK_FALSE(after.has(Table::overheads));
}

TEST_CASE("what lies outside of the replayed window is not in the predicted trace") {
  TrainingLoop loop;
  loop.builder().kernel({.start = -1'000'000, .end = -900'000, .correlation = 1'000});
  loop.builder().api({.start = -1'100'000, .end = -1'090'000, .correlation = 1'000});
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 100'000);
    loop.end_step();
  }
  const Trace after = predicted({}, {}, loop.build());
  CHECK(after.kernels.size() == 4);
  CHECK(after.api_calls.size() == 8);
}
