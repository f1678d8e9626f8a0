#include "analyzer/step_parts.h"

#include <catch2/catch.hpp>
#include <random>

#include "analyzer/metrics.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// `count` steps of 100 ns that tile the window, with work on two GPUs that crosses their boundaries.
Trace random_loop(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
  TraceBuilder builder;
  for (int step = 0; step < count; ++step) builder.step(step * 100, (step + 1) * 100);
  for (int n = 0; n < 6 * count; ++n) {
    const std::int64_t start = pick(static_cast<unsigned>(100 * count)), end = start + pick(60);
    const int device = static_cast<int>(pick(2));
    if (n % 4 == 0) {
      builder.copy({.start = start, .end = end, .bytes = 1, .device = device, .correlation = pick(60)});
    } else {
      builder.kernel({.start = start, .end = end, .name = n % 5 == 0 ? "ncclKernel_AllReduce" : "kernel", .device = device, .correlation = pick(60)});
    }
    builder.api({.start = start - pick(40), .end = start, .correlation = pick(60)});
  }
  return builder.build();
}

}  // namespace

TEST_CASE("the parts of each step sum to it, and those of all steps to the window's where steps tile it, on random traces") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Metrics metrics = measure(random_loop(seed, 8));
    REQUIRE(metrics.devices.size() == 2);
    for (const DeviceMetrics& device : metrics.devices) {
      REQUIRE(device.steps.size() == metrics.steps.spans.size() - metrics.steps.warm_up);
      std::int64_t part_ns[kActivities] = {}, idle_ns[kIdleCauses] = {};
      for (const StepTime& step : device.steps) {
        std::int64_t sum = 0, idle = 0;
        for (std::size_t p = 0; p < kActivities; ++p) sum += step.part_ns[p], part_ns[p] += step.part_ns[p];
        for (std::size_t c = 0; c < kIdleCauses; ++c) idle += step.idle_ns[c], idle_ns[c] += step.idle_ns[c];
        REQUIRE(sum == step.span.duration_ns());
        REQUIRE(idle == step.part_ns[0]);
      }
      for (std::size_t p = 0; p < kActivities; ++p) REQUIRE(part_ns[p] == device.part_ns[p]);
      for (std::size_t c = 0; c < kIdleCauses; ++c) REQUIRE(idle_ns[c] == device.idle_ns[c]);
    }
  }
}

TEST_CASE("work across a step's boundary is split there; time between steps is in none") {
  const auto trace = TraceBuilder{}
                         .step(0_ms, 100_ms)
                         .step(110_ms, 200_ms)
                         .kernel({.start = 90_ms, .end = 120_ms})
                         .build();
  const Metrics metrics = measure(trace);
  const auto& steps = metrics.devices.at(0).steps;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].part_ns[kCompute] == 10_ms);
  CHECK(steps[0].part_ns[0] == 90_ms);
  CHECK(steps[1].part_ns[kCompute] == 10_ms);
  CHECK(steps[1].part_ns[0] == 80_ms);
  CHECK(metrics.devices.at(0).part_ns[kCompute] == 30_ms);
}

TEST_CASE("up to 200 steps are listed; from 201 on the last entry stands for the rest, and nothing is lost") {
  const auto steps_of = [](int count) {
    const Metrics metrics = measure(random_loop(1, count));
    REQUIRE(metrics.steps.warm_up == 0);
    return metrics.devices.at(0);
  };
  CHECK(steps_of(200).steps.size() == 200);
  CHECK(steps_of(200).steps.back().steps == 1);
  CHECK(steps_of(201).steps.size() == 201);
  CHECK(steps_of(201).steps.back().steps == 1);
  const DeviceMetrics device = steps_of(250);
  REQUIRE(device.steps.size() == 201);
  CHECK(device.steps.back().steps == 50);
  CHECK(device.steps.back().span.duration_ns() == 5000);
  std::int64_t compute_ns = 0;
  for (const StepTime& step : device.steps) compute_ns += step.part_ns[kCompute];
  CHECK(compute_ns == device.part_ns[kCompute]);
}

TEST_CASE("without steps none are listed") {
  const Metrics metrics = measure(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build());
  CHECK(metrics.devices.at(0).steps.empty());
}
