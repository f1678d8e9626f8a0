#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

constexpr const char* kOnCpu = "MatMul, name = tower_0/MatMul, requested = /gpu:0, device = /cpu:0, sizes = [[1000, 1000], [1000, 1000]]";
constexpr const char* kOnGpu = "MatMul, name = tower_0/MatMul, requested = /gpu:0, device = /gpu:0, sizes = [[1000, 1000], [1000, 1000]]";
constexpr const char* kWanted = "Mean, name = average, requested = /cpu:0, device = /cpu:0, sizes = [[1000]]";

// Ten steps of 100 ms with one op each that takes `op_us`.
TraceBuilder loop(const char* text, std::int64_t op_us) {
  TraceBuilder builder;
  for (std::int64_t step = 0; step < 10; ++step) {
    builder.step(step * 100_ms, (step + 1) * 100_ms);
    builder.range({.start = step * 100_ms, .end = step * 100_ms + op_us * 1_us, .text = text, .domain = "op"});
  }
  return builder;
}

// 1 TFLOP/s and 100 GB/s.
const Gpu kGpu{.device = {0}, .sm_count = 10, .compute_major = 9, .clock_hz = 390'625'000, .memory_bandwidth_bytes_per_s = 100'000'000'000};

Finding look(const Trace& trace) { return run_rule("cpu-placed-ops", trace); }

}  // namespace

TEST_CASE("cpu-placed-ops: found from 1 % of the step") {
  CHECK(look(loop(kOnCpu, 1100).gpu(kGpu).build()).verdict == Verdict::found);
  CHECK(look(loop(kOnCpu, 900).gpu(kGpu).build()).verdict == Verdict::nothing);
}

TEST_CASE("cpu-placed-ops: the gain is the time on the CPU less the time on the GPU asked for") {
  const Finding finding = look(loop(kOnCpu, 80'000).gpu(kGpu).build());
  // 2 GFLOP at 75 % of 1 TFLOP/s: 2.67 ms in place of 80 ms.
  CHECK(static_cast<double>(finding.recoverable_ns_per_step) == Approx(80e6 - 2.0e9 / 0.75e12 * 1e9).epsilon(0.001));
  CHECK(finding.severity == Severity::critical);
  CHECK(finding.title.find("/gpu:0") != std::string::npos);
  CHECK(finding.evidence[0].text.find("tower_0/MatMul") != std::string::npos);
}

TEST_CASE("cpu-placed-ops: inputs from the host and results for it cross the link once each") {
  constexpr const char* kFirst = "Relu, name = a, requested = /gpu:0, device = /cpu:0, inputs = [input], sizes = [[3000000]]";
  constexpr const char* kSecond = "Relu, name = b, requested = /gpu:0, device = /cpu:0, inputs = [a], sizes = [[3000000]]";
  constexpr const char* kUpdate = "Apply, name = u, requested = /cpu:0, device = /cpu:0, inputs = [w, b], sizes = [[3000000], [3000000]]";
  TraceBuilder builder;
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at = step * 100_ms;
    builder.step(at, at + 100_ms);
    builder.range({.start = at, .end = at + 40_ms, .text = kFirst}).range({.start = at + 40_ms, .end = at + 80_ms, .text = kSecond});
    builder.range({.start = at + 80_ms, .end = at + 90_ms, .text = kUpdate});
  }
  // 12 MB in and 12 MB out at 3 GB/s are 8 ms; two passes over 24 MB at 80 GB/s are 0.6 ms.
  const Finding finding = look(builder.gpu(kGpu).build());
  CHECK(static_cast<double>(finding.recoverable_ns_per_step) == Approx(80e6 - 8.6e6).epsilon(0.001));
}

TEST_CASE("cpu-placed-ops: towers on two threads work side by side, so the longer one counts") {
  TraceBuilder builder = loop(kOnCpu, 50'000);
  for (std::int64_t step = 0; step < 10; ++step) {
    builder.range({.start = step * 100_ms, .end = step * 100_ms + 60_ms, .text = kOnCpu, .domain = "op", .thread = 1});
  }
  CHECK(look(builder.gpu(kGpu).build()).at_stake_ns_per_step == 60_ms);
}

TEST_CASE("cpu-placed-ops: silent where ops ran where they were asked to, on the CPU too") {
  CHECK(look(loop(kOnGpu, 80'000).build()).verdict == Verdict::nothing);
  CHECK(look(loop(kWanted, 80'000).build()).verdict == Verdict::nothing);
}

TEST_CASE("cpu-placed-ops: no gain is predicted where the trace does not describe the GPU") {
  const Finding finding = look(loop(kOnCpu, 80'000).build());
  CHECK(finding.verdict == Verdict::found);
  CHECK(finding.recoverable_ns_per_step == 0);
  CHECK(finding.severity == Severity::critical);
  CHECK(finding.why.find("cannot be said") != std::string::npos);
}

TEST_CASE("cpu-placed-ops: cannot look without ranges that name devices") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1}).build()).verdict == Verdict::could_not_look);
  CHECK(look(loop("aten::mm, op_id = 3", 1000).build()).verdict == Verdict::could_not_look);
}

TEST_CASE("cpu-placed-ops: a detour through the host is found by its pattern, from 1 % of the step") {
  const auto loop_of = [](std::int64_t kernel_ns) {
    TrainingLoop loop;
    for (int step = 0; step < 6; ++step) {
      loop.launch(0, kernel_ns);
      loop.copy(0, 1'000'000, 100'000, true, CopyKind::device_to_host);
      loop.host(0, 300'000);
      loop.copy(0, 1'000'000, 100'000);
      loop.launch(0, kernel_ns);
      loop.wait(0);
      loop.end_step();
    }
    return loop.build();
  };
  const Finding finding = look(loop_of(2'000'000));
  CHECK(finding.verdict == Verdict::found);
  CHECK(finding.remedy == "move-ops-to-gpu");
  CHECK(static_cast<double>(finding.recoverable_ns_per_step) == Approx(500e3).epsilon(0.1));
  CHECK(finding.severity == Severity::warning);
  CHECK(finding.advice.at(0).find(".numpy()") != std::string::npos);
  CHECK(look(loop_of(24'000'000)).verdict == Verdict::found);
  CHECK(look(loop_of(27'000'000)).verdict == Verdict::nothing);
}

TEST_CASE("cpu-placed-ops: an op of PyTorch that asks for nothing on the GPU is found") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 1'000'000);
    loop.wait(0);
    loop.range(0, "aten::nonzero", 1'000'000, "cpu_op");
    loop.launch(0, 1'000'000);
    loop.wait(0);
    loop.end_step();
  }
  const Finding finding = look(loop.build());
  CHECK(finding.verdict == Verdict::found);
  CHECK(finding.why.find("aten::nonzero (6 times") != std::string::npos);
  CHECK(static_cast<double>(finding.recoverable_ns_per_step) == Approx(1e6).epsilon(0.01));
}

TEST_CASE("cpu-placed-ops: placements without times are enough to find misplaced ops, not what they cost") {
  Trace trace = TraceBuilder{}.build();
  trace.op_placements = {{.op_name = "tower_0/MatMul", .op_type = "MatMul", .requested_device = "/device:GPU:0", .device = "/job:localhost/device:CPU:0"},
                         {.op_name = "tower_0/Relu", .op_type = "Relu", .requested_device = "/device:GPU:0", .device = "/job:localhost/device:GPU:0"}};
  const Finding finding = look(trace);
  CHECK(finding.verdict == Verdict::found);
  CHECK(finding.title == "1 of 2 ops were asked for a GPU and ran on the CPU");
  CHECK(finding.why.find("tower_0/MatMul") != std::string::npos);
  CHECK(finding.recoverable_ns_per_step == 0);
  trace.op_placements[0].device = "/job:localhost/device:GPU:0";
  CHECK(look(trace).verdict == Verdict::nothing);
}

TEST_CASE("cpu-placed-ops: placements that do not say what was asked for are no finding") {
  Trace trace = TraceBuilder{}.build();
  trace.op_placements = {{.op_name = "a", .op_type = "MatMul", .device = "/device:CPU:0"}};
  const Finding finding = look(trace);
  CHECK(finding.verdict == Verdict::could_not_look);
  CHECK(finding.why == "it is known where 1 ops ran (1 of them on the CPU), not which device was asked for");
}
