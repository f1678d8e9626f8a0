#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

TEST_CASE("report prints the diagnosis and leaves the trace as it was") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const std::string before = folder.text_of("t.sqlite");
  const auto result = run_child({gputrace_program(), "report", trace});
  CHECK(result.exit_status == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Contains("gputrace report: "));
  CHECK_THAT(result.out, Contains("GPU 0"));
  CHECK(folder.text_of("t.sqlite") == before);
  CHECK(folder.file_count() == 1);
}

TEST_CASE("report --format json is JSON of the trace") {
  const TestFolder folder;
  const auto result = run_child({gputrace_program(), "report", folder.write_trace("t.sqlite"), "--format", "json"});
  REQUIRE(result.exit_status == 0);
  const auto report = nlohmann::json::parse(result.out, nullptr, false);
  REQUIRE_FALSE(report.is_discarded());
  CHECK(report["format"] == "gputrace.report");
  CHECK(report["kernels"].size() == 2);
  CHECK(report["trace"]["end_ns"] == 21'000'000);
}

TEST_CASE("an output file is not overwritten without --force, and takes its format from its name") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), out = folder.file("report.json").string();
  CHECK(run_child({gputrace_program(), "report", trace, "-o", out}).exit_status == 0);
  CHECK(folder.text_of("report.json").front() == '{');
  folder.write("report.json", "mine");
  const auto refused = run_child({gputrace_program(), "report", trace, "-o", out});
  CHECK(refused.exit_status == 1);
  CHECK_THAT(refused.err, Contains("exists already") && Contains("--force"));
  CHECK(folder.text_of("report.json") == "mine");
  CHECK(run_child({gputrace_program(), "report", trace, "-o", out, "--force"}).exit_status == 0);
  CHECK(folder.text_of("report.json").front() == '{');
  CHECK(folder.file_count() == 2);  // no temporary file stays
}

TEST_CASE("the trace itself cannot be the output, even with --force") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), before = folder.text_of("t.sqlite");
  const auto refused = run_child({gputrace_program(), "report", trace, "-o", trace, "--force"});
  CHECK(refused.exit_status == 1);
  CHECK_THAT(refused.err, Contains("is the input itself"));
  CHECK(folder.text_of("t.sqlite") == before);
}

TEST_CASE("an output that cannot be written is one line") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto no_folder = run_child({gputrace_program(), "report", trace, "-o", folder.file("none/r.txt").string()});
  CHECK(no_folder.exit_status == 1);
  CHECK_THAT(no_folder.err, Contains("no such folder"));
  const auto is_folder = run_child({gputrace_program(), "report", trace, "-o", folder.file("").string(), "--force"});
  CHECK(is_folder.exit_status == 1);
  const auto full = run_child({gputrace_program(), "report", trace, "-o", "/dev/full"});
  CHECK(full.exit_status == 1);
  CHECK_THAT(full.err, Contains("No space left"));
}

TEST_CASE("width and colour follow the terminal, COLUMNS and NO_COLOR") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const std::string escape = "\x1b[";
  const auto piped = run_child({gputrace_program(), "report", trace});
  CHECK(piped.out.find(escape) == std::string::npos);
  const auto terminal = run_child({gputrace_program(), "report", trace},
                                  {.environment = {"TERM=xterm", "NO_COLOR="}, .terminal_columns = 120});
  CHECK_THAT(terminal.out, Contains(escape));
  const auto no_color = run_child({gputrace_program(), "report", trace},
                                  {.environment = {"TERM=xterm", "NO_COLOR=1"}, .terminal_columns = 120});
  CHECK(no_color.out.find(escape) == std::string::npos);
  const auto narrow = run_child({gputrace_program(), "report", trace}, {.environment = {"COLUMNS=45"}});
  CHECK(narrow.out != piped.out);
  CHECK(run_child({gputrace_program(), "report", trace, "--width", "45"}).out == narrow.out);
}

TEST_CASE("report --explain-thresholds prints the limits and needs no trace; one of both is required") {
  const auto result = run_child({gputrace_program(), "report", "--explain-thresholds"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, Contains("critical-share = 20.0 %") && Contains("launch-gap = 500 us"));
  CHECK(run_child({gputrace_program(), "report"}).exit_status == 2);
}
