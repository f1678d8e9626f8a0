#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;
using gputrace::trace::Table;

TEST_CASE("kernels are summed by name, the largest total first") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0, .end = 10, .name = "small"})
                         .kernel({.start = 100, .end = 200, .name = "large"})
                         .kernel({.start = 200, .end = 500, .name = "large"})
                         .kernel({.start = 500, .end = 1000, .name = "large", .device = 1})
                         .build();
  const auto table = make_summary("cuda_gpu_kern_sum", trace);
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Name") == "large");
  CHECK(cell(table, 0, "Total Time (ns)") == "900");
  CHECK(cell(table, 0, "Instances") == "3");
  CHECK(cell(table, 0, "Avg (ns)") == "300");
  CHECK(cell(table, 0, "Med (ns)") == "300");
  CHECK(cell(table, 0, "Min (ns)") == "100");
  CHECK(cell(table, 0, "Max (ns)") == "500");
  CHECK(cell(table, 0, "StdDev (ns)") == "200");
  CHECK(cell(table, 0, "Wall (%)") == "90");
  CHECK(cell(table, 1, "Time (%)") == "1.098901099");
  CHECK(cell(table, 1, "StdDev (ns)") == "0");  // of one value
}

TEST_CASE("kernels that were not captured are not an empty table") {
  CHECK(make_summary("cuda_gpu_kern_sum", TraceBuilder{}.build()).missing == "no kernels in the trace");
  const auto table = make_summary("cuda_gpu_kern_sum", TraceBuilder{}.captured(Table::kernels).build());
  CHECK(table.missing.empty());
  CHECK(table.rows.empty());
  CHECK_FALSE(table.columns.empty());
}

TEST_CASE("tables show what a kernel does, by the user's rules before what we know") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0, .end = 10, .name = "ampere_sgemm_128x64_nn"})
                         .kernel({.start = 10, .end = 12, .name = "frobnicate"})
                         .build();
  CHECK(cell(make_summary("cuda_gpu_kern_sum", trace), 0, "Label") == "cublas: gemm 128x64 nn");
  CHECK(cell(make_summary("cuda_gpu_kern_sum", trace), 1, "Label") == "frobnicate");
  const std::vector<gputrace::analyzer::NameRule> rules{{"frob*", "our exchange", "communication"}};
  CHECK(cell(make_summary("cuda_gpu_kern_sum", trace, rules), 0, "Label") == "cublas: gemm 128x64 nn");
  CHECK(cell(make_summary("cuda_gpu_kern_sum", trace, rules), 1, "Label") == "our exchange");
  CHECK(cell(make_summary("cuda_gpu_trace", trace, rules), 1, "Label") == "our exchange");
}
