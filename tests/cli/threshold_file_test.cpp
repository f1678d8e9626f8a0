#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

namespace {

ChildResult report_with(const std::string& thresholds) {
  const TestFolder folder;
  folder.write("limits.toml", thresholds);
  return run_child({gputrace_program(), "report", folder.write_trace("t.sqlite"), "--thresholds", folder.file("limits.toml").string(), "--width", "200"});
}

// Without the breaks and indents of the page.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line, word;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

TEST_CASE("the option --thresholds changes limits, and the report says which") {
  const TestFolder folder;
  folder.write("limits.toml", "low-utilization = 0.9\n");
  const auto result = report_with("# ours\nlow-utilization = 0.9\nslow-link-factor = 2\nwarning-share = 0.05\n");
  CHECK(result.exit_status == 0);
  CHECK_THAT(on_one_line(result.out), Contains("thresholds changed: low-utilization 90.0 % (standard: 60.0 %), slow-link-factor 2.00x (standard: 1.50x)"));
  const auto table = run_child({gputrace_program(), "report", "--explain-thresholds", "--thresholds", folder.file("limits.toml").string()});
  CHECK(table.exit_status == 0);
  CHECK_THAT(table.out, Contains("low-utilization = 90.0 % (standard: 60.0 %)"));
}

TEST_CASE("without --thresholds, and with an empty file, the report says nothing of them") {
  const auto result = report_with("");
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, Contains("gputrace report") && !Contains("thresholds changed"));
}

TEST_CASE("a threshold file that is wrong is one line and exit status 1") {
  const TestFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const auto result = report_with(text);
    INFO(text);
    CHECK(result.exit_status == 1);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(message) && Contains("limits.toml"));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  };
  refused("\nwarning-shares = 0.1\n", "line 2: no threshold is called 'warning-shares'");
  refused("warning-share = 1.5\n", "line 1: warning-share = 1.5 is no value for it");
  refused("warning-share = 0\n", "above 0");
  refused("warning-share = \"a tenth\"\n", "line 1: warning-share is no number");
  refused("[limits]\nwarning-share = 0.1\n", "limits is no number");
  refused("warning-share == 0.1\n", "is no TOML: line 1");
  const auto absent = run_child({gputrace_program(), "report", "--explain-thresholds", "--thresholds", folder.file("absent.toml").string()});
  CHECK(absent.exit_status == 1);
  CHECK_THAT(absent.err, Contains("cannot read these thresholds"));
}
