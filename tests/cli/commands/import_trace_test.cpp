#include <catch2/catch.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

namespace {

// A rank of a job as PyTorch's profiler writes it: one kernel, and an all-reduce that ends at 9 ms of its own clock.
std::string rank(int number, int clock_us) {
  const auto kernel = [&](const char* name, int start_us, int length_us) {
    return R"({"ph": "X", "cat": "kernel", "name": ")" + std::string(name) + R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(clock_us + start_us) +
           R"(, "dur": )" + std::to_string(length_us) + R"(, "args": {"device": 0, "stream": 7}})";
  };
  return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(number) + R"(, "world_size": 2}, "traceEvents": [)" +
         R"({"ph": "X", "cat": "cpu_op", "name": "forward", "pid": 50, "tid": 50, "ts": )" + std::to_string(clock_us) + R"(, "dur": 9},)" +
         kernel("conv", 1000, 2000) + "," + kernel("ncclKernel_AllReduce_RING_LL_Sum_float", 3000, 6000) + "]}";
}

}  // namespace

TEST_CASE("import makes a trace of a foreign file, and says what is in it") {
  const TestFolder folder;
  folder.write("r0.json", rank(0, 0));
  const std::string out = folder.file("t.sqlite").string();
  const auto imported = run_child({gputrace_program(), "import", folder.file("r0.json").string(), "-o", out});
  INFO(imported.err);
  CHECK(imported.exit_status == 0);
  CHECK(imported.out.empty());
  CHECK_THAT(imported.err, Contains("2 kernels, 0 copies, 0 API calls, 1 ranges"));
  const auto stats = run_child({gputrace_program(), "stats", out, "--by", "kernel", "--format", "csv"});
  CHECK(stats.exit_status == 0);
  CHECK_THAT(stats.out, Contains(",conv,conv"));
  const auto again = run_child({gputrace_program(), "import", folder.file("r0.json").string(), "-o", out});
  CHECK(again.exit_status == 1);
  CHECK_THAT(again.err, Contains("exists already"));
}

TEST_CASE("files of one job, given one by one or as a folder, are one trace with aligned clocks") {
  const TestFolder folder, job;
  job.write("rank1.json", rank(1, 5'000'000));
  job.write("rank0.json", rank(0, 0));
  job.write("notes.txt", "not a trace");
  const std::string by_folder = folder.file("folder.sqlite").string(), by_files = folder.file("files.sqlite").string();
  CHECK(run_child({gputrace_program(), "import", job.file("").string(), "-o", by_folder}).exit_status == 0);
  const auto imported = run_child({gputrace_program(), "import", job.file("rank1.json").string(), job.file("rank0.json").string(), "-o", by_files});
  INFO(imported.err);
  CHECK(imported.exit_status == 0);
  CHECK_THAT(imported.err, Contains("4 kernels") && Contains("numbered anew"));
  for (const std::string& trace : {by_folder, by_files, job.file("").string()}) {
    const auto report = run_child({gputrace_program(), "report", trace, "--format", "json"});
    INFO(report.err);
    CHECK(report.exit_status == 0);
    CHECK_THAT(report.out, Contains("\"end_ns\": 9000000"));  // 5 s apart by their own clocks
  }
}

TEST_CASE("a folder without a trace, and no output, are errors of one line") {
  const TestFolder folder;
  folder.write("notes.txt", "not a trace");
  const auto empty = run_child({gputrace_program(), "import", folder.file("").string(), "-o", folder.file("t.sqlite").string()});
  CHECK(empty.exit_status == 1);
  CHECK_THAT(empty.err, Contains("a folder without a trace"));
  CHECK(run_child({gputrace_program(), "import", folder.file("notes.txt").string()}).exit_status == 2);
}
