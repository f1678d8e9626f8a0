#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

TEST_CASE("export writes formats of other tools, which gputrace reads again") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto before = run_child({gputrace_program(), "stats", trace, "--by", "kernel", "--format", "csv"});
  for (const std::string format : {"chrome", "perfetto"}) {
    const std::string out = folder.file(format).string();
    const auto exported = run_child({gputrace_program(), "export", trace, "--format", format, "-o", out});
    INFO(exported.err);
    CHECK(exported.exit_status == 0);
    const auto after = run_child({gputrace_program(), "stats", out, "--by", "kernel", "--format", "csv"});
    CHECK(after.out == before.out);
  }
}

TEST_CASE("exported Chrome JSON is JSON to a parser of its own") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), out = folder.file("t.json").string();
  REQUIRE(run_child({gputrace_program(), "export", trace, "--format", "chrome", "-o", out}).exit_status == 0);
  const auto json = nlohmann::json::parse(folder.text_of("t.json"), nullptr, false);
  REQUIRE(json.is_object());
  std::size_t kernels = 0;
  for (const auto& event : json["traceEvents"]) kernels += event.value("cat", "") == "kernel";
  CHECK(kernels == 2);
}

TEST_CASE("export to CSV has a line per event; an existing file stays without --force") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), out = folder.file("t.csv").string();
  REQUIRE(run_child({gputrace_program(), "export", trace, "--format", "csv", "-o", out}).exit_status == 0);
  const std::string text = folder.text_of("t.csv");
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 3);
  const auto again = run_child({gputrace_program(), "export", trace, "--format", "csv", "-o", out});
  CHECK(again.exit_status == 1);
  CHECK_THAT(again.err, Contains("exists already"));
  CHECK(run_child({gputrace_program(), "export", trace, "--format", "csv", "-o", out, "--force"}).exit_status == 0);
}

TEST_CASE("export without a format or with an unknown one is wrong usage") {
  CHECK(run_child({gputrace_program(), "export", "x", "-o", "y"}).exit_status == 2);
  CHECK(run_child({gputrace_program(), "export", "x", "--format", "word", "-o", "y"}).exit_status == 2);
}
