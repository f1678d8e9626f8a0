#include "analyzer/nearest_bound.h"

#include <catch2/catch.hpp>

#include "analyzer/analyze.h"
#include "tests/analyzer/rules/kernel_names.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

NearestBound bound_of(const Trace& trace) { return nearest_bound(trace, measure(trace)); }

}  // namespace

TEST_CASE("nearest bound: arithmetic or memory, by what the kernels are, and how far it is") {
  const Trace products = TraceBuilder{}.kernel({.start = 0, .end = 90_ms, .name = kSgemm}).kernel({.start = 95_ms, .end = 100_ms, .name = kPadding}).build();
  CHECK(bound_of(products).kind == "compute");
  CHECK(bound_of(products).share == Approx(0.95));
  CHECK(bound_of(products).sentence.find("It is 5.0 % away") != std::string::npos);
  const Trace padding = TraceBuilder{}.kernel({.start = 0, .end = 40_ms, .name = kSgemm}).kernel({.start = 40_ms, .end = 100_ms, .name = kPadding}).build();
  CHECK(bound_of(padding).kind == "memory");
  CHECK(bound_of(padding).sentence.find("It is reached") != std::string::npos);
}

TEST_CASE("nearest bound: the link or other GPUs, where those are busier than the kernels") {
  const Trace copies = TraceBuilder{}.kernel({.start = 0, .end = 10_ms, .name = kSgemm}).copy({.start = 10_ms, .end = 100_ms, .bytes = 1'000'000'000}).build();
  CHECK(bound_of(copies).kind == "link");
  const Trace collectives = TraceBuilder{}.kernel({.start = 0, .end = 10_ms, .name = kSgemm}).kernel({.start = 10_ms, .end = 100_ms, .name = kAllReduce}).build();
  CHECK(bound_of(collectives).kind == "communication");
  CHECK(bound_of(TraceBuilder{}.gpu({.device = DeviceId{0}}).build()).kind.empty());
}

TEST_CASE("a healthy run has no finding above info, and says what bounds it") {
  TraceBuilder builder;
  for (int step = 0; step < 6; ++step) {
    builder.kernel({.start = step * 10_ms, .end = step * 10_ms + 9'950_us, .name = kTensorCoreGemm});
    builder.step(step * 10_ms, (step + 1) * 10_ms);
  }
  const Diagnosis diagnosis = analyze(builder.build());
  for (const Finding& finding : diagnosis.findings) {
    INFO(finding.rule);
    CHECK((finding.verdict != Verdict::found || finding.severity == Severity::info));
  }
  CHECK(diagnosis.nearest_bound.kind == "compute");
}
