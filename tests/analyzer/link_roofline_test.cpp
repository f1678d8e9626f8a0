#include "analyzer/link_roofline.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

LinkRoofline look(const Trace& trace) { return link_roofline(trace, measure(trace)); }

const LinkUse& use_of(const LinkRoofline& roofline, int device, const std::string& size) {
  for (const LinkUse& use : roofline.uses) {
    if (use.device.value == device && use.size == size) return use;
  }
  FAIL("no row of GPU " << device << ", " << size);
  return roofline.uses.front();
}

// Copies of `bytes` at `gbps`, one after the other with a pause between, from `start` on.
void add_copies(TraceBuilder& builder, int device, CopyKind kind, double gbps, std::int64_t start, int count = 5, std::int64_t bytes = 10'000'000) {
  const auto ns = static_cast<std::int64_t>(static_cast<double>(bytes) / gbps);
  const bool to_host = kind == CopyKind::device_to_host;
  for (int n = 0; n < count; ++n, start += ns + 1000) {
    builder.copy({.start = start, .end = start + ns, .bytes = bytes, .kind = kind, .source = to_host ? MemoryKind::device : MemoryKind::pinned,
                  .destination = to_host ? MemoryKind::pinned : MemoryKind::device, .device = device});
  }
}

// Each GPU copies both ways on its own, one GPU after the other.
struct Rates {
  double to_device, from_device;
};
LinkRoofline machine(const std::vector<Rates>& gpus) {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const auto start = static_cast<std::int64_t>(gpu) * 1_s;
    add_copies(builder, static_cast<int>(gpu), CopyKind::host_to_device, gpus[gpu].to_device, start);
    add_copies(builder, static_cast<int>(gpu), CopyKind::device_to_host, gpus[gpu].from_device, start + 500_ms);
  }
  return look(builder.build());
}

}  // namespace

TEST_CASE("link roofline: copies are told apart by size, just below and just at each limit") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  std::int64_t start = 10;
  for (const std::int64_t bytes : {0LL, 1LL, 65535LL, 65536LL, 1048575LL, 1048576LL, 16777215LL, 16777216LL}) {
    builder.copy({.start = start, .end = start + 1_ms, .bytes = bytes, .source = MemoryKind::pinned});
    start += 1_ms;
  }
  const LinkRoofline roofline = look(builder.build());
  REQUIRE(roofline.uses.size() == 5);
  for (const char* size : {"below 64 KiB", "64 KiB to 1 MiB", "1 to 16 MiB"}) CHECK(use_of(roofline, 0, size).count == 2);
  CHECK(use_of(roofline, 0, "from 16 MiB").count == 1);
  CHECK(use_of(roofline, 0, "not captured").count == 1);
  CHECK_FALSE(use_of(roofline, 0, "not captured").gbps);
  CHECK(*use_of(roofline, 0, "from 16 MiB").gbps == Approx(16.777216));
}

TEST_CASE("link roofline: a copy is exposed while no kernel runs on its GPU; without kernels it is not known") {
  const auto with_kernels = TraceBuilder{}
                                .kernel({.start = 0_ms, .end = 12_ms})
                                .kernel({.start = 10_ms, .end = 14_ms, .device = 1})
                                .copy({.start = 10_ms, .end = 20_ms, .bytes = 100})
                                .build();
  CHECK(*look(with_kernels).uses.at(0).exposed_ns == 8_ms);
  const auto without = TraceBuilder{}.copy({.start = 10_ms, .end = 20_ms, .bytes = 100}).build();
  CHECK_FALSE(look(without).uses.at(0).exposed_ns);
}

TEST_CASE("link roofline: what is possible says where it is from") {
  const auto of = [](double gbps, bool recorded) {
    TraceBuilder builder;
    builder.kernel({.start = 0, .end = 1});
    if (recorded) builder.link({.from = "gpu:0", .to = "root:0", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
    add_copies(builder, 0, CopyKind::host_to_device, gbps, 10);
    return look(builder.build()).uses.at(0);
  };
  CHECK(of(12.5, true).link_source == "recorded: PCIe 3.0 x16");
  CHECK(*of(12.5, true).link_gbps == Approx(15.75));
  CHECK(of(12.5, false).link_source == "the rate of a PCIe 3.0 x16 link");
  CHECK(of(2.5, false).link_source == "best seen");
  CHECK(*of(2.5, false).link_gbps == Approx(2.5));
}

TEST_CASE("link roofline: the rate of pageable copies says nothing of the link; that of pinned ones says it for both directions") {
  TraceBuilder pageable;
  pageable.kernel({.start = 0, .end = 1});
  pageable.copy({.start = 10, .end = 10 + 1_ms, .bytes = 6'300'000, .source = MemoryKind::pageable});
  CHECK(look(pageable.build()).uses.at(0).link_source == "best seen, of pageable memory");
  TraceBuilder both;
  both.kernel({.start = 0, .end = 1});
  both.copy({.start = 10, .end = 10 + 1_ms, .bytes = 6'300'000, .source = MemoryKind::pageable});
  add_copies(both, 0, CopyKind::device_to_host, 12.5, 10_ms);
  for (const LinkUse& use : look(both.build()).uses) CHECK(use.link_source == "the rate of a PCIe 3.0 x16 link");
}

TEST_CASE("link roofline: GPUs behind one switch leave each other half, and the time that they copy together is counted") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  for (const char* gpu : {"gpu:0", "gpu:1"}) builder.link({.from = gpu, .to = "switch:a", .generation = 3, .width = 16, .bytes_per_s = 16'000'000'000});
  builder.link({.from = "switch:a", .to = "root:0", .generation = 3, .width = 16, .bytes_per_s = 16'000'000'000});
  builder.link({.from = "gpu:2", .to = "root:0", .generation = 3, .width = 16, .bytes_per_s = 16'000'000'000});
  builder.copy({.start = 10_ms, .end = 20_ms, .bytes = 80'000'000, .device = 0});
  builder.copy({.start = 14_ms, .end = 24_ms, .bytes = 80'000'000, .device = 1});
  builder.copy({.start = 10_ms, .end = 20_ms, .bytes = 80'000'000, .device = 2});
  const LinkRoofline roofline = look(builder.build());
  const LinkUse& shared = use_of(roofline, 0, "from 16 MiB");
  CHECK(shared.shared_by == 2);
  CHECK(*shared.shared_gbps == Approx(8));
  CHECK(shared.beside_ns == 6_ms);
  const LinkUse& own = use_of(roofline, 2, "from 16 MiB");
  CHECK(own.shared_by == 1);
  CHECK_FALSE(own.shared_gbps);
  CHECK(own.beside_ns == 0);
}

TEST_CASE("link faults: both directions slow by the same factor is the link's width") {
  const LinkRoofline roofline = machine({{11.76, 12.70}, {3.11, 3.21}});
  REQUIRE(roofline.faults.size() == 1);
  CHECK(roofline.faults[0].device == DeviceId{1});
  CHECK(roofline.faults[0].kind == "narrow link");
  CHECK(*roofline.faults[0].to_device_factor == Approx(3.78).epsilon(0.01));
  CHECK(*use_of(roofline, 1, "1 to 16 MiB").of_others < 0.3);
}

TEST_CASE("link faults: directions slow by different factors are the far socket") {
  const LinkRoofline roofline = machine({{12.2, 12.9}, {3.8, 2.5}});
  REQUIRE(roofline.faults.size() == 1);
  CHECK(roofline.faults[0].kind == "far socket");
}

TEST_CASE("link faults: several GPUs slow by one factor are the far socket; by factors of their own, their links") {
  const LinkRoofline far = machine({{12, 12.5}, {12.1, 12.4}, {6.1, 6.2}, {6, 6.3}});
  REQUIRE(far.faults.size() == 2);
  CHECK(far.faults[0].kind == "far socket");
  CHECK(far.faults[1].kind == "far socket");
  const LinkRoofline own = machine({{12, 12.5}, {12.1, 12.4}, {6.1, 6.2}, {3, 3.1}});
  REQUIRE(own.faults.size() == 2);
  CHECK(own.faults[0].kind == "narrow link");
}

TEST_CASE("link faults: found from one and a half times as slow on") {
  CHECK(machine({{12, 12}, {12, 12}, {8.1, 8.1}}).faults.empty());
  CHECK(machine({{12, 12}, {12, 12}, {7.9, 7.9}}).faults.size() == 1);
}

TEST_CASE("link faults: one direction only cannot tell lanes from the socket; GPUs of one kind of copy are not compared with others") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  add_copies(builder, 0, CopyKind::host_to_device, 12, 0);
  add_copies(builder, 1, CopyKind::host_to_device, 3, 1_s);
  CHECK(look(builder.build()).faults.at(0).kind == "slow link");

  TraceBuilder different;
  different.kernel({.start = 0, .end = 1});
  add_copies(different, 0, CopyKind::host_to_device, 12, 0, 5, 10'000'000);
  add_copies(different, 1, CopyKind::host_to_device, 3, 1_s, 5, 100'000);
  CHECK(look(different.build()).faults.empty());
}

TEST_CASE("link faults: a GPU that only ever copied beside another one is not called slow for sharing the link") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  add_copies(builder, 0, CopyKind::host_to_device, 12, 0, 8);
  add_copies(builder, 0, CopyKind::host_to_device, 6, 1_s, 5);
  add_copies(builder, 1, CopyKind::host_to_device, 6, 1_s, 5);
  CHECK(look(builder.build()).faults.empty());
}

TEST_CASE("link faults: a recorded narrow link is named") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  builder.link({.from = "gpu:0", .to = "root:0", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  builder.link({.from = "gpu:1", .to = "root:0", .generation = 3, .width = 4, .bytes_per_s = 3'940'000'000});
  add_copies(builder, 0, CopyKind::host_to_device, 12, 0);
  add_copies(builder, 1, CopyKind::host_to_device, 3.1, 1_s);
  const LinkRoofline roofline = look(builder.build());
  REQUIRE(roofline.faults.size() == 1);
  CHECK(roofline.faults[0].kind == "narrow link");
  CHECK(roofline.faults[0].text.find("PCIe 3.0 x4") != std::string::npos);
}

TEST_CASE("link roofline: rows are bounded, and those left out are counted") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 1});
  for (int device = 0; device < 300; ++device) {
    builder.copy({.start = 10, .end = 20 + device, .bytes = 100, .device = device});
    builder.copy({.start = 10, .end = 20 + device, .bytes = 100, .kind = CopyKind::peer_to_peer, .device = device, .from = device, .to = device + 1});
  }
  const LinkRoofline roofline = look(builder.build());
  CHECK(roofline.uses.size() == kMaxLinkRows);
  CHECK(roofline.peers.size() == kMaxLinkRows);
  CHECK(roofline.left_out == 200);
  CHECK(roofline.uses.front().device == DeviceId{299});
}

TEST_CASE("link roofline: nothing to say without copies") {
  const LinkRoofline roofline = look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build());
  CHECK(roofline.uses.empty());
  CHECK(roofline.peers.empty());
  CHECK(roofline.faults.empty());
}
