#include <catch2/catch.hpp>
#include <string>

#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("gradients-reduced-on-host", trace); }

// On each GPU: weights of 16 MB come, 10 ms of computing, gradients of `down` bytes go; the host then updates for `update`.
Trace loop(int gpus, std::int64_t down = 16'000'000, std::int64_t update = 4_ms) {
  TrainingLoop loop(gpus);
  for (int gpu = 0; gpu < gpus; ++gpu)
    loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:" + std::to_string(gpu), .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      loop.copy(gpu, 16'000'000, 2_ms);
      loop.launch(gpu, 10_ms, kSgemm);
      loop.copy(gpu, down, 2_ms, false, CopyKind::device_to_host);
    }
    loop.end_step(update);
  }
  return loop.build();
}

}  // namespace

TEST_CASE("gradients-reduced-on-host: all-reduced over PCIe, with the update on the GPUs") {
  const Finding finding = look(loop(4));
  REQUIRE(finding.verdict == Verdict::found);
  // Of 18 ms, 10 stay, and a ring moves 1.5 x 16 MB at 80 % of half of the link: 3.8 ms.
  CHECK(finding.predicted_speedup == Approx(18.0 / 13.8).epsilon(0.02));
  CHECK(finding.title == "Gradients of 4 GPUs are reduced on the host: 16.0 MB to it and back from each per step");
}

TEST_CASE("gradients-reduced-on-host: where the same sizes come back, from 80 % of the bytes on, and from two GPUs on") {
  CHECK(look(loop(1)).verdict == Verdict::nothing);
  CHECK(look(loop(2)).verdict == Verdict::found);
  CHECK(look(loop(2, 15'000'000)).verdict == Verdict::nothing);
  for (const std::int64_t more : {3'900'000, 4'100'000}) {
    TrainingLoop loop(2);
    for (int step = 0; step < 6; ++step) {
      for (int gpu = 0; gpu < 2; ++gpu) {
        loop.copy(gpu, 16'000'000, 2_ms);
        loop.launch(gpu, 10_ms, kSgemm);
        loop.copy(gpu, 16'000'000, 2_ms, false, CopyKind::device_to_host);
        loop.copy(gpu, more, 500_us, false, CopyKind::device_to_host);
      }
      loop.end_step(4_ms);
    }
    CHECK(look(loop.build()).verdict == (more < 4'000'000 ? Verdict::found : Verdict::nothing));
  }
}

TEST_CASE("gradients-reduced-on-host: GPUs that exchange among themselves reduce there") {
  TrainingLoop with(2);
  for (int step = 0; step < 6; ++step) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      with.copy(gpu, 16'000'000, 2_ms);
      with.launch(gpu, 10_ms, kSgemm);
      with.launch(gpu, 1_ms, kAllReduce);
      with.copy(gpu, 16'000'000, 2_ms, false, CopyKind::device_to_host);
    }
    with.end_step(4_ms);
  }
  CHECK(look(with.build()).verdict == Verdict::nothing);
}

TEST_CASE("gradients-reduced-on-host: cannot look without steps, copies or API calls") {
  TrainingLoop unsteady(2);
  unsteady.launch(0, 8_ms);
  unsteady.copy(0, 16'000'000, 2_ms);
  CHECK(look(unsteady.build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
