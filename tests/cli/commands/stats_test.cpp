#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

TEST_CASE("stats prints every table, and says which were not captured") {
  const TestFolder folder;
  const auto result = run_child({gputrace_program(), "stats", folder.write_trace("t.sqlite")});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, Contains("(cuda_gpu_kern_sum)") && Contains("sgemm") && Contains("10.0 ms"));
  CHECK_THAT(result.out, Contains("(cuda_gpu_mem_size_sum)") && Contains("12.0 MB"));
  CHECK_THAT(result.out, Contains("not captured: no NVTX ranges in the trace"));
}

TEST_CASE("stats --by chooses a kind or one table, --format its form") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto csv = run_child({gputrace_program(), "stats", trace, "--by", "kernel", "--format", "csv"});
  CHECK(csv.exit_status == 0);
  CHECK(csv.out ==
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Wall (%),Name,Label\n"
        "50.0,10000000,1,10000000.0,10000000.0,10000000,10000000,0.0,47.6,relu,relu\n"
        "50.0,10000000,1,10000000.0,10000000.0,10000000,10000000,0.0,47.6,sgemm,sgemm\n");
  const auto one = run_child({gputrace_program(), "stats", trace, "--by", "cuda_gpu_mem_size_sum", "--format", "json"});
  const auto tables = nlohmann::json::parse(one.out, nullptr, false);
  CHECK(tables.size() == 1);
  CHECK(tables["cuda_gpu_mem_size_sum"][0]["Total (MB)"] == 12.0);
}

TEST_CASE("stats takes tables as nsys stats does: -r with commas, -f, and the names of old versions") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto two = run_child({gputrace_program(), "stats", "-r", "cuda_gpu_sum,cuda_gpu_kern_sum", "-f", "json", trace});
  CHECK(two.exit_status == 0);
  const auto tables = nlohmann::ordered_json::parse(two.out, nullptr, false);
  REQUIRE(tables.size() == 2);
  CHECK(tables.begin().key() == "cuda_gpu_sum");  // in the order asked for
  const auto old = run_child({gputrace_program(), "stats", "--report", "gpukernsum", "-f", "csv", trace});
  const auto now = run_child({gputrace_program(), "stats", "--report", "cuda_gpu_kern_sum", "-f", "csv", trace});
  CHECK(old.exit_status == 0);
  CHECK(old.out == now.out);
  CHECK(run_child({gputrace_program(), "stats", "-r", "cuda_gpu_kern_sum,nonsense", trace}).exit_status == 2);
  const auto all = run_child({gputrace_program(), "stats", trace});
  CHECK(all.out.find("(cuda_api_trace)") == std::string::npos);  // a row per event: on request only
}

TEST_CASE("a CSV of what was not captured is an error, not an empty file") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), out = folder.file("n.csv").string();
  const auto result = run_child({gputrace_program(), "stats", trace, "--by", "nvtx", "--format", "csv", "-o", out});
  CHECK(result.exit_status == 1);
  CHECK_THAT(result.err, Contains("no NVTX ranges in the trace"));
  CHECK(folder.file_count() == 1);
}

TEST_CASE("stats and diff take the user's names for kernels from --names") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), rules = folder.file("rules").string();
  folder.write("rules", "relu | our gate\n");
  const auto stats =
      run_child({gputrace_program(), "stats", trace, "--by", "kernel", "--format", "csv", "--names", rules});
  CHECK(stats.exit_status == 0);
  CHECK_THAT(stats.out, Contains(",relu,our gate\n") && Contains(",sgemm,sgemm\n"));
  const auto diff = run_child({gputrace_program(), "diff", trace, trace, "--format", "json", "--names", rules});
  CHECK(diff.exit_status == 0);
  CHECK_THAT(diff.out, Contains("our gate"));
  const auto missing = run_child({gputrace_program(), "stats", trace, "--names", folder.file("none").string()});
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.err, Contains("cannot read the name rules"));
}
