#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "cli/launch.h"

using namespace gputrace::cli;

namespace {

int status_of(const std::string& script, std::vector<std::pair<std::string, std::string>> environment = {}) {
  const auto status = run_to_end({"/bin/sh", {"sh", "-c", script}, std::move(environment)});
  REQUIRE(status);
  return *status;
}

}  // namespace

TEST_CASE("The exit status is the program's, or 128 and the signal") {
  CHECK(status_of("exit 0") == 0);
  CHECK(status_of("exit 7") == 7);
  CHECK(status_of("kill -9 $$") == 128 + SIGKILL);
  CHECK(status_of("kill -SEGV $$") == 128 + SIGSEGV);
}

TEST_CASE("Given variables replace ours, and others stay") {
  setenv("GPUTRACE_TEST_OLD", "old", 1);
  setenv("GPUTRACE_TEST_KEPT", "kept", 1);
  CHECK(status_of("test \"$GPUTRACE_TEST_OLD $GPUTRACE_TEST_KEPT\" = 'new kept'", {{"GPUTRACE_TEST_OLD", "new"}}) == 0);
}

TEST_CASE("A signal sent to us goes on to the program, and our own handling comes back") {
  struct sigaction before {}, after {};  // the test framework has a handler of its own
  sigaction(SIGTERM, nullptr, &before);
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGTERM);
  });
  CHECK(status_of("trap 'exit 42' TERM; while :; do sleep 0.05; done") == 42);
  sender.join();
  sigaction(SIGTERM, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
}

TEST_CASE("Programs are found as the shell finds them") {
  REQUIRE(find_program("sh"));
  CHECK(find_program("sh")->ends_with("/sh"));
  CHECK(*find_program("/bin/sh") == "/bin/sh");
  CHECK_THAT(find_program("no-such-program-here").error().line(), Catch::Contains("no such program"));
  CHECK_THAT(find_program("./no-such-program-here").error().line(), Catch::Contains("no such program"));
  CHECK_THAT(find_program("/etc/passwd").error().line(), Catch::Contains("cannot be executed"));
  CHECK_FALSE(find_program("/tmp"));
}

TEST_CASE("A file that is no program fails to start, with its name") {
  const auto status = run_to_end({"/etc/passwd", {"passwd"}, {}});
  REQUIRE_FALSE(status);
  CHECK_THAT(status.error().line(), Catch::Contains("/etc/passwd"));
}
