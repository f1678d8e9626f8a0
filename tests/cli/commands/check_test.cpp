#include <catch2/catch.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// The trace of TestFolder: kernels run 20 of 21 ms on GPU 0.
ChildResult check(const TestFolder& folder, const std::string& limits) {
  folder.write("budget.toml", "limits = [" + limits + "]\n");
  return run_child({gputrace_program(), "check", folder.file("t.sqlite").string(), "--budget",
                    folder.file("budget.toml").string()});
}

}  // namespace

TEST_CASE("check is 0 just within a limit and 3 just above it") {
  const TestFolder folder;
  folder.write_trace("t.sqlite");
  const auto within = check(folder, "'trace.end_ns <= 21000000', 'devices.*.compute_utilization >= 0.952'");
  CHECK(within.exit_status == 0);
  CHECK_THAT(within.out, StartsWith("within        trace.end_ns <= 21000000: trace.end_ns is 2.1e+07\n"));
  const auto exceeded = check(folder, "'devices.*.compute_utilization >= 0.953', 'trace.dropped == 0'");
  CHECK(exceeded.exit_status == 3);
  CHECK_THAT(exceeded.out, StartsWith("exceeded ") && Contains("devices.0.compute_utilization is 0.95238"));
  CHECK(check(folder, "'trace.end_ns < 21000000'").exit_status == 3);
  CHECK(check(folder, "'findings.critical != 99'").exit_status == 0);
}

TEST_CASE("check finds a finding by its rule") {
  const TestFolder folder;
  folder.write_trace("t.sqlite");
  const auto result = check(folder, "'findings.pageable-copies.recoverable_ns_per_step >= 0'");
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, StartsWith("within ") && Contains(".recoverable_ns_per_step is "));
  CHECK(check(folder, "'findings.no-such-rule.recoverable_ns_per_step == 0'").exit_status == 1);
}

TEST_CASE("check compares with the figure of an earlier report") {
  const TestFolder folder;
  folder.write_trace("t.sqlite");
  folder.write("base.json", R"({"format": "gputrace.report", "trace": {"end_ns": 20000000}})");
  CHECK(check(folder, "'trace.end_ns <= 1.06 * base.json'").exit_status == 0);
  CHECK(check(folder, "'trace.end_ns <= 1.04 * base.json'").exit_status == 3);
  CHECK(check(folder, "'trace.end_ns <= base.json'").exit_status == 3);
  const auto missing = check(folder, "'trace.start_ns <= base.json'");
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.out, Contains("trace.start_ns was not captured in base.json"));
  CHECK(check(folder, "'trace.end_ns <= none.json'").exit_status == 1);
}

TEST_CASE("what cannot be judged is not within; what is exceeded is, whatever else") {
  const TestFolder folder;
  folder.write_trace("t.sqlite");
  const auto unknown = check(folder, "'no.such.figure == 0'");
  CHECK(unknown.exit_status == 1);
  CHECK_THAT(unknown.out, StartsWith("cannot judge  no.such.figure == 0"));
  CHECK_THAT(unknown.err, StartsWith("gputrace: "));
  CHECK(check(folder, "'no.such.figure == 0', 'trace.end_ns == 0'").exit_status == 3);
}

TEST_CASE("a budget that cannot be understood is an error") {
  const TestFolder folder;
  folder.write_trace("t.sqlite");
  for (const char* limits : {"", "7", "'trace.end_ns'", "'<= 7'", "'trace.end_ns <= '", "'trace.end_ns <= x * y'", "'unclosed"}) {
    INFO(limits);
    const auto result = check(folder, limits);
    CHECK(result.exit_status == 1);
    CHECK_THAT(result.err, Contains("budget.toml"));
  }
}
