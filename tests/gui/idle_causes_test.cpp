#include "gui/idle_causes.h"

#include <catch2/catch.hpp>

#include "analyzer/metrics.h"
#include "gui/session.h"
#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

// Each gap of a 10 ms kernel, ended by a call at the given time on one thread.
struct Ended {
  std::int64_t call_start, call_end;
};

trace::Trace gaps(const std::vector<Ended>& calls) {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 10_ms});
  std::int64_t at = 20_ms, correlation = 1;
  for (const Ended& call : calls) {
    builder.kernel({.start = at, .end = at + 10_ms, .correlation = correlation});
    builder.api({.start = at - 20_ms + call.call_start, .end = at - 20_ms + call.call_end, .correlation = correlation++});
    at += 20_ms;
  }
  return builder.build();
}

TEST_CASE("The causes are those of the analysis, to the nanosecond") {
  trace::Trace trace = gaps({{12_ms, 13_ms}, {8_ms, 9_ms}, {9_ms, 12_ms}, {19_ms, 20_ms}});
  trace.kernels.correlation[4] = trace::CorrelationId{999};  // the last has no call
  const analyzer::Metrics metrics = analyzer::measure(trace);
  const Session session{std::move(trace)};
  BusyByCategory idle{};
  session.idle[0].add_idle(stretches_of(session.timeline.lanes[0]), metrics.window, idle);
  REQUIRE(metrics.devices.size() == 1);
  constexpr std::pair<Category, analyzer::IdleCause> kSame[] = {
      {Category::idle_host, analyzer::IdleCause::host},       {Category::idle_sync, analyzer::IdleCause::sync},
      {Category::idle_launch, analyzer::IdleCause::launch},   {Category::idle_waiting, analyzer::IdleCause::waiting},
      {Category::idle_no_more, analyzer::IdleCause::no_more}, {Category::idle_unknown, analyzer::IdleCause::unknown}};
  for (const auto& [category, cause] : kSame) {
    INFO(name(category));
    CHECK(idle[static_cast<std::size_t>(category)] ==
          static_cast<std::uint64_t>(metrics.devices[0].idle_ns[static_cast<std::size_t>(cause)]));
  }
  CHECK(idle[static_cast<std::size_t>(Category::idle_host)] > 0);
  CHECK(idle[static_cast<std::size_t>(Category::idle_waiting)] > 0);
  CHECK(idle[static_cast<std::size_t>(Category::idle_launch)] > 0);
  CHECK(idle[static_cast<std::size_t>(Category::idle_unknown)] > 0);
}

TEST_CASE("A host that waited for the GPU in the gap is told from one that was merely late") {
  const auto cause = [](std::int64_t wait_end) {
    const Session session{TraceBuilder{}
                              .kernel({.start = 0, .end = 10_ms})
                              .kernel({.start = 20_ms, .end = 30_ms, .correlation = 5})
                              .api({.start = 1_ms, .end = wait_end, .name = "cudaStreamSynchronize", .correlation = 4})
                              .api({.start = 18_ms, .end = 19_ms, .correlation = 5})
                              .build()};
    std::vector<IdlePiece> pieces;
    session.idle[0].append_pieces(stretches_of(session.timeline.lanes[0]), 1, pieces);
    return pieces.front().cause;
  };
  CHECK(cause(10_ms + 1) == Category::idle_sync);
  CHECK(cause(9_ms) == Category::idle_host);
}

}  // namespace
}  // namespace gputrace::gui
