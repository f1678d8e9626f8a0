#include "analyzer/work_parts.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::CopyKind;
using gputrace::trace::MemoryKind;
using gputrace::trace::Trace;

namespace {

constexpr const char* kMatmul = "volta_sgemm_128x64_nn";
constexpr const char* kConvolution = "cudnn::detail::implicit_convolve_sgemm<float, 128, 6, 7, 3, 3, 5, 1>";
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

std::vector<std::vector<TimePart>> parts_of(const Trace& trace) {
  std::vector<std::vector<TimePart>> parts;
  for (WorkParts& device : work_parts(trace, measure(trace))) parts.push_back(std::move(device.window));
  return parts;
}

std::int64_t sum_of(const std::vector<TimePart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}, [](std::int64_t sum, const TimePart& part) { return sum + part.ns; });
}

std::int64_t ns_of(const std::vector<TimePart>& parts, std::string_view key) {
  for (const TimePart& part : parts)
    if (part.key == key) return part.ns;
  return 0;
}

}  // namespace

TEST_CASE("computation is told by class, alone and with what it hides") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 100_us, .name = kMatmul});
  builder.kernel({.start = 40_us, .end = 60_us, .name = kAllReduce, .stream = 8});
  builder.copy({.start = 90_us, .end = 130_us, .bytes = 1'000, .source = MemoryKind::pinned, .stream = 9});
  builder.kernel({.start = 140_us, .end = 200_us, .name = kConvolution});
  builder.kernel({.start = 180_us, .end = 190_us, .name = kMatmul, .stream = 8});
  builder.kernel({.start = 200_us, .end = 210_us, .name = kAllReduce, .stream = 8});
  const auto parts = parts_of(builder.build()).at(0);
  CHECK(ns_of(parts, "matmul") == 70'000);
  CHECK(ns_of(parts, "matmul + communication") == 20'000);
  CHECK(ns_of(parts, "matmul + copy host to device, pinned") == 10'000);
  CHECK(ns_of(parts, "copy host to device, pinned") == 30'000);
  CHECK(ns_of(parts, "convolution") == 50'000);
  CHECK(ns_of(parts, "several classes") == 10'000);
  CHECK(ns_of(parts, "communication") == 10'000);
  CHECK(ns_of(parts, "idle") == 10'000);
  CHECK(parts.size() == 8);
  CHECK(parts.front().key == "matmul");
}

TEST_CASE("copies of both directions at once, a graph recorded as a whole, and a GPU that ran nothing") {
  TraceBuilder builder;
  builder.gpu({.device = gputrace::trace::DeviceId{0}}).gpu({.device = gputrace::trace::DeviceId{1}});
  builder.copy({.start = 0, .end = 20_us, .kind = CopyKind::device_to_host, .source = MemoryKind::device, .destination = MemoryKind::pageable});
  builder.copy({.start = 10_us, .end = 20_us, .kind = CopyKind::host_to_device, .source = MemoryKind::pinned, .stream = 8});
  builder.graph({.start = 20_us, .end = 50_us});
  builder.kernel({.start = 50_us, .end = 60_us, .name = kMatmul});
  const auto parts = parts_of(builder.build());
  CHECK(ns_of(parts.at(0), "copy device to host, pageable") == 10'000);
  CHECK(ns_of(parts.at(0), "several kinds of copy") == 10'000);
  CHECK(ns_of(parts.at(0), "CUDA graph") == 30'000);
  REQUIRE(parts.at(1).size() == 1);
  CHECK(parts.at(1)[0].key == "idle");
}

TEST_CASE("on random traces the parts sum to the window, and agree with the coarse ones") {
  std::mt19937 random(3);
  const auto pick = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    TraceBuilder builder;
    for (std::int64_t step = 0; step < pick(2) * 9; ++step) builder.step(step * 100, step * 100 + 60 + pick(40));
    for (int n = 0; n < 60; ++n) {
      const std::int64_t start = pick(1'000), end = start + pick(90);
      const int device = static_cast<int>(pick(2)), stream = static_cast<int>(7 + pick(3));
      switch (pick(5)) {
        case 0: builder.copy({.start = start, .end = end, .kind = pick(2) == 0 ? CopyKind::host_to_device : CopyKind::device_to_host, .device = device, .stream = stream}); break;
        case 1: builder.kernel({.start = start, .end = end, .name = kAllReduce, .device = device, .stream = stream}); break;
        default: builder.kernel({.start = start, .end = end, .name = pick(2) == 0 ? kMatmul : kConvolution, .device = device, .stream = stream}); break;
      }
    }
    const Trace trace = builder.build();
    const Metrics metrics = measure(trace);
    const auto work = work_parts(trace, metrics);
    for (std::size_t i = 0; i < work.size(); ++i) {
      CHECK(sum_of(work[i].window) == metrics.window.duration_ns());
      CHECK(ns_of(work[i].window, "idle") == metrics.devices[i].part_ns[0]);
      CHECK(ns_of(work[i].window, "communication") == metrics.devices[i].part_ns[kCommunication]);
      REQUIRE(work[i].steps.size() == metrics.devices[i].steps.size());
      for (std::size_t s = 0; s < work[i].steps.size(); ++s) {
        const StepTime& step = metrics.devices[i].steps[s];
        CHECK(sum_of(work[i].steps[s]) == step.span.duration_ns());
        CHECK(ns_of(work[i].steps[s], "idle") == step.part_ns[0]);
        CHECK(ns_of(work[i].steps[s], "communication") == step.part_ns[kCommunication]);
      }
    }
  }
}

TEST_CASE("each step has its own parts, and a kernel across a boundary is split there") {
  TraceBuilder builder;
  builder.step(0, 100_us).step(100_us, 200_us).step(200_us, 300_us);
  builder.kernel({.start = 10_us, .end = 50_us, .name = kConvolution});
  builder.kernel({.start = 130_us, .end = 220_us, .name = kMatmul});
  builder.copy({.start = 150_us, .end = 230_us, .source = MemoryKind::pinned, .stream = 9});
  const Trace trace = builder.build();
  const Metrics metrics = measure(trace);
  REQUIRE(metrics.steps.warm_up == 0);
  const auto steps = work_parts(trace, metrics).at(0).steps;
  REQUIRE(steps.size() == 3);
  CHECK(ns_of(steps[0], "convolution") == 40'000);
  CHECK(ns_of(steps[0], "idle") == 60'000);
  CHECK(ns_of(steps[1], "idle") == 30'000);
  CHECK(ns_of(steps[1], "matmul") == 20'000);
  CHECK(ns_of(steps[1], "matmul + copy host to device, pinned") == 50'000);
  CHECK(ns_of(steps[2], "matmul + copy host to device, pinned") == 20'000);
  CHECK(ns_of(steps[2], "copy host to device, pinned") == 10'000);
  CHECK(ns_of(steps[2], "idle") == 70'000);
}

TEST_CASE("parts are the same in whatever order the rows of a table stand") {
  Trace trace = [] {
    TraceBuilder builder;
    for (const std::int64_t start : {0, 50, 100}) {
      builder.kernel({.start = start * 1'000, .end = (start + 40) * 1'000, .name = kMatmul, .stream = 7});
      builder.kernel({.start = start * 1'000, .end = (start + 40) * 1'000, .name = kConvolution, .stream = 8});
      builder.kernel({.start = (start + 40) * 1'000, .end = (start + 45) * 1'000, .name = kAllReduce, .stream = 8});
      builder.copy({.start = (start + 42) * 1'000, .end = (start + 48) * 1'000, .source = MemoryKind::pinned, .stream = 9});
      builder.copy({.start = (start + 42) * 1'000, .end = (start + 48) * 1'000, .kind = CopyKind::device_to_host, .source = MemoryKind::device, .destination = MemoryKind::pinned, .stream = 10});
    }
    return builder.build();
  }();
  const auto in_order = parts_of(trace);
  const auto swap_rows = [](auto& columns, std::size_t a, std::size_t b) { std::swap(columns[a], columns[b]); };
  for (std::size_t i = 0; i + 1 < trace.kernels.size(); i += 3) swap_rows(trace.kernels.name, i, i + 1), swap_rows(trace.kernels.stream, i, i + 1);
  for (std::size_t i = 0; i + 1 < trace.copies.size(); i += 2) {
    swap_rows(trace.copies.kind, i, i + 1);
    swap_rows(trace.copies.source_memory, i, i + 1), swap_rows(trace.copies.destination_memory, i, i + 1), swap_rows(trace.copies.stream, i, i + 1);
  }
  const auto swapped = parts_of(trace);
  REQUIRE(swapped.size() == in_order.size());
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    REQUIRE(swapped[i].size() == in_order[i].size());
    for (std::size_t p = 0; p < in_order[i].size(); ++p) {
      CHECK(swapped[i][p].key == in_order[i][p].key);
      CHECK(swapped[i][p].ns == in_order[i][p].ns);
    }
  }
}
