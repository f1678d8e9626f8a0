#include "analyzer/metrics.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Table;

namespace {

const DeviceMetrics& only_device(const Metrics& metrics) {
  REQUIRE(metrics.devices.size() == 1);
  return metrics.devices[0];
}

std::int64_t idle(const DeviceMetrics& device, IdleCause cause) { return device.idle_ns[static_cast<std::size_t>(cause)]; }

}  // namespace

TEST_CASE("utilization, concurrency and overlap of one GPU") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0_ms, .end = 10_ms})
                         .kernel({.start = 5_ms, .end = 15_ms, .stream = 8})
                         .copy({.start = 12_ms, .end = 20_ms, .bytes = 1})
                         .kernel({.start = 30_ms, .end = 40_ms})
                         .build();
  const Metrics metrics = measure(trace);
  const DeviceMetrics& device = only_device(metrics);
  CHECK(device.kernel_ns == 25_ms);
  CHECK(device.concurrent_kernel_ns == 5_ms);
  CHECK(device.copy_ns == 8_ms);
  CHECK(device.copy_and_kernel_ns == 3_ms);
  CHECK(device.exposed_host_copy_ns == 5_ms);
  CHECK(device.part_ns[0] == 10_ms);
}

TEST_CASE("collectives count as communication") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0_ms, .end = 10_ms, .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"})
                         .kernel({.start = 5_ms, .end = 12_ms, .name = "volta_sgemm_128x64_nn", .stream = 8})
                         .build();
  const Metrics metrics = measure(trace);
  const DeviceMetrics& device = only_device(metrics);
  CHECK(device.part_ns[kCommunication] == 5_ms);
  CHECK(device.part_ns[kCommunication | kCompute] == 5_ms);
  CHECK(device.part_ns[kCompute] == 2_ms);
}

TEST_CASE("a gap is split by the call that launched what comes next") {
  const auto gap_before = [](std::int64_t call_start, std::int64_t call_end) {
    const auto trace = TraceBuilder{}
                           .kernel({.start = 0_ms, .end = 10_ms, .correlation = 1})
                           .kernel({.start = 20_ms, .end = 30_ms, .correlation = 2})
                           .api({.start = call_start, .end = call_end, .correlation = 2})
                           .build();
    return only_device(measure(trace));
  };
  SECTION("launched late: the host's time until the call, then the launch") {
    const DeviceMetrics device = gap_before(17_ms, 18_ms);
    CHECK(idle(device, IdleCause::host) == 7_ms);
    CHECK(idle(device, IdleCause::launch) == 3_ms);
  }
  SECTION("launched before the gap: it waited for something else") {
    CHECK(idle(gap_before(5_ms, 6_ms), IdleCause::waiting) == 10_ms);
  }
  SECTION("the call spans the gap's start") { CHECK(idle(gap_before(8_ms, 12_ms), IdleCause::launch) == 10_ms); }
  SECTION("no call captured") {
    const auto trace = TraceBuilder{}.kernel({.start = 0_ms, .end = 10_ms}).kernel({.start = 20_ms, .end = 30_ms}).build();
    CHECK(idle(only_device(measure(trace)), IdleCause::unknown) == 10_ms);
  }
}

namespace {

enum class RowKind { kernel, collective, copy, graph, call };
struct RandomRow {
  RowKind kind;
  std::int64_t start, end, correlation;
  int device, stream;
};

std::vector<RandomRow> random_rows(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
  std::vector<RandomRow> rows;
  std::int64_t correlation = 0;
  for (int n = 0; n < 60; ++n) {
    const RowKind kinds[] = {RowKind::kernel, RowKind::kernel, RowKind::collective, RowKind::copy, RowKind::graph};
    const std::int64_t start = pick(1000), launch = start - pick(60);
    // Some activities have no call, some a call that is not theirs alone.
    const bool own = pick(4) != 0;
    const std::int64_t id = own ? ++correlation : pick(60);
    rows.push_back({kinds[pick(5)], start, start + pick(80), id, static_cast<int>(pick(3)), static_cast<int>(pick(3))});
    if (own) rows.push_back({RowKind::call, launch, launch + pick(30), id, 0, 0});
  }
  return rows;
}

gputrace::trace::Trace trace_of(const std::vector<RandomRow>& rows) {
  TraceBuilder builder;
  for (const RandomRow& row : rows) {
    switch (row.kind) {
      case RowKind::call: builder.api({.start = row.start, .end = row.end, .correlation = row.correlation}); break;
      case RowKind::copy:
        builder.copy({.start = row.start, .end = row.end, .bytes = 1, .device = row.device, .stream = row.stream, .correlation = row.correlation});
        break;
      case RowKind::graph: builder.graph({.start = row.start, .end = row.end, .device = row.device, .stream = row.stream, .correlation = row.correlation}); break;
      default:
        builder.kernel({.start = row.start, .end = row.end, .name = row.kind == RowKind::collective ? "ncclKernel_AllReduce" : "kernel",
                        .device = row.device, .stream = row.stream, .correlation = row.correlation});
    }
  }
  return builder.build();
}

// What runs on a device at an instant, as Activity bits.
unsigned activity_at(const std::vector<RandomRow>& rows, int device, std::int64_t at) {
  unsigned activity = 0;
  for (const RandomRow& row : rows) {
    if (row.kind == RowKind::call || row.device != device || row.start > at || row.end <= at) continue;
    activity |= row.kind == RowKind::copy ? kCopy : row.kind == RowKind::collective ? kCommunication : kCompute;
  }
  return activity;
}

}  // namespace

TEST_CASE("the parts of every GPU sum to the window, on random traces") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Metrics metrics = measure(trace_of(random_rows(seed)));
    for (const DeviceMetrics& device : metrics.devices) {
      const auto parts = time_parts(device);
      const auto sum = std::accumulate(parts.begin(), parts.end(), std::int64_t{0}, [](auto total, const auto& part) { return total + part.ns; });
      REQUIRE(sum == metrics.window.duration_ns());
      REQUIRE(std::accumulate(std::begin(device.idle_ns), std::end(device.idle_ns), std::int64_t{0}) == device.part_ns[0]);
    }
  }
}

TEST_CASE("every instant of the window is in the one part that says what runs then, on random traces") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto rows = random_rows(seed);
    const Metrics metrics = measure(trace_of(rows));
    for (const DeviceMetrics& device : metrics.devices) {
      std::int64_t expected_ns[16] = {};
      for (std::int64_t at = metrics.window.start_ns; at < metrics.window.end_ns; ++at) ++expected_ns[activity_at(rows, device.device.value, at)];
      for (std::size_t part = 0; part < 16; ++part) REQUIRE(device.part_ns[part] == expected_ns[part]);
    }
  }
}

TEST_CASE("the order of rows changes no part, on random traces") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    auto rows = random_rows(seed);
    const Metrics metrics = measure(trace_of(rows));
    std::shuffle(rows.begin(), rows.end(), std::mt19937(seed + 1));
    const Metrics shuffled = measure(trace_of(rows));
    REQUIRE(shuffled.window == metrics.window);
    REQUIRE(shuffled.devices.size() == metrics.devices.size());
    for (std::size_t d = 0; d < metrics.devices.size(); ++d) {
      for (std::size_t part = 0; part < 16; ++part) REQUIRE(shuffled.devices[d].part_ns[part] == metrics.devices[d].part_ns[part]);
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause) REQUIRE(shuffled.devices[d].idle_ns[cause] == metrics.devices[d].idle_ns[cause]);
      REQUIRE(shuffled.devices[d].late_launch_ns == metrics.devices[d].late_launch_ns);
    }
  }
}

TEST_CASE("a GPU that is listed and ran nothing is there, and unused") {
  const auto trace = TraceBuilder{}.gpu({.device = {0}}).gpu({.device = {1}}).kernel({.start = 0_ms, .end = 1_ms}).build();
  const Metrics metrics = measure(trace);
  REQUIRE(metrics.devices.size() == 2);
  CHECK(metrics.devices[0].used);
  CHECK_FALSE(metrics.devices[1].used);
}

TEST_CASE("an empty trace has no devices and an empty window") {
  const Metrics metrics = measure(TraceBuilder{}.captured(Table::kernels).build());
  CHECK(metrics.devices.empty());
  CHECK(metrics.window.duration_ns() == 0);
}

TEST_CASE("A CUDA graph that was recorded as a whole keeps its GPU busy; with its nodes recorded it counts once") {
  TraceBuilder whole;
  whole.kernel({.start = 0, .end = 10_ms}).graph({.start = 20_ms, .end = 50_ms}).kernel({.start = 90_ms, .end = 100_ms});
  CHECK(measure(whole.build()).devices.at(0).kernel_ns == 50_ms);
  TraceBuilder nodes;
  nodes.kernel({.start = 0, .end = 10_ms}).graph({.start = 0, .end = 10_ms}).kernel({.start = 90_ms, .end = 100_ms});
  gputrace::trace::Trace trace = nodes.build();
  trace.kernels.graph_node[0] = 7;
  CHECK(measure(trace).devices.at(0).concurrent_kernel_ns == 0);
}
