#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// `count` times: a kernel, a copy of `bytes` to the host for which the host waits, and `pause` until the next launch.
Trace loop(int count, std::int64_t bytes, std::int64_t pause, std::string_view call = "cudaStreamSynchronize_v3020") {
  TraceBuilder builder;
  std::int64_t at = 0, correlation = 0;
  for (int i = 0; i < count; ++i) {
    builder.api({.start = at, .end = at + 1_us, .correlation = ++correlation});
    builder.kernel({.start = at + 1_us, .end = at + 80_us, .correlation = correlation});
    builder.api({.start = at + 2_us, .end = at + 3_us, .name = "cudaMemcpyAsync_v3020", .correlation = ++correlation});
    builder.copy({.start = at + 80_us, .end = at + 82_us, .bytes = bytes, .kind = CopyKind::device_to_host, .correlation = correlation});
    builder.api({.start = at + 4_us, .end = at + 83_us, .name = call, .correlation = ++correlation});
    at += 82_us + pause;
  }
  return builder.build();
}

Finding look(const Trace& trace) { return run_rule("blocking-readbacks", trace); }

}  // namespace

TEST_CASE("blocking-readbacks: found where the host's own work after each wait adds up") {
  CHECK(look(loop(100, 4, 10_us)).verdict == Verdict::found);
  const Finding ten = look(loop(11, 4, 10_us)), nine = look(loop(10, 4, 10_us));  // the last wait of all stays
  CHECK(ten.verdict == Verdict::found);
  CHECK(ten.why.find("the loss and its like") == std::string::npos);
  CHECK(nine.verdict == Verdict::found);
  CHECK(nine.why.find("the loss and its like") != std::string::npos);
}

TEST_CASE("blocking-readbacks: the gain is the idle time after the waits, and the link is not blamed") {
  const Finding finding = look(loop(100, 4, 82_us));
  CHECK(finding.predicted_speedup == Approx(2.0).epsilon(0.02));
  CHECK(finding.why.find("The link is not the limit") != std::string::npos);
  CHECK(finding.title.find("99 small results") != std::string::npos);
  // The same idle time is then no launch that cannot keep up.
  CHECK(run_rule("launch-bound", loop(100, 4, 82_us)).verdict == Verdict::nothing);
}

TEST_CASE("blocking-readbacks: silent on large copies, on the one at the end, and where the host did not wait") {
  CHECK(look(loop(100, 4097, 82_us)).verdict == Verdict::nothing);
  CHECK(look(loop(100, 4096, 82_us)).verdict == Verdict::found);
  CHECK(look(loop(1, 4, 82_us)).verdict == Verdict::nothing);
  CHECK(look(loop(100, 4, 82_us, "cudaEventQuery_v3020")).verdict == Verdict::nothing);
}

TEST_CASE("blocking-readbacks: one in the middle of a step is found from 1 % of it") {
  const auto loop_of = [](std::int64_t kernel_ns) {
    TrainingLoop loop;
    for (int step = 0; step < 6; ++step) {
      loop.launch(0, kernel_ns);
      loop.copy(0, 4, 2'000, true, CopyKind::device_to_host);
      loop.host(0, 100'000);
      loop.launch(0, kernel_ns);
      loop.wait(0);
      loop.end_step();
    }
    return loop.build();
  };
  CHECK(look(loop_of(4'000'000)).verdict == Verdict::found);
  CHECK(look(loop_of(7'000'000)).verdict == Verdict::nothing);
}

TEST_CASE("blocking-readbacks: cannot look without copies or API calls") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.captured(Table::api_calls).build()).verdict == Verdict::could_not_look);
}
