#include "analyzer/launchless_ops.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

// A thread that launches, and an op of `ns` that begins at 1 ms; `call_at`: of a further launch.
TraceBuilder loop_with(std::string_view text, std::int64_t ns, std::int64_t call_at = 500_us) {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 5_us, .correlation = 3}).kernel({.start = 10_us, .end = 20_us, .correlation = 3});
  builder.api({.start = call_at, .end = call_at + 5_us, .correlation = 1}).kernel({.start = call_at + 10_us, .end = call_at + 20_us, .correlation = 1});
  builder.api({.start = 8_ms, .end = 8_ms + 5_us, .correlation = 2}).kernel({.start = 9_ms, .end = 10_ms, .correlation = 2});
  builder.range({.start = 1_ms, .end = 1_ms + ns, .text = text, .domain = "cpu_op"});
  return builder;
}

std::vector<std::size_t> rows_of(const Trace& trace) { return find_launchless_ops(trace, measure(trace)); }

}  // namespace

TEST_CASE("a long op of PyTorch that makes no CUDA call on a thread that launches is one") {
  CHECK(rows_of(loop_with("aten::mm", 200_us).build()).size() == 1);
  CHECK(rows_of(loop_with("aten::mm", 199_us).build()).empty());
  CHECK(rows_of(loop_with("backward", 5_ms).build()).empty());
}

TEST_CASE("an op that asks for work, or lies on a thread that never does, is none") {
  CHECK(rows_of(loop_with("aten::mm", 2_ms, 2_ms).build()).empty());
  CHECK(rows_of(loop_with("aten::mm", 2_ms, 3_ms).build()).size() == 1);
  TraceBuilder builder = loop_with("aten::view", 10_us);
  builder.range({.start = 1_ms, .end = 5_ms, .text = "aten::stack", .domain = "cpu_op", .thread = 1});
  CHECK(rows_of(builder.build()).empty());
}

TEST_CASE("of nested ops the outermost that asks for nothing") {
  TraceBuilder builder = loop_with("aten::conv2d", 3_ms);
  builder.range({.start = 1_ms + 10_us, .end = 3_ms, .text = "aten::mkldnn_convolution", .domain = "cpu_op"});
  const Trace trace = builder.build();
  const auto rows = rows_of(trace);
  REQUIRE(rows.size() == 1);
  CHECK(trace.text(trace.nvtx.text[rows[0]]) == "aten::conv2d");
}

TEST_CASE("ops that load a batch belong on the CPU") {
  TraceBuilder builder = loop_with("aten::stack", 3_ms);
  builder.range({.start = 900_us, .end = 5_ms, .text = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", .domain = "user_annotation"});
  CHECK(rows_of(builder.build()).empty());
}

TEST_CASE("without CUDA calls nobody knows what an op asked for") {
  CHECK(rows_of(TraceBuilder{}.kernel({.start = 0, .end = 9_ms}).range({.start = 1_ms, .end = 5_ms, .text = "aten::mm", .domain = "cpu_op"}).build()).empty());
}
