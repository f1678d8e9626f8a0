#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"
#include "tests/support/training_loop.h"
#include "trace/save_trace.h"

using namespace gputrace;
using namespace gputrace::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string write_loop(const TestFolder& folder) {
  TrainingLoop loop;
  for (int step = 0; step < 4; ++step) {
    loop.launch(0, 400'000, "volta_sgemm_128x64_nn");
    loop.wait(0);
    loop.copy(0, 1'000'000, 200'000);
    loop.launch(0, 300'000, "void pad(float)");
    loop.end_step();
  }
  const std::string path = folder.file("loop.sqlite").string();
  REQUIRE(trace::save_trace(loop.build(), path, false));
  return path;
}

ChildResult what_if(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {gputrace_program(), "whatif"});
  return run_child(arguments);
}

}  // namespace

TEST_CASE("whatif tells what was changed, the step before and after, and what then limits") {
  const TestFolder folder;
  const auto result = what_if({write_loop(folder), "--scale", "class:matmul=0.5", "--remove", "sync"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, Contains("4 class:matmul take 0.5 of their time") && Contains("recorded") && Contains("replay error") && Contains("limits then"));
}

TEST_CASE("a removal or an overlap by its short name is the change of the full name") {
  const TestFolder folder;
  const std::string trace = write_loop(folder);
  CHECK(what_if({trace, "--remove", "syncs"}).out == what_if({trace, "--do", "remove-syncs"}).out);
  CHECK(what_if({trace, "--remove", "sync"}).out == what_if({trace, "--do", "remove-syncs"}).out);
  CHECK(what_if({trace, "--overlap", "update"}).out == what_if({trace, "--do", "overlap-update"}).out);
  CHECK(what_if({trace, "--overlap", "communication"}).out == what_if({trace, "--do", "hide-communication"}).out);
}

TEST_CASE("the replayed trace is written, marked as predicted, and nothing is overwritten unasked") {
  const TestFolder folder;
  const std::string trace = write_loop(folder), output = folder.file("predicted.sqlite").string();
  const auto result = what_if({trace, "--scale", "kernels=0.5", "-o", output});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, Contains("written       " + output));
  const auto report = run_child({gputrace_program(), "report", output});
  CHECK_THAT(report.out, Contains("simulated: times are modelled (machine predicted: kernels x 0.5)"));
  const auto again = what_if({trace, "--scale", "kernels=0.5", "-o", output});
  CHECK(again.exit_status == 1);
  CHECK_THAT(again.err, Contains("--force"));
  CHECK(what_if({trace, "--scale", "kernels=0.5", "-o", output, "--force"}).exit_status == 0);
  CHECK(what_if({trace, "--scale", "kernels=0.5", "-o", trace, "--force"}).exit_status == 1);
}

TEST_CASE("whatif refuses what is no change in one line") {
  const TestFolder folder;
  const std::string trace = write_loop(folder);
  for (const std::vector<std::string>& change : {std::vector<std::string>{"--do", "magic"}, {"--scale", "kernels=-1"}, {"--remove", "everything"}, {"--overlap", "weather"}}) {
    const auto result = what_if({trace, change[0], change[1]});
    CHECK(result.exit_status == 1);
    CHECK(result.out.empty());
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, StartsWith("gputrace: "));
  }
}
