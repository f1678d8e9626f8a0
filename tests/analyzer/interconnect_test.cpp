#include "analyzer/interconnect.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Link pcie(const char* from, const char* to, std::int64_t bytes_per_s) {
  return {.kind = LinkKind::pcie, .from = from, .to = to, .generation = 3, .width = 16, .bytes_per_s = bytes_per_s};
}

// Two GPUs behind a switch, one on the root, NVLink between 0 and 2.
Trace machine() {
  return TraceBuilder{}
      .link(pcie("gpu:0", "switch:a", 16'000'000'000))
      .link(pcie("gpu:1", "switch:a", 16'000'000'000))
      .link(pcie("switch:a", "root:0", 12'000'000'000))
      .link(pcie("gpu:2", "root:0", 16'000'000'000))
      .link({.kind = LinkKind::nvlink, .from = "gpu:0", .to = "gpu:2", .generation = 2, .width = 2, .bytes_per_s = 50'000'000'000})
      .build();
}

}  // namespace

TEST_CASE("an uplink is shared by the GPUs behind it that copy") {
  const Trace trace = machine();
  const Interconnect interconnect(trace);
  const auto shared = interconnect.shared_uplinks({DeviceId{0}, DeviceId{1}, DeviceId{2}});
  REQUIRE(shared.size() == 2);
  CHECK(shared.at(DeviceId{0}).gpus == 2);
  CHECK(shared.at(DeviceId{0}).bytes_per_s == 12e9);
  CHECK(interconnect.shared_uplinks({DeviceId{0}, DeviceId{2}}).empty());
  CHECK(interconnect.narrowest(DeviceId{0})->bytes_per_s == 12'000'000'000);
  CHECK(interconnect.narrowest(DeviceId{7}) == nullptr);
}

TEST_CASE("what joins two GPUs: NVLink, else the edges below their common switch, else those to the root") {
  const Trace trace = machine();
  const Interconnect interconnect(trace);
  CHECK(interconnect.between(DeviceId{2}, DeviceId{0})->kind == "NVLink 2.0 x2");
  CHECK(interconnect.between(DeviceId{0}, DeviceId{1})->bytes_per_s == 16e9);
  CHECK(interconnect.between(DeviceId{1}, DeviceId{2})->bytes_per_s == 12e9);
  CHECK_FALSE(interconnect.between(DeviceId{0}, DeviceId{9}));
  CHECK(interconnect.between(DeviceId{2}, DeviceId{0})->link == LinkKind::nvlink);
  CHECK(interconnect.between(DeviceId{0}, DeviceId{1})->meets_at == "switch:a");
  CHECK(interconnect.between(DeviceId{1}, DeviceId{2})->meets_at == "root:0");
}

TEST_CASE("edges that form a ring, name no GPU or have no rate end a walk") {
  const Trace trace = TraceBuilder{}
                          .link(pcie("gpu:0", "switch:a", 0))
                          .link(pcie("switch:a", "switch:b", 0))
                          .link(pcie("switch:b", "switch:a", 0))
                          .link(pcie("gpu:x", "switch:a", 1))
                          .link(pcie("gpu:99999999999", "switch:a", 1))
                          .build();
  const Interconnect interconnect(trace);
  CHECK(interconnect.is_recorded(DeviceId{0}));
  CHECK(interconnect.narrowest(DeviceId{0}) == nullptr);
  CHECK(interconnect.shared_uplinks({DeviceId{0}}).empty());
}
