#include "analyzer/analyze.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;

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
