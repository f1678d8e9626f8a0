#include "analyzer/host_links.h"

#include <catch2/catch.hpp>

#include "analyzer/link_roofline.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// A millisecond at that rate.
TraceBuilder copy_at(double gbps, MemoryKind memory = MemoryKind::pinned) {
  TraceBuilder builder;
  builder.copy({.start = 0, .end = 1_ms, .bytes = static_cast<std::int64_t>(gbps * 1e6), .source = memory});
  return builder;
}

std::optional<LinkLimit> to_device(const Trace& trace) { return host_link_limit(trace, DeviceId{0}, CopyKind::host_to_device); }

}  // namespace

TEST_CASE("the link's limit is recorded: the narrowest edge up to the root") {
  auto builder = copy_at(3);
  builder.link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "switch:1", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  builder.link({.kind = LinkKind::pcie, .from = "switch:1", .to = "root:0", .generation = 3, .width = 8, .bytes_per_s = 7'880'000'000});
  const auto limit = to_device(builder.build());
  REQUIRE(limit);
  CHECK(limit->bytes_per_s == Approx(7.88e9));
  CHECK(limit->source == "recorded: PCIe 3.0 x8");
  CHECK(limit->pinned_bytes_per_s() == Approx(0.8 * 7.88e9));
}

TEST_CASE("the link's limit: a loop of links does not hang") {
  auto builder = copy_at(3);
  builder.link({.from = "gpu:0", .to = "switch:1", .bytes_per_s = 5}).link({.from = "switch:1", .to = "gpu:0", .bytes_per_s = 4});
  CHECK(to_device(builder.build())->bytes_per_s == 4);
}

TEST_CASE("the link's limit is that of a common link from three quarters of its rate on, else the best seen") {
  CHECK(to_device(copy_at(27.7).build())->bytes_per_s == Approx(31.5e9));
  CHECK(to_device(copy_at(11.9).build())->source == "the rate of a PCIe 3.0 x16 link");  // 75.6 %
  const auto seen = to_device(copy_at(11.7).build());                                    // 74.3 %
  CHECK(seen->source == "best seen");
  CHECK(seen->bytes_per_s == Approx(11.7e9));
  CHECK(seen->pinned_bytes_per_s() == Approx(11.7e9));  // a copy had it
}

TEST_CASE("the link's limit: copies of pageable memory say nothing of the link, pinned ones say it for both directions") {
  const auto pageable = to_device(copy_at(6.3, MemoryKind::pageable).build());  // 80 % of PCIe 3.0 x8
  CHECK(pageable->source == "best seen, of pageable memory");
  CHECK_FALSE(pageable->tells_of_link());
  auto builder = copy_at(6.3, MemoryKind::pageable);
  builder.copy({.start = 2_ms, .end = 3_ms, .bytes = 12'500'000, .kind = CopyKind::device_to_host, .source = MemoryKind::device, .destination = MemoryKind::pinned});
  CHECK(to_device(builder.build())->source == "the rate of a PCIe 3.0 x16 link");
}

TEST_CASE("the link's limit: small copies say nothing, nor do copies that take another way") {
  TraceBuilder builder;
  builder.copy({.start = 0, .end = 1_us, .bytes = 1000}).copy({.start = 1_ms, .end = 2_ms, .bytes = 30'000'000, .kind = CopyKind::peer_to_peer, .to = 1});
  const Trace trace = builder.build();
  CHECK_FALSE(to_device(trace));
  CHECK_FALSE(host_link_limit(trace, DeviceId{0}, CopyKind::peer_to_peer));
  CHECK_FALSE(host_link_limit(trace, DeviceId{0}, CopyKind::device_to_device));
}

TEST_CASE("the link's limit is the same in the table of links and for rules, also where the steps show less than the whole trace") {
  TraceBuilder builder;
  builder.copy({.start = 0, .end = 1_ms, .bytes = 12'500'000, .source = MemoryKind::pinned});  // before the steps
  for (std::int64_t step = 1; step <= 4; ++step) {
    builder.step(step * 10_ms, (step + 1) * 10_ms).kernel({.start = step * 10_ms, .end = step * 10_ms + 5_ms});
    builder.copy({.start = step * 10_ms + 5_ms, .end = step * 10_ms + 6_ms, .bytes = 5'000'000, .source = MemoryKind::pageable});
  }
  const Trace trace = builder.build();
  const LinkUse use = link_roofline(trace, measure(trace)).uses.at(0);
  CHECK(*use.link_gbps == Approx(to_device(trace)->bytes_per_s / 1e9));
  CHECK(use.link_source == to_device(trace)->source);
  CHECK(use.link_source == "the rate of a PCIe 3.0 x16 link");
}
