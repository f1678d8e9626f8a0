#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

TEST_CASE("diff of a trace with itself says that nothing changed") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto result = run_child({gputrace_program(), "diff", trace, trace});
  CHECK(result.exit_status == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Contains("no change in the traced time") && Contains("kernels unchanged"));
  CHECK_THAT(result.out, Contains("Steps are not aligned: neither trace has steps"));
}

TEST_CASE("diff --format json is JSON, and a file is not overwritten without --force") {
  const TestFolder folder;
  const std::string a = folder.write_trace("a.sqlite"), b = folder.write_trace("b.sqlite");
  const std::string out = folder.file("diff.json").string();
  CHECK(run_child({gputrace_program(), "diff", a, b, "--format", "json", "-o", out}).exit_status == 0);
  const auto json = nlohmann::json::parse(folder.text_of("diff.json"), nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  CHECK(json["format"] == "gputrace.diff");
  CHECK(json["kernel_ns"]["before"] == 20'000'000.0);
  CHECK(json["kernels"].size() == 2);
  CHECK(run_child({gputrace_program(), "diff", a, b, "-o", out}).exit_status == 1);
  CHECK(run_child({gputrace_program(), "diff", a, b, "-o", b, "--force"}).exit_status == 1);  // an input
}

TEST_CASE("diff writes the format that the output's name ends in, or that --format says") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto text_of = [&](const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> command{gputrace_program(), "diff", trace, trace, "-o", folder.file(name).string()};
    command.insert(command.end(), more.begin(), more.end());
    CHECK(run_child(command).exit_status == 0);
    return folder.text_of(name);
  };
  CHECK_THAT(text_of("d.html"), Catch::StartsWith("<!DOCTYPE html>"));
  CHECK_THAT(text_of("d.md"), Catch::StartsWith("## gputrace diff: "));
  CHECK_THAT(text_of("d.json"), Catch::StartsWith("{"));
  CHECK_THAT(text_of("d.txt"), Catch::StartsWith("before: "));
  CHECK_THAT(text_of("e.txt", {"--format", "markdown"}), Catch::StartsWith("## gputrace diff: "));
}

TEST_CASE("diff names the trace that cannot be read, and needs two") {
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto missing = run_child({gputrace_program(), "diff", trace, "no-such.sqlite"});
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.err, Contains("no-such.sqlite"));
  CHECK(run_child({gputrace_program(), "diff", trace}).exit_status == 2);
}
