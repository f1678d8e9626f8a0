#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;
using gputrace::trace::CopyKind;

namespace {

gputrace::trace::Trace three_copies() {
  return TraceBuilder{}
      .copy({.start = 0, .end = 10, .bytes = 3'000'000})
      .copy({.start = 10, .end = 40, .bytes = 1'000'000})
      .copy({.start = 40, .end = 50, .bytes = 500, .kind = CopyKind::peer_to_peer})
      .build();
}

}  // namespace

TEST_CASE("copies are summed by direction, by time") {
  const auto table = make_summary("cuda_gpu_mem_time_sum", three_copies());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Operation") == "[CUDA memcpy Host-to-Device]");
  CHECK(cell(table, 0, "Total Time (ns)") == "40");
  CHECK(cell(table, 0, "Count") == "2");
  CHECK(cell(table, 0, "Time (%)") == "80");
  CHECK(cell(table, 1, "Operation") == "[CUDA memcpy Peer-to-Peer]");
}

TEST_CASE("copies are summed by direction, by size in decimal megabytes") {
  const auto table = make_summary("cuda_gpu_mem_size_sum", three_copies());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Total (MB)") == "4");
  CHECK(cell(table, 0, "Med (MB)") == "2");  // the mean of the middle two
  CHECK(cell(table, 1, "Max (MB)") == "0.0005");
}

TEST_CASE("copies that were not captured are not an empty table") {
  CHECK(make_summary("cuda_gpu_mem_time_sum", TraceBuilder{}.build()).missing == "no copies or fills in the trace");
  CHECK(make_summary("cuda_gpu_mem_size_sum", TraceBuilder{}.build()).missing == "no copies or fills in the trace");
}
