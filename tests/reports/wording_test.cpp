#include "reports/wording.h"

#include <catch2/catch.hpp>

#include "reports/device_table.h"
#include "tests/reports/diagnosis_samples.h"

using namespace gputrace;
using namespace gputrace::reports;
using Catch::Matchers::Contains;

TEST_CASE("the verdict is the first serious finding and what its remedy gains") {
  CHECK(verdict(tests::cpu_placed_ops()) ==
        "Six matmul ops that were asked for GPU 0 and GPU 1 run on the CPU. With the remedy below, "
        "a step takes about 868 ms instead of 4.88 s (5.63x).");
}

TEST_CASE("a finding that is only for information is not the verdict") {
  auto diagnosis = tests::cpu_placed_ops();
  diagnosis.findings[0].severity = analyzer::Severity::info;
  CHECK_THAT(verdict(diagnosis), Contains("No bottleneck worth a change."));
  CHECK_THAT(verdict(diagnosis), Contains("1 of 4 questions could not be looked at."));
  CHECK_THAT(verdict(diagnosis), Contains("12.5 % of the time"));
}

TEST_CASE("a run whose GPUs hardly compute is not called healthy, and what they wait for is said") {
  auto diagnosis = tests::cpu_placed_ops();
  auto& low = diagnosis.findings[0];
  low.rule = "low-compute-utilization";
  low.severity = analyzer::Severity::info;
  low.title = "GPU 0 computes for 1.0 % of the step";
  low.evidence = {{diagnosis.window, trace::DeviceId{0}, "no kernel computes"}};
  const std::int64_t window_ns = diagnosis.window.duration_ns();
  diagnosis.devices[0].idle = {{"allocation", "cudaFree", window_ns / 10 * 9, 1, diagnosis.window}};
  const std::string text = verdict(diagnosis);
  CHECK_THAT(text, Contains("GPU 0 computes for 1.0 % of the step, and none of the causes that were looked for explains it. GPU 0, idle 90.0 % of the window: allocation 90.0 % (most in cudaFree)."));
  CHECK_THAT(text, !Contains("No bottleneck"));
  CHECK_THAT(text, Contains("could not be looked at"));
  low.verdict = analyzer::Verdict::nothing;
  CHECK_THAT(verdict(diagnosis), Contains("No bottleneck worth a change."));
}

TEST_CASE("GPUs are told by their numbers, and as a range only where none is left out") {
  const auto name_of = [](std::vector<int> used) {
    analyzer::Diagnosis one;
    for (const int id : used) one.devices.push_back({.device = trace::DeviceId{id}, .name = "H100", .used = true, .compute_utilization = {}, .kernel_concurrency = {}, .copy_overlap = {}, .parts = {}, .concurrency = {}, .steps = {}});
    return device_names(one);
  };
  CHECK(name_of({0, 1, 2}) == "GPU 0 to 2: H100");
  CHECK(name_of({1, 4, 6}) == "GPU 1, 4, 6: H100");
  CHECK(name_of({1, 2, 6}) == "GPU 1 to 2, 6: H100");
}

TEST_CASE("a trace without data is not called healthy") {
  auto diagnosis = tests::empty_trace();
  CHECK_THAT(verdict(diagnosis), Contains("no work on a GPU"));
  diagnosis.copies.emplace_back().direction = "host to device";
  CHECK_THAT(verdict(diagnosis), Contains("Nothing could be judged"));
}

TEST_CASE("no gain is promised where none is predicted") {
  auto diagnosis = tests::cpu_placed_ops();
  auto& finding = diagnosis.findings[0];
  finding.recoverable_ns_per_step = 0;
  CHECK(gain(diagnosis, finding) == "");
  finding.recoverable_ns_per_step = 1'000'000;
  diagnosis.steps.median_ns = 0;
  finding.predicted_speedup = 1;
  CHECK(gain(diagnosis, finding) == "the same work takes about 1.00 ms less of 19.5 s");
  diagnosis.steps.median_ns = 500'000;  // less than the finding wants to win back: no step time to promise
  CHECK(gain(diagnosis, finding) == "1.00 ms less per step");
  diagnosis.steps.median_ns = 1'000'000'000;
  CHECK(gain(diagnosis, finding) == "a step takes about 999 ms instead of 1.00 s (0.1 % less)");
}

TEST_CASE("a kernel's meaning does not repeat its label, and is not made up") {
  analyzer::KernelReport kernel;
  kernel.label = "eigen: y = pad(x)";
  kernel.explained = "eigen: y = pad(x) · float. The right-hand side names the work.";
  CHECK(kernel_meaning(kernel) == kernel.explained);
  kernel.explained = "Pads.";
  CHECK(kernel_meaning(kernel) == "eigen: y = pad(x): Pads.");
  kernel.op_class = "other";
  CHECK(kernel_meaning(kernel) == "");
}

TEST_CASE("what is missing from the data is said") {
  CHECK(completeness_line(tests::healthy_run()) == "recorded to its end; no record was dropped");
  CHECK(completeness_line(tests::cpu_placed_ops()) ==
        "incomplete: the program was killed by signal 9; 12 records were dropped, so counts and times are too low");
  CHECK(simulated_line(tests::healthy_run()) == "");
  CHECK(simulated_line(tests::cpu_placed_ops()) == "simulated: times are modelled (machine gtx1060x2)");
  auto diagnosis = tests::empty_trace();
  CHECK(steps_line(diagnosis) == "no steps recognised: the figures are of the whole trace");
  diagnosis.trace_span.end_ns = 2'000'000'000;
  diagnosis.window.end_ns = 500'000'000;
  CHECK(steps_line(diagnosis) == "no steps recognised: the figures are of 500 ms of 2.00 s traced");
  CHECK(part_label("idle.no_more_work") == "idle: no more work");
  CHECK(part_label("compute+copy") == "compute+copy");
}
