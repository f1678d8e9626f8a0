#include "analyzer/what_if.h"

#include <catch2/catch.hpp>

#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

struct Run {
  explicit Run(Trace built) : trace(std::move(built)), metrics(measure(trace)), what_if(trace, metrics) {}
  double step_ms(const std::string& text, bool removal = false) const {
    const auto scaling = removal ? parse_removal(text) : parse_scaling(text);
    REQUIRE(scaling);
    return what_if.predict({}, {&*scaling, 1}).predicted_step_ns / 1e6;
  }
  Trace trace;
  Metrics metrics;
  WhatIf what_if;
};

// A copy of 2 ms, ten kernels of 1 ms, five of another name; `host` before each launch.
Trace loop(std::int64_t host) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.copy(0, 20'000'000, 2_ms);
    for (int i = 0; i < 15; ++i) {
      loop.host(0, host);
      loop.launch(0, 1_ms, i % 3 == 2 ? "pad_kernel" : "gemm_kernel");
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("scaling what limits a step changes it, scaling what does not changes nothing") {
  const Run gpu_bound(loop(10_us)), host_bound(loop(2_ms));
  CHECK(gpu_bound.step_ms("kernels=1") == Approx(17).epsilon(0.01));
  CHECK(gpu_bound.step_ms("kernels=0.5") == Approx(9.5).epsilon(0.01));
  CHECK(gpu_bound.step_ms("kernels:pad=0") == Approx(12).epsilon(0.01));
  CHECK(gpu_bound.step_ms("copies:h2d=2") == Approx(19).epsilon(0.01));
  CHECK(gpu_bound.step_ms("copies:d2h=2") == Approx(17).epsilon(0.01));
  CHECK(gpu_bound.step_ms("launches=0") == Approx(17).epsilon(0.01));
  CHECK(host_bound.step_ms("kernels=0.5") == Approx(30.6).epsilon(0.01));
  CHECK(host_bound.step_ms("launches=0.5") == Approx(17).epsilon(0.02));  // half of 30 ms, or what the GPU needs
  CHECK(host_bound.step_ms("host=0.5") == Approx(17).epsilon(0.02));
}

TEST_CASE("what is removed goes with the host's work for it") {
  const Run host_bound(loop(2_ms));
  CHECK(host_bound.step_ms("kernels:pad=0") == Approx(30.1).epsilon(0.01));
  CHECK(host_bound.step_ms("kernels:pad", true) == Approx(21).epsilon(0.02));
}

TEST_CASE("a replay without changes gives the step back, and says what limits it") {
  const Run run(loop(10_us));
  const Prediction same = run.what_if.predict({});
  CHECK(same.predicted_step_ns == same.step_ns);
  CHECK(same.replay_error < 0.01);
  CHECK(same.limits_now.front().what.starts_with("kernels"));
  double sum = 0;
  for (const PathShare& limit : same.limits_now) sum += limit.share;
  CHECK(sum == Approx(1));
  CHECK(Run(loop(2_ms)).what_if.predict({}).limits_now.front().what == "host between calls");
}

TEST_CASE("what cannot be replayed") {
  CHECK_FALSE(Run(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).what_if.possible());
  CHECK_FALSE(Run(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).what_if.possible());
  CHECK(Run(loop(10_us)).what_if.possible());
}

TEST_CASE("a CUDA graph that was captured as a whole is one activity: what the host does between two is replayed") {
  TraceBuilder builder;
  for (int i = 0; i < 5; ++i) {
    builder.api({.start = i * 400_us, .end = i * 400_us + 10_us, .name = "cudaGraphLaunch_v10000", .correlation = i + 1});
    builder.graph({.start = i * 400_us + 5_us, .end = i * 400_us + 205_us, .correlation = i + 1});
  }
  const Run run(builder.build());
  REQUIRE(run.what_if.possible());
  const std::vector<Scaling> half{{"host", 0.5}}, kernels{{"kernels", 0.5}};
  CHECK(run.what_if.predict({}, half).predicted_step_ns == Approx(5 * 200e3 + 5e3).epsilon(0.05));
  CHECK(run.what_if.predict({}, kernels).speedup() == Approx(1));  // nothing is known of those inside
  CHECK(run.what_if.predict({}).limits_now.front().what == "host between calls");
}

TEST_CASE("scalings and removals that are none") {
  for (const char* wrong : {"", "kernels", "kernels=", "kernels=x", "kernels=-1", "kernels=nan", "kernels:=1", "class:=1", "copies:up=1", "sync=0", "=1"})
    CHECK_FALSE(parse_scaling(wrong));
  for (const char* wrong : {"", "launches", "host", "kernels:", "copies:up"}) CHECK_FALSE(parse_removal(wrong));
  CHECK(parse_scaling("class:layout change=0.5")->what == "class:layout change");
  CHECK(parse_scaling("kernels:a=b=2")->what == "kernels:a=b");
  CHECK(parse_scaling("copy:h2d=0.5")->what == "copies:h2d");
  CHECK(parse_scaling("launch=0")->what == "launches");
  CHECK(parse_removal("kernel:pad")->what == "kernels:pad");
  CHECK_FALSE(parse_scaling("copy:up=0.5"));
}

namespace {

// Kernels of two streams that fill the GPU by turns: each is asked for long before and begins as the one of the other stream ends.
Trace two_streams_by_turns() {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 20; ++i) {
    builder.api({.start = i * 10_us, .end = i * 10_us + 5_us, .correlation = i + 1});
    builder.kernel({.start = 300_us + i * 100_us, .end = 300_us + (i + 1) * 100_us - 1_us, .name = i % 2 == 0 ? "even" : "odd", .stream = 7 + static_cast<int>(i % 2), .correlation = i + 1});
  }
  return builder.build();
}

double speedup_with(const char* scaling) {
  const Trace trace = two_streams_by_turns();
  const Metrics metrics = measure(trace);
  return WhatIf(trace, metrics).predict({}, std::vector{*parse_scaling(scaling)}).speedup();
}

}  // namespace

TEST_CASE("a change that changes next to nothing wins nothing, where kernels of other streams wait for room") {
  CHECK(speedup_with("launches=0.999") == Approx(1.0).epsilon(1e-3));
  CHECK(speedup_with("kernels:even=0.999") == Approx(1.0).epsilon(2e-3));
}

TEST_CASE("kernels that make room sooner let the other stream's begin sooner") {
  CHECK(speedup_with("kernels:even=0.5") == Approx(2.0 / 1.5).epsilon(0.01));  // ten of twenty kernels of 100 us take 50 us
}
