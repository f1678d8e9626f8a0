#include "analyzer/charts/place_traffic.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;
using analyzer::PlaceTraffic;

namespace {

std::vector<PlaceTraffic> uses(const trace::Trace& trace) { return analyzer::place_traffic(trace, analyzer::measure(trace)); }

const PlaceTraffic& use(const std::vector<PlaceTraffic>& all, const std::string& from, const std::string& to) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const PlaceTraffic& one) { return one.from == from && one.to == to; });
  REQUIRE(found != all.end());
  return *found;
}

// A copy between GPUs: the builder sets both ends to the device, so the trace is given the pair.
trace::Trace peer_copy(int from, int to, std::int64_t bytes, std::int64_t duration_ns, TraceBuilder builder = {}) {
  auto trace = builder.kernel({.start = 0, .end = 1})
                   .copy({.start = 10, .end = 10 + duration_ns, .bytes = bytes, .kind = trace::CopyKind::peer_to_peer,
                          .source = trace::MemoryKind::device, .device = from})
                   .build();
  trace.copies.source_device[0] = trace::DeviceId{from};
  trace.copies.destination_device[0] = trace::DeviceId{to};
  return trace;
}

}  // namespace

TEST_CASE("links: both directions of the host's link stand apart, small copies set no rate") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0, .end = 1})
                         .copy({.start = 1_ms, .end = 2_ms, .bytes = 10'000'000})
                         .copy({.start = 2_ms, .end = 3_ms, .bytes = 6'000'000})
                         .copy({.start = 3_ms, .end = 4_ms, .bytes = 65'535})
                         .copy({.start = 4_ms, .end = 5_ms, .bytes = 100, .kind = trace::CopyKind::device_to_host})
                         .build();
  const auto all = uses(trace);
  REQUIRE(all.size() == 2);
  const PlaceTraffic& to_gpu = use(all, "host", "GPU 0");
  CHECK(to_gpu.count == 3);
  CHECK(to_gpu.bytes == 16'065'535);
  CHECK(to_gpu.gbps.value() == Approx(8.0));
  CHECK(to_gpu.best_gbps.value() == Approx(10.0));
  CHECK_FALSE(use(all, "GPU 0", "host").gbps);
}

TEST_CASE("links: copies between GPUs have their pair, and the recorded NVLink beside it") {
  TraceBuilder builder;
  builder.link({.kind = trace::LinkKind::nvlink, .from = "gpu:0", .to = "gpu:1", .generation = 2, .width = 4, .bytes_per_s = 100'000'000'000});
  const auto all = uses(peer_copy(0, 1, 40'000'000, 500'000, std::move(builder)));
  const PlaceTraffic& pair = use(all, "GPU 0", "GPU 1");
  CHECK(pair.gbps.value() == Approx(80.0));
  CHECK(pair.link_gbps.value() == Approx(100.0));
  CHECK(pair.link_source == "recorded: NVLink 2 x4");
  CHECK(use(all, "GPU 1", "GPU 0").count == 0);  // it is there, and nothing used it
}

TEST_CASE("links: a pair without a recorded link has none, and a copy within a GPU crosses none") {
  CHECK_FALSE(use(uses(peer_copy(0, 2, 40'000'000, 5'000'000)), "GPU 0", "GPU 2").link_gbps);
  CHECK(uses(peer_copy(1, 1, 40'000'000, 5'000'000)).empty());
}

TEST_CASE("links: a GPU's link to the host is the recorded one") {
  TraceBuilder builder;
  builder.link({.kind = trace::LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 4, .bytes_per_s = 3'940'000'000});
  const auto all = uses(builder.kernel({.start = 0, .end = 1}).copy({.start = 1_ms, .end = 2_ms, .bytes = 3'000'000}).build());
  CHECK(use(all, "host", "GPU 0").link_gbps.value() == Approx(3.94));
  CHECK(use(all, "host", "GPU 0").link_source == "recorded: PCIe 3.0 x4");
}

TEST_CASE("links: names of places that are no GPU make no pair") {
  TraceBuilder builder;
  for (const char* end : {"gpu:", "gpu:x", "gpu:99999999999", "switch:1", ""}) {
    builder.link({.kind = trace::LinkKind::nvlink, .from = end, .to = "gpu:1", .generation = 2, .width = 1});
  }
  CHECK(uses(builder.build()).empty());
}
