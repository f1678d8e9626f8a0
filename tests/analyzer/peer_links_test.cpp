#include "analyzer/peer_links.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

constexpr std::int64_t kBytes = 40'000'000;

CopyEvent peer_copy(int from, int to, double gbps, std::int64_t start, std::int64_t bytes = kBytes) {
  const auto ns = static_cast<std::int64_t>(static_cast<double>(bytes) / gbps);
  return {.start = start, .end = start + ns, .bytes = bytes, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .device = from, .from = from, .to = to};
}

std::vector<PeerLink> look(const Trace& trace) {
  const Interconnect interconnect(trace);
  auto peers = peer_traffic(trace, trace.span());
  find_link_kinds(trace, interconnect, peers);
  return peers;
}

PeerLink one_pair(double gbps, int compute_major, int compute_minor = 0) {
  TraceBuilder builder;
  if (compute_major > 0) builder.gpu({.device = {0}, .compute_major = compute_major, .compute_minor = compute_minor});
  const auto peers = look(builder.copy(peer_copy(0, 1, gbps, 0)).build());
  REQUIRE(peers.size() == 1);
  return peers[0];
}

}  // namespace

TEST_CASE("peers: each pair has its own row and rate") {
  const auto peers = look(TraceBuilder{}
                              .copy(peer_copy(0, 1, 90, 0))
                              .copy(peer_copy(0, 1, 80, 10_ms))
                              .copy(peer_copy(0, 4, 45, 20_ms))
                              .copy(peer_copy(0, 2, 7.5, 30_ms))
                              .copy({.start = 60_ms, .end = 61_ms, .bytes = 5})  // to the host: none between GPUs
                              .build());
  REQUIRE(peers.size() == 3);
  CHECK(peers[0].to == DeviceId{2});
  CHECK(peers[0].kind == "PCIe");
  CHECK(peers[1].to == DeviceId{1});
  CHECK(peers[1].kind == "NVLink x4");
  CHECK(peers[1].source == "inferred");
  CHECK(*peers[1].best_gbps == Approx(90).epsilon(0.001));
  CHECK(*peers[1].gbps == Approx(84.7).epsilon(0.01));
  CHECK(*peers[1].link_gbps == Approx(100));
  CHECK(peers[2].kind == "NVLink x2");  // a pair of this machine is faster than PCIe can be
}

TEST_CASE("peers: the same rate without such a pair is not told apart") {
  CHECK(one_pair(45, 0).kind == "unknown");
  CHECK(one_pair(45, 0).source == "best seen");
  CHECK(one_pair(15.7, 0).kind == "PCIe");
  CHECK(one_pair(15.8, 0).kind == "unknown");
  CHECK(one_pair(62.9, 0).kind == "unknown");
  CHECK(one_pair(63.1, 0).kind == "NVLink");
}

TEST_CASE("peers: the generation of GPUs says how fast PCIe and NVLink can be") {
  CHECK(one_pair(15.7, 7).kind == "PCIe");
  CHECK(one_pair(22, 7).kind == "NVLink 2.0 x1");
  CHECK(one_pair(45, 7).kind == "NVLink 2.0 x2");
  CHECK(one_pair(31, 8).kind == "PCIe");
  CHECK(one_pair(45, 9).kind == "PCIe");
  CHECK(one_pair(400, 9).kind == "NVLink 4.0");  // 17 or 18 of them: the number is not told
  CHECK(one_pair(25, 8, 9).kind == "PCIe");
  CHECK(one_pair(45, 8, 9).kind == "unknown");  // faster than that generation's PCIe, and it has no NVLink
}

TEST_CASE("peers: recorded links go before what a rate suggests") {
  const auto peers = look(TraceBuilder{}
                              .gpu({.device = {0}, .compute_major = 7})
                              .link({.kind = LinkKind::nvlink, .from = "gpu:0", .to = "gpu:1", .generation = 2, .width = 1, .bytes_per_s = 25'000'000'000})
                              .copy(peer_copy(1, 0, 10, 0))
                              .build());
  CHECK(peers.at(0).kind == "NVLink 2.0 x1");
  CHECK(peers.at(0).source == "recorded");
  CHECK(*peers.at(0).link_gbps == Approx(25));
}

TEST_CASE("peers: small copies say nothing of the link, and sizes that were not captured give no rate") {
  const auto small = look(TraceBuilder{}.copy(peer_copy(0, 1, 10, 0, 1000)).build());
  CHECK(small.at(0).kind == "unknown");
  CHECK_FALSE(small.at(0).best_gbps);
  CHECK(small.at(0).gbps);
  const auto unknown = look(TraceBuilder{}.copy({.start = 0, .end = 5_ms, .kind = CopyKind::peer_to_peer, .from = 0, .to = 1}).build());
  CHECK_FALSE(unknown.at(0).gbps);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1}).build()).empty());
}
