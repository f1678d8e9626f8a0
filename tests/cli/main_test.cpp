// The program as its users meet it: exit status, one line on stderr, help.
#include <algorithm>

#include <catch2/catch.hpp>

#include "cli/command.h"
#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace;
using namespace gputrace::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

void check_one_error_line(const ChildResult& result, int exit_status) {
  INFO(result.err);
  CHECK(result.exit_status == exit_status);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, StartsWith("gputrace: "));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  for (const char c : result.err) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
}

}  // namespace

TEST_CASE("the flags --version and --help are answers, not errors") {
  const auto version = run_child({gputrace_program(), "--version"});
  CHECK(version.exit_status == 0);
  CHECK_THAT(version.out, StartsWith("gputrace 0."));
  const auto help = run_child({gputrace_program(), "--help"});
  CHECK(help.exit_status == 0);
  for (const cli::Command* command : cli::all_commands()) CHECK_THAT(help.out, Contains(command->name));
}

TEST_CASE("each command's help shows examples") {
  for (const cli::Command* command : cli::all_commands()) {
    const auto help = run_child({gputrace_program(), command->name, "--help"});
    CHECK(help.exit_status == 0);
    CHECK_THAT(help.out, Contains("Example"));
    CHECK_THAT(help.out, Contains(std::string("gputrace ") + command->name));
  }
}

TEST_CASE("wrong usage is status 2") {
  check_one_error_line(run_child({gputrace_program()}), 2);
  check_one_error_line(run_child({gputrace_program(), "no-such-command"}), 2);
  check_one_error_line(run_child({gputrace_program(), "report"}), 2);
  check_one_error_line(run_child({gputrace_program(), "report", "x", "--format", "no-such-format"}), 2);
  check_one_error_line(run_child({gputrace_program(), "report", "x", "--width", "3"}), 2);
  check_one_error_line(run_child({gputrace_program(), "stats", "x", "--by", "\x1b[31m\nno-such-table"}), 2);
}

TEST_CASE("a file that is no trace is one line and status 1") {
  const TestFolder folder;
  folder.write("text.sqlite", "this is no SQLite file");
  folder.write("empty.sqlite", "");
  folder.write_trace("whole.sqlite");
  folder.write("half.sqlite", folder.text_of("whole.sqlite").substr(0, 5000));
  for (const char* command : {"report", "stats"}) {
    for (const char* name : {"text.sqlite", "empty.sqlite", "half.sqlite", "absent\x1b[31m\nname.sqlite"}) {
      check_one_error_line(run_child({gputrace_program(), command, folder.file(name).string()}), 1);
    }
    const TestFolder empty;
    check_one_error_line(run_child({gputrace_program(), command, empty.file("").string()}), 1);
  }
}
