#include "analyzer/analyze.h"

#include <catch2/catch.hpp>
#include <optional>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::CopyKind;
using gputrace::trace::MemoryKind;

TEST_CASE("the user's own names and classes hold in the report, and decide what communication is") {
  const auto diagnose = [](const std::vector<NameRule>& rules) {
    return analyze(TraceBuilder{}.kernel({.start = 0_ms, .end = 10_ms, .name = "my_ring_exchange"}).build(), rules);
  };
  const Diagnosis without = diagnose({});
  CHECK(without.kernels.at(0).op_class == "other");
  CHECK(without.devices.at(0).parts.at(0).key == "compute");
  const Diagnosis with = diagnose({{.pattern = "my_ring_*", .label = "ring exchange", .op_class = "communication"}});
  CHECK(with.kernels.at(0).label.find("ring exchange") != std::string::npos);
  CHECK(with.kernels.at(0).op_class == "communication");
  CHECK(with.devices.at(0).parts.at(0).key == "communication");
}

TEST_CASE("copies that are too small for the link are not held against it, from 64 KiB on they are") {
  const auto link_of = [](std::int64_t bytes) {
    TraceBuilder builder;
    builder.kernel({.start = 0, .end = 1_ms}).copy({.start = 1_ms, .end = 2_ms, .bytes = 12'500'000, .source = MemoryKind::pinned});
    builder.copy({.start = 3_ms, .end = 4_ms, .bytes = bytes, .kind = CopyKind::device_to_host, .source = MemoryKind::device, .destination = MemoryKind::pinned});
    for (const CopyReport& copy : analyze(builder.build()).copies)
      if (copy.direction == "device to host") return copy.link_gbps;
    return std::optional<double>{};
  };
  CHECK_FALSE(link_of(65'535));
  CHECK(link_of(65'536).value_or(0) == Approx(15.75));
}
