#include "analyzer/replay/host_turns.h"

#include <catch2/catch.hpp>

#include "analyzer/metrics.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// Thread 0 works alone for a part of each step, then beside thread 1. Beside each other a call takes `beside`, alone `alone`.
Trace loop(std::int64_t alone, std::int64_t beside) {
  TrainingLoop loop(2);
  for (int step = 0; step < 6; ++step) {
    const int alone_first = step % 2 == 0 ? 20 : 10;  // the same calls of another step are then beside the other thread
    for (int i = 0; i < 30; ++i) {
      const bool is_beside = i >= alone_first;
      if (i == alone_first) loop.join(1, 0);
      loop.host(0, (is_beside ? beside : alone) - TrainingLoop::kCallNs);
      loop.launch(0, 1_us);
      if (!is_beside) continue;
      loop.host(1, beside - TrainingLoop::kCallNs);
      loop.launch(1, 1_us);
    }
    loop.end_step();
  }
  return loop.build();
}

HostTurns turns_of(const Trace& trace) {
  const Metrics metrics = measure(trace);
  const DependencyGraph graph = build_dependency_graph(trace, metrics.steps, metrics.window);
  return find_host_turns(trace, graph, host_sequences(trace, graph, metrics.steps));
}

}  // namespace

TEST_CASE("threads whose work takes twice as long beside each other take turns") {
  const HostTurns turns = turns_of(loop(50_us, 100_us));
  CHECK(turns.taken == HostTurns::Taken::yes);
  CHECK(turns.growth_by_other == Approx(1).margin(0.25));
}

TEST_CASE("threads that do not hold each other up do not") {
  const HostTurns turns = turns_of(loop(50_us, 50_us));
  CHECK(turns.taken == HostTurns::Taken::no);
  CHECK(turns.growth_by_other == Approx(0).margin(0.05));
}

TEST_CASE("one thread takes no turns; threads that always work together cannot be told") {
  TrainingLoop one, two(2);
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 20; ++i) {
      one.host(0, 50_us);
      one.launch(0, 1_us);
      for (const int thread : {0, 1}) {
        two.host(thread, 50_us);
        two.launch(thread, 1_us);
      }
    }
    one.end_step();
    two.end_step();
  }
  CHECK(turns_of(one.build()).taken == HostTurns::Taken::no);
  CHECK(turns_of(two.build()).taken == HostTurns::Taken::cannot_tell);
}
