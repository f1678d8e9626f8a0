#include "analyzer/diff/trace_diff.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "analyzer/metrics.h"
#include <cmath>
#include <filesystem>

#include "tests/support/trace_builder.h"
#include "trace/trace_reader.h"

using namespace gputrace;
using namespace gputrace::analyzer;
using namespace gputrace::tests;

namespace {

struct Shape {
  std::int64_t step = 100_ms, kernel = 60_ms, collective = 0;
  std::string_view name = "sgemm";
  int steps = 12;
};

// Steps one after the other, each a kernel at its start and then a collective.
TraceBuilder run(const Shape& shape) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < shape.steps; ++i) {
    const std::int64_t start = i * shape.step;
    builder.step(start, start + shape.step)
        .kernel({.start = start, .end = start + shape.kernel, .name = shape.name});
    if (shape.collective == 0) continue;
    builder.kernel({.start = start + shape.kernel,
                    .end = start + shape.kernel + shape.collective,
                    .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"});
  }
  return builder;
}

TraceDiff diff(const Shape& before, const Shape& after) {
  return diff_traces(run(before).build(), run(after).build());
}

KernelFate fate(const TraceDiff& diff, std::string_view kernel) {
  const auto found = std::find_if(diff.kernels.begin(), diff.kernels.end(),
                                  [=](const auto& one) { return one.name == kernel; });
  REQUIRE(found != diff.kernels.end());
  return found->fate;
}

}  // namespace

TEST_CASE("diff: a step that differs by under 1 % has not changed, one that differs by over 1 % has") {
  CHECK(diff({.step = 100_ms}, {.step = 100'900_us}).steps.verdict == StepVerdict::no_change);
  CHECK(diff({.step = 100_ms}, {.step = 101'100_us}).steps.verdict == StepVerdict::slower);
  CHECK(diff({.step = 100_ms}, {.step = 98'900_us}).steps.verdict == StepVerdict::faster);
}

TEST_CASE("diff: steps that vary hide a change that even steps show") {
  const auto varied = [](std::int64_t middle) {
    TraceBuilder builder;
    std::int64_t start = 0;
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::int64_t length = middle + (i * 7 % 20 - 10) * 2_ms;
      builder.step(start, start + length).kernel({.start = start, .end = start + 50_ms});
      start += length;
    }
    return builder.build();
  };
  const TraceDiff hidden = diff_traces(varied(100_ms), varied(103_ms));
  CHECK(hidden.steps.verdict == StepVerdict::no_change);
  CHECK(hidden.steps.smallest_visible > 0.03);
  const double visible = hidden.steps.smallest_visible;
  const auto beyond = static_cast<std::int64_t>(100e6 * (1 + 1.5 * visible));
  CHECK(diff_traces(varied(100_ms), varied(beyond)).steps.verdict == StepVerdict::slower);
  CHECK(diff({.step = 100_ms}, {.step = 103_ms}).steps.verdict == StepVerdict::slower);
}

TEST_CASE("diff: a trace does not differ from itself") {
  const TraceDiff same = diff({.collective = 10_ms}, {.collective = 10_ms});
  CHECK(same.steps.verdict == StepVerdict::no_change);
  CHECK(same.kernel_ns.difference() == 0);
  CHECK(same.exposed_communication_ns.difference() == 0);
  for (const KernelChange& kernel : same.kernels) CHECK(kernel.fate == KernelFate::same);
  for (const PartChange& part : same.parts) CHECK(part.ns.difference() == 0);
}

TEST_CASE("diff: kernels come and go, and of one name they get slower from 2 % of their time on") {
  const TraceDiff other = diff({.name = "old"}, {.name = "new"});
  CHECK(fate(other, "old") == KernelFate::went);
  CHECK(fate(other, "new") == KernelFate::came);
  CHECK(fate(diff({.kernel = 60_ms}, {.kernel = 61'300_us}), "sgemm") == KernelFate::slower);
  CHECK(fate(diff({.kernel = 60_ms}, {.kernel = 61'100_us}), "sgemm") == KernelFate::same);
  CHECK(fate(diff({.kernel = 60_ms}, {.kernel = 58'700_us}), "sgemm") == KernelFate::faster);
}

TEST_CASE("diff: half as many steps recorded is no change") {
  const TraceDiff shorter = diff({.steps = 24}, {.steps = 12});
  CHECK(shorter.per_step);
  CHECK(shorter.kernel_ns.difference() == Approx(0).margin(1));
  CHECK(fate(shorter, "sgemm") == KernelFate::same);
}

TEST_CASE("diff: time that kernels do not take is idle, and busy and idle sum to the step") {
  const TraceDiff idle =
      diff({.step = 124'300_us, .kernel = 104'600_us}, {.step = 141'900_us, .kernel = 104'700_us});
  CHECK(idle.steps.verdict == StepVerdict::slower);
  CHECK(idle.idle_ns.before == Approx(19.7e6));
  CHECK(idle.idle_ns.after == Approx(37.2e6));
  CHECK(idle.busy_ns.before + idle.idle_ns.before == Approx(idle.unit_ns.before));
  CHECK(fate(idle, "sgemm") == KernelFate::same);
  double parts_ns = 0;
  for (const PartChange& part : idle.parts) parts_ns += part.ns.after;
  CHECK(parts_ns == Approx(idle.unit_ns.after));
}

TEST_CASE("diff: communication that no computation hides is counted per step and GPU") {
  const TraceDiff more = diff({.collective = 10_ms}, {.collective = 14_ms});
  CHECK(more.exposed_communication_ns.difference() == Approx(4e6));
  CHECK(more.kernel_ns.difference() == Approx(4e6));
  CHECK(more.compute_kernel_ns.difference() == Approx(0).margin(1));
}

TEST_CASE("diff: without steps in both traces nothing is said of step time") {
  const auto one = TraceBuilder{}.kernel({.start = 0, .end = 10_ms, .name = "once"}).build();
  const TraceDiff none =
      diff_traces(one, TraceBuilder{}.kernel({.start = 0, .end = 12_ms, .name = "once"}).build());
  CHECK(none.steps.verdict == StepVerdict::not_aligned);
  CHECK(none.steps.why == "neither trace has steps");
  CHECK_FALSE(none.per_step);
  CHECK(none.traced_ns.after == Approx(12e6));
  CHECK(diff_traces(one, run({}).build()).steps.why == "the first trace has no steps");
  CHECK(diff_traces(run({}).build(), one).steps.why == "the second trace has no steps");
}

TEST_CASE("diff: two steps in a trace are too few to judge by") {
  CHECK(diff({.steps = 2}, {.step = 150_ms, .steps = 12}).steps.verdict == StepVerdict::cannot_judge);
  CHECK(diff({.steps = 3}, {.step = 150_ms, .steps = 12}).steps.verdict != StepVerdict::cannot_judge);
}

TEST_CASE("diff: empty traces, and what weakens a comparison") {
  const TraceDiff empty = diff_traces(TraceBuilder{}.build(), TraceBuilder{}.build());
  CHECK(empty.kernels.empty());
  CHECK(empty.unit_ns.before == 0);
  CHECK_FALSE(empty.caveats.empty());
  const TraceDiff mixed = diff_traces(run({}).simulated("box").build(), run({}).build());
  CHECK_THAT(mixed.caveats.front(), Catch::Contains("simulated"));
  const auto two_gpus = run({}).kernel({.start = 0, .end = 1_ms, .device = 1}).build();
  CHECK_THAT(diff_traces(run({}).build(), two_gpus).caveats.back(),
             Catch::Contains("work on 1 GPU and the second on 2"));
}

TEST_CASE("diff: the real pair has less GPU work and more exposed communication in the same traced time") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: no shared data");
    return;
  }
  const auto before = trace::read_trace(folder / "nsysai_mfu_2gpu_before.sqlite");
  const auto after = trace::read_trace(folder / "nsysai_mfu_2gpu_after.sqlite");
  REQUIRE(before);
  REQUIRE(after);
  const TraceDiff pair = diff_traces(*before, *after);
  CHECK(std::abs(pair.traced_ns.relative().value()) < 0.01);
  CHECK(pair.traced_kernel_ns.before == Approx(535.20e6).epsilon(1e-4));
  CHECK(pair.traced_kernel_ns.after == Approx(488.84e6).epsilon(1e-4));
  CHECK(pair.exposed_communication_ns.difference() > 0);
  CHECK(pair.steps.verdict != StepVerdict::faster);
}

TEST_CASE("diff: a user's rules name and class kernels, and what they call communication is no computation") {
  const auto before = run({.name = "frobnicate"}).build(), after = run({.name = "frobnicate"}).build();
  const TraceDiff plain = diff_traces(before, after);
  CHECK(plain.kernels.at(0).label == "frobnicate");
  CHECK(plain.compute_kernel_ns.before > 0);
  CHECK(plain.exposed_communication_ns.before == 0);
  const TraceDiff ruled = diff_traces(before, after, {{"frob*", "our exchange", "communication"}});
  CHECK(ruled.kernels.at(0).label == "our exchange");
  CHECK(ruled.kernels.at(0).op_class == "communication");
  CHECK(ruled.compute_kernel_ns.before == 0);
  CHECK(ruled.exposed_communication_ns.before > 0);
}

TEST_CASE(
    "diff: a rule holds for the mangled spelling that the trace has, and for the demangled one it shows") {
  const auto trace = run({.name = "_Z10frobnicatePf"}).build();
  CHECK(diff_traces(trace, trace, {{"_Z10frob*", "mine", "other"}}).kernels.at(0).label == "mine");
  CHECK(diff_traces(trace, trace, {{"frobnicate(float *)", "mine", "other"}}).kernels.at(0).label == "mine");
  CHECK(diff_traces(trace, trace, {{"frob", "mine", "other"}}).kernels.at(0).label == "frobnicate");
}

TEST_CASE("diff: periods that are not sure are not compared as steps") {
  // Units of six kernels; in `odd` of 24 the GPU then does nothing for a while, each time longer.
  const auto units = [](int odd) {
    TraceBuilder builder;
    std::int64_t at = 0;
    for (int unit = 0; unit < 24; ++unit) {
      for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
        builder.kernel({.start = at, .end = at + 1_ms, .name = name});
        at += 1_ms;
      }
      if (unit < odd) at += 2_ms + unit * 700_us;
    }
    return builder.build();
  };
  const auto sure = units(0), unsure = units(8);
  REQUIRE(measure(sure).steps.certainty >= 0.9);
  REQUIRE(measure(unsure).steps.source == StepSource::periodicity);
  REQUIRE(measure(unsure).steps.certainty < 0.9);
  CHECK(diff_traces(sure, sure).steps.verdict == StepVerdict::no_change);
  const TraceDiff pair = diff_traces(sure, unsure);
  CHECK(pair.steps.verdict == StepVerdict::not_aligned);
  CHECK(pair.steps.why.find("sure to 100 % in the first trace") != std::string::npos);
}
