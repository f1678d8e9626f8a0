// What is odd in traces that people have, where only an analysis can get it wrong. That the files are read right is shown in
// tests/trace/oddities_test.cpp.
#include <catch2/catch.hpp>

#include <algorithm>

#include "analyzer/analyze.h"
#include "tests/support/trace_builder.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::CopyKind;
using gputrace::trace::DeviceId;
using gputrace::trace::MemoryKind;
using gputrace::trace::Table;

namespace {

const Finding& finding(const Diagnosis& diagnosis, std::string_view rule) {
  const auto found = std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(), [rule](const Finding& f) { return f.rule == rule; });
  REQUIRE(found != diagnosis.findings.end());
  return *found;
}

std::int64_t part_ns(const DeviceReport& device, std::string_view key) {
  std::int64_t ns = 0;
  for (const TimePart& part : device.parts) {
    if (part.key.starts_with(key)) ns += part.ns;
  }
  return ns;
}

std::size_t found_count(const Diagnosis& diagnosis) {
  return static_cast<std::size_t>(std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(), [](const Finding& f) { return f.verdict == Verdict::found; }));
}

}  // namespace

TEST_CASE("odd trace: kernel times that sum to more than the span, since streams overlap, are a utilization of 100 %, not more") {
  TraceBuilder builder;
  for (int stream = 0; stream < 4; ++stream) builder.kernel({.start = 0_ms, .end = 10_ms, .stream = stream});
  const Diagnosis diagnosis = analyze(builder.build());
  const DeviceReport& device = diagnosis.devices.at(0);
  CHECK(device.compute_utilization == 1.0);
  CHECK(device.kernel_concurrency == 1.0);
  CHECK(part_ns(device, "idle") == 0);
  CHECK(diagnosis.kernels.at(0).total_ns == 40_ms);
}

TEST_CASE("odd trace: a CUDA graph recorded as one span keeps its GPU busy: the time inside is not idle") {
  TraceBuilder builder;
  for (int step = 0; step < 10; ++step) {
    const std::int64_t start = step * 10_ms;
    builder.kernel({.start = start, .end = start + 1_ms, .correlation = 2 * step + 1}).api({.start = start, .end = start + 1_us, .correlation = 2 * step + 1});
    builder.graph({.start = start + 1_ms, .end = start + 10_ms, .correlation = 2 * step + 2});
    builder.api({.start = start + 2_us, .end = start + 3_us, .name = "cudaGraphLaunch_v10000", .correlation = 2 * step + 2}).step(start, start + 10_ms);
  }
  const Diagnosis diagnosis = analyze(builder.build());
  CHECK(diagnosis.devices.at(0).compute_utilization == 1.0);
  CHECK(part_ns(diagnosis.devices.at(0), "idle") == 0);
  CHECK(finding(diagnosis, "launch-bound").verdict != Verdict::found);
}

TEST_CASE("odd trace: without any kernel nothing is found, and the rules say that they could not look") {
  const Diagnosis diagnosis = analyze(TraceBuilder{}.range({.start = 0_ms, .end = 900_ms, .text = "aten::add", .domain = "cpu_op"}).build());
  CHECK(found_count(diagnosis) == 0);
  CHECK(finding(diagnosis, "launch-bound").verdict == Verdict::could_not_look);
  CHECK(std::count(diagnosis.not_captured.begin(), diagnosis.not_captured.end(), "kernels") == 1);
  for (const DeviceReport& device : diagnosis.devices) CHECK_FALSE(device.compute_utilization);
}

TEST_CASE("odd trace: without a list of GPUs none is called unused") {
  const Diagnosis diagnosis = analyze(TraceBuilder{}.kernel({.start = 0_ms, .end = 10_ms, .device = 3}).build());
  CHECK(diagnosis.devices.size() == 1);
  CHECK(finding(diagnosis, "unused-gpus").verdict == Verdict::could_not_look);
}

TEST_CASE("odd trace: GPUs that are listed and not used are shown as unused, with no share of anything") {
  TraceBuilder builder;
  for (int gpu = 0; gpu < 8; ++gpu) builder.gpu({.device = DeviceId{gpu}});
  for (int gpu = 0; gpu < 4; ++gpu) builder.kernel({.start = 0_ms, .end = 10_ms, .device = gpu});
  const Diagnosis diagnosis = analyze(builder.build());
  REQUIRE(diagnosis.devices.size() == 8);
  CHECK(std::count_if(diagnosis.devices.begin(), diagnosis.devices.end(), [](const DeviceReport& device) { return device.used; }) == 4);
  CHECK(finding(diagnosis, "unused-gpus").title == "GPU 4, 5, 6, 7 have no work, while 4 others have");
}

TEST_CASE("odd trace: kernels without a launch row leave the gaps before them unexplained, and no rule builds on them") {
  TraceBuilder builder;
  for (int i = 0; i < 200; ++i) builder.kernel({.start = i * 100_us, .end = i * 100_us + 5_us, .correlation = i + 1});
  builder.captured(Table::api_calls);
  const Diagnosis diagnosis = analyze(builder.build());
  CHECK(part_ns(diagnosis.devices.at(0), "idle.unknown") == part_ns(diagnosis.devices.at(0), "idle"));
  CHECK(part_ns(diagnosis.devices.at(0), "idle.unknown") > 0);
  CHECK(finding(diagnosis, "launch-bound").verdict != Verdict::found);
}

TEST_CASE("odd trace: copies of unified memory are found as migrations, not as plain copies from pageable memory") {
  TrainingLoop loop;
  loop.builder().link({.kind = gputrace::trace::LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    const std::int64_t start = loop.now_ns(0) + TrainingLoop::kLatencyNs;
    loop.launch(0, 5_ms);
    loop.builder().copy({.start = start, .end = start + 4_ms, .bytes = 12'600'000, .kind = CopyKind::unified_host_to_device, .source = MemoryKind::managed, .destination = MemoryKind::managed});
    loop.end_step();
  }
  const Diagnosis diagnosis = analyze(loop.build());
  CHECK(finding(diagnosis, "unified-memory-migrations").verdict == Verdict::found);
  CHECK(finding(diagnosis, "pageable-copies").verdict != Verdict::found);
  CHECK(finding(diagnosis, "pcie-bound-transfers").verdict != Verdict::found);
}

// A run of copies from the host, each of `bytes`, then a kernel.
Diagnosis many_copies(std::int64_t bytes) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 400; ++i) loop.copy(0, bytes, 3_us);
    loop.launch(0, 1_ms);
    loop.end_step();
  }
  return analyze(loop.build());
}

// Forty copies a step, each of `bytes`, that the host waits for.
Diagnosis many_readbacks(std::int64_t bytes) {
  TraceBuilder builder;
  std::int64_t correlation = 0;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 40; ++i) {
      const std::int64_t at = step * 10_ms + i * 250_us;
      ++correlation;
      builder.kernel({.start = at, .end = at + 50_us, .correlation = correlation}).api({.start = at - 10_us, .end = at - 5_us, .correlation = correlation});
      ++correlation;
      builder.copy({.start = at + 50_us, .end = at + 52_us, .bytes = bytes, .kind = CopyKind::device_to_host, .source = MemoryKind::device,
                    .destination = MemoryKind::pageable, .correlation = correlation});
      builder.api({.start = at - 4_us, .end = at + 230_us, .name = "cudaMemcpy_v3020", .correlation = correlation});
    }
    builder.step(step * 10_ms, (step + 1) * 10_ms);
  }
  return analyze(builder.build());
}

TEST_CASE("odd trace: copies whose size the file does not tell are no small copies, and have no rate") {
  CHECK(finding(many_readbacks(4), "blocking-readbacks").verdict == Verdict::found);
  CHECK(finding(many_copies(4096), "tiny-copies").verdict == Verdict::found);
  const Diagnosis unknown = many_readbacks(0), unknown_to_gpu = many_copies(0);
  for (const Finding& silent : {finding(unknown, "blocking-readbacks"), finding(unknown_to_gpu, "tiny-copies"), finding(unknown_to_gpu, "pageable-copies")}) {
    CHECK(silent.verdict == Verdict::could_not_look);
    CHECK(silent.why == "no sizes of copies were captured");
  }
  REQUIRE(unknown.copies.size() == 1);
  CHECK(unknown.copies[0].gbps == 0);
  CHECK(unknown.copies[0].bytes == 0);
}

TEST_CASE("odd trace: a rate is that of the copies whose size is known") {
  const Diagnosis diagnosis = analyze(TraceBuilder{}
                                          .copy({.start = 0_ms, .end = 10_ms, .bytes = 100'000'000})
                                          .copy({.start = 10_ms, .end = 90_ms, .bytes = 0})
                                          .build());
  REQUIRE(diagnosis.copies.size() == 1);
  CHECK(diagnosis.copies[0].count == 2);
  CHECK(diagnosis.copies[0].total_ns == 90_ms);
  CHECK(diagnosis.copies[0].gbps == Approx(10));
}
