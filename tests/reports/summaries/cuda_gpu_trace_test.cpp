#include <catch2/catch.hpp>

#include "reports/summary_formats.h"
#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

trace::Trace kernel_and_copy() {
  return TraceBuilder{}
      .gpu({.device = trace::DeviceId{1}, .name = "Tesla V100"})
      .kernel({.start = 500,
               .end = 900,
               .name = "sgemm",
               .device = 1,
               .stream = 13,
               .grid = {4, 2, 1},
               .block = {128, 1, 1},
               .registers = 40,
               .correlation = 7})
      .copy({.start = 100, .end = 300, .bytes = 2'000, .correlation = 5})
      .build();
}

}  // namespace

TEST_CASE("the trace of GPU activities is in order of time, each with the cells that apply to it") {
  const auto table = make_summary("cuda_gpu_trace", kernel_and_copy());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Name") == "[CUDA memcpy Host-to-Device]");
  CHECK(cell(table, 0, "Start (ns)") == "100");
  CHECK(cell(table, 0, "Throughput (MB/s)") == "10000");
  CHECK(cell(table, 0, "SrcMemKd") == "pageable");
  CHECK(cell(table, 0, "Device") == "0");  // no name was captured
  CHECK(cell(table, 1, "Name") == "sgemm");
  CHECK(cell(table, 1, "Duration (ns)") == "400");
  CHECK(cell(table, 1, "CorrId") == "7");
  CHECK(cell(table, 1, "GrdX") == "4");
  CHECK(cell(table, 1, "BlkX") == "128");
  CHECK(cell(table, 1, "Reg/Trd") == "40");
  CHECK(cell(table, 1, "Device") == "Tesla V100 (1)");
  CHECK(cell(table, 1, "Strm") == "13");
}

TEST_CASE("what does not apply to an activity is empty, not zero") {
  const auto* summary =
      *std::find_if(reports::summaries().begin(), reports::summaries().end(),
                    [](const auto* one) { return std::string_view(one->name) == "cuda_gpu_trace"; });
  CHECK(summary->on_request);
  gputrace::analyzer::Explainer explainer;
  const std::string csv = reports::summaries_as_csv({{summary, summary->make(kernel_and_copy(), explainer)}});
  CHECK_THAT(
      csv, Catch::Contains(
               "\n100,200,5,,,,,,,,,,0.002,10000.000,pageable,device,0,1,7,[CUDA memcpy Host-to-Device],\n"));
  const std::string json = reports::summaries_as_json({{summary, summary->make(kernel_and_copy(), explainer)}});
  CHECK_THAT(json, Catch::Contains("\"GrdX\": null"));
}

TEST_CASE("a copy without a length has no throughput, and no activity no table") {
  const auto table =
      make_summary("cuda_gpu_trace", TraceBuilder{}.copy({.start = 5, .end = 5, .bytes = 9}).build());
  CHECK(std::holds_alternative<std::monostate>(table.rows.at(0).at(13)));
  CHECK(make_summary("cuda_gpu_trace", TraceBuilder{}.build()).missing ==
        "no kernels, copies or fills in the trace");
}
