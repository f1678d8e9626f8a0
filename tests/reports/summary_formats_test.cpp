#include "reports/summary_formats.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reports/plain_text.h"
#include "tests/support/golden.h"

using namespace gputrace;
using namespace gputrace::reports;

namespace {

const Summary kKernels{"cuda_gpu_kern_sum", "kernel", "CUDA GPU kernels", nullptr};
const Summary kCopies{"cuda_gpu_mem_time_sum", "copy", "CUDA GPU memory operations, by time", nullptr};
const std::string kHostileName = "f<\"a\", b>\n\x1b[31m\xff,=cmd()";

std::vector<MadeSummary> two_tables() {
  SummaryTable kernels;
  kernels.columns = {{"Time (%)", Quantity::percent}, {"Total Time (ns)", Quantity::time_ns},
                     {"Instances", Quantity::count}, {"Avg (ns)", Quantity::time_ns}, {"StdDev (ns)", Quantity::time_ns},
                     {"Total (MB)", Quantity::megabytes}, {"Name", Quantity::text}};
  kernels.rows = {{99.96, std::int64_t{12'345'678}, std::int64_t{4097}, 3013.3, 7.26, 0.0005, kHostileName},
                  {0.04, std::int64_t{5'000}, std::int64_t{1}, 5000.0, 0.0, 25'500.0, std::string("plain")}};
  return {{&kKernels, kernels}, {&kCopies, {.columns = {}, .rows = {}, .missing = "no copies or fills in the trace"}}};
}

}  // namespace

TEST_CASE("tables as text") {
  CHECK(tests::differs_from_golden("stats_two_tables.txt", summaries_as_text(two_tables(), {.width = 80})) == "");
  for (const char c : summaries_as_text(two_tables(), {})) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
}

TEST_CASE("tables as CSV quote what CSV must quote, and hold nothing else") {
  CHECK(summaries_as_csv(two_tables()) ==
        "Time (%),Total Time (ns),Instances,Avg (ns),StdDev (ns),Total (MB),Name\n"
        "100.0,12345678,4097,3013.3,7.3,0.001,\"f<\"\"a\"\", b>\n\x1b[31m\xEF\xBF\xBD,=cmd()\"\n"
        "0.0,5000,1,5000.0,0.0,25500.000,plain\n");
}

TEST_CASE("tables as JSON keep figures whole; a missing table is null") {
  const auto tables = nlohmann::json::parse(summaries_as_json(two_tables()));
  CHECK(tables["cuda_gpu_kern_sum"][0]["Total Time (ns)"] == 12'345'678);
  CHECK(tables["cuda_gpu_kern_sum"][0]["StdDev (ns)"] == 7.26);
  CHECK(tables["cuda_gpu_kern_sum"][1]["Name"] == "plain");
  CHECK(tables["cuda_gpu_mem_time_sum"].is_null());
}
