#include "analyzer/idle_reasons.h"

#include <catch2/catch.hpp>
#include <algorithm>
#include <random>
#include <string>

#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

std::vector<std::vector<IdlePart>> reasons_of(const Trace& trace) {
  const Metrics metrics = measure(trace);
  return idle_reasons(trace, metrics, WhatIf(trace, metrics));
}

const IdlePart* part_of(const std::vector<IdlePart>& parts, IdleReason reason) {
  for (const IdlePart& part : parts)
    if (part.reason == name(reason)) return &part;
  return nullptr;
}

std::int64_t ns_of(const std::vector<IdlePart>& parts, IdleReason reason) {
  std::int64_t ns = 0;
  for (const IdlePart& part : parts) ns += part.reason == name(reason) ? part.ns : 0;
  return ns;
}

std::int64_t sum(const std::vector<IdlePart>& parts) {
  std::int64_t ns = 0;
  for (const IdlePart& part : parts) ns += part.ns;
  return ns;
}

// Four steps of two kernels, and `between` them.
template <class Between>
Trace four_steps(Between between) {
  TrainingLoop loop;
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 200'000);
    between(loop);
    loop.launch(0, 200'000);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("idle time by reason sums to the idle time of each GPU, on random traces") {
  std::mt19937 random(11);
  const auto pick = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    TrainingLoop loop(2);
    for (int step = 0; step < 3; ++step) {
      for (int n = 0; n < 30; ++n) {
        const int thread = static_cast<int>(pick(2));
        switch (pick(7)) {
          case 0: loop.copy(thread, 1'000'000, 1 + pick(90'000), pick(2) == 0); break;
          case 1: loop.wait(thread, "cudaStreamSynchronize_v3020", static_cast<int>(pick(2))); break;
          case 2: loop.call(thread, "cudaMalloc_v3020", 1 + pick(50'000)); break;
          case 3: loop.host(thread, pick(300'000)); break;
          case 4: loop.range(thread, "next batch", 1 + pick(40'000)); break;
          default: loop.launch(thread, pick(60'000)); break;
        }
      }
      loop.end_step(pick(100'000));
    }
    const Trace trace = loop.build();
    const Metrics metrics = measure(trace);
    const auto reasons = idle_reasons(trace, metrics, WhatIf(trace, metrics));
    REQUIRE(reasons.size() == metrics.devices.size());
    for (std::size_t i = 0; i < reasons.size(); ++i) CHECK(sum(reasons[i]) == metrics.devices[i].part_ns[0]);
  }
}

TEST_CASE("a GPU that waits while the host allocates is idle for the allocation, by the call's name") {
  const auto reasons = reasons_of(four_steps([](TrainingLoop& loop) {
    loop.wait(0);
    loop.call(0, "cudaMalloc_v3020", 150'000);
  }));
  const IdlePart* part = part_of(reasons.at(0), IdleReason::allocation);
  REQUIRE(part);
  CHECK(part->where == "cudaMalloc_v3020");
  CHECK(part->ns == 4 * 150'000);
  CHECK(part->gaps == 4);
  CHECK(part->longest.duration_ns() == 150'000);
}

TEST_CASE("host work in a range is told with the range, a wait for input as such, none as a pause from 1 ms on") {
  const auto work = [](std::string_view text, std::int64_t ns) {
    return reasons_of(four_steps([=](TrainingLoop& loop) {
      loop.wait(0);
      if (text.empty()) loop.host(0, ns);
      else loop.range(0, text, ns);
    }));
  };
  const auto prepare = work("prepare", 400'000);
  const IdlePart* part = part_of(prepare.at(0), IdleReason::host);
  REQUIRE(part);
  CHECK(part->where == "prepare");
  CHECK(part->ns == 4 * 400'000);
  CHECK(ns_of(work("next_batch", 400'000).at(0), IdleReason::input) == 4 * 400'000);
}

TEST_CASE("a launch that finds its stream busy makes no idle time; one that comes to an idle GPU, its latency") {
  const auto reasons = reasons_of(four_steps([](TrainingLoop&) {}));
  CHECK(ns_of(reasons.at(0), IdleReason::launch_latency) == 4 * TrainingLoop::kLatencyNs);
  CHECK(ns_of(reasons.at(0), IdleReason::unknown) == 0);
}

TEST_CASE("a GPU that nothing follows on has no more work") {
  TrainingLoop loop(2);
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 500'000);
    loop.launch(1, 100'000);
    loop.end_step();
  }
  const auto reasons = reasons_of(loop.build());
  CHECK(ns_of(reasons.at(1), IdleReason::no_more_work) > 400'000);
}

TEST_CASE("kernels whose launch was not captured are idle for reasons unknown, and no calls at all give none") {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 1_us, .correlation = 1});
  builder.kernel({.start = 0, .end = 10_us, .correlation = 1});
  builder.kernel({.start = 50_us, .end = 60_us, .stream = 8});
  const auto reasons = reasons_of(builder.build());
  CHECK(ns_of(reasons.at(0), IdleReason::unknown) == 40'000);
  TraceBuilder without_calls;
  without_calls.kernel({.start = 0, .end = 10_us});
  CHECK(reasons_of(without_calls.build()).at(0).empty());
}

TEST_CASE("of the kernels of another GPU that were waited for the longest three stand alone, and the rest sums to the same") {
  const auto waits_for = [](int names) {
    TrainingLoop loop(2);
    for (int step = 0; step < 8; ++step) {
      loop.launch(1, 500'000 + 10'000 * step, "layer " + std::to_string(step % names));
      loop.host(0, 10'000);
      loop.wait(0, "cudaStreamSynchronize_v3020", 1);
      loop.launch(0, 20'000);
      loop.end_step();
    }
    return loop.build();
  };
  const auto rows = [](const std::vector<IdlePart>& parts) {
    return std::count_if(parts.begin(), parts.end(), [](const IdlePart& part) { return part.reason == name(IdleReason::peer); });
  };
  for (const int names : {3, 7}) {
    const Trace trace = waits_for(names);
    const Metrics metrics = measure(trace);
    const auto parts = idle_reasons(trace, metrics, WhatIf(trace, metrics)).at(0);
    REQUIRE(rows(parts) == (names == 3 ? 3 : 4));
    CHECK(sum(parts) == metrics.devices[0].part_ns[0]);
    CHECK(part_of(parts, IdleReason::peer)->ns > 0);
  }
}
