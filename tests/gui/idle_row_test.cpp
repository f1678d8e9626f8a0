#include "gui/idle_row.h"

#include <catch2/catch.hpp>
#include <random>

#include "gui/session.h"
#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

constexpr auto kHost = static_cast<std::size_t>(Category::idle_host);

// A GPU that works 100 ns of every 150; each kernel but the first is launched by a call that begins 20 ns before it.
Session launched_late(std::int64_t kernels) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < kernels; ++i) {
    builder.kernel({.start = i * 150, .end = i * 150 + 100, .correlation = i + 1});
    if (i > 0) builder.api({.start = i * 150 - 20, .end = i * 150 - 10, .correlation = i + 1});
  }
  return Session{builder.build()};
}

BusyByCategory idle_in(const Session& session, trace::Span window) {
  BusyByCategory idle{};
  session.idle[0].add_idle(stretches_of(session.timeline.lanes[0]), window, idle);
  return idle;
}

TEST_CASE("A gap is the host's until it launches, and launch from then on") {
  const Session session = launched_late(3);
  const BusyByCategory idle = idle_in(session, {0, 400});
  CHECK(idle[kHost] == 2 * 30);
  CHECK(idle[static_cast<std::size_t>(Category::idle_launch)] == 2 * 20);
}

TEST_CASE("Idle time in a window is exact at every edge, and sums with the work to the window") {
  const Session session = launched_late(300);
  const EventRow& stretches = stretches_of(session.timeline.lanes[0]);
  std::mt19937 random{5};
  std::uniform_int_distribution<std::int64_t> time{0, session.timeline.span.end_ns};
  for (int i = 0; i < 500; ++i) {
    std::int64_t a = time(random), b = time(random);
    if (a > b) std::swap(a, b);
    BusyByCategory busy{};
    stretches.add_busy({a, b}, busy);
    std::uint64_t sum = 0, host = 0;
    for (const std::uint64_t ns : busy) sum += ns;
    const BusyByCategory idle = idle_in(session, {a, b});
    for (const std::uint64_t ns : idle) sum += ns;
    REQUIRE(sum == static_cast<std::uint64_t>(b - a));
    for (std::int64_t g = 0; g < 299; ++g) {
      const std::int64_t from = std::max(a, g * 150 + 100), to = std::min(b, g * 150 + 130);
      if (to > from) host += static_cast<std::uint64_t>(to - from);
    }
    REQUIRE(idle[kHost] == host);
  }
}

TEST_CASE("Idle time by column is that of each column's window, and columns without a gap are left out") {
  const Session session = launched_late(300);
  const EventRow& stretches = stretches_of(session.timeline.lanes[0]);
  for (const std::uint64_t column_ns : {60U, 1000U, 7000U}) {
    const trace::Span window{130, 30'000};
    std::int64_t next_ns = window.start_ns;
    std::size_t left_out = 0;
    session.idle[0].for_each_column(stretches, window, column_ns, [&](trace::Span column, const BusyByCategory& idle) {
      for (; next_ns < column.start_ns; next_ns += static_cast<std::int64_t>(column_ns), ++left_out)
        REQUIRE(idle_in(session, {next_ns, next_ns + static_cast<std::int64_t>(column_ns)}) == BusyByCategory{});
      REQUIRE(column.start_ns == next_ns);
      REQUIRE(column.duration_ns() == static_cast<std::int64_t>(column_ns));
      REQUIRE(idle == idle_in(session, column));
      next_ns = column.end_ns;
    });
    CHECK(next_ns >= window.end_ns - static_cast<std::int64_t>(column_ns));
    CHECK((left_out > 0) == (column_ns < 100));  // a kernel takes 100 ns
  }
}

TEST_CASE("A gap has the pieces that it is made of, in order") {
  const Session session = launched_late(2);
  std::vector<IdlePiece> pieces;
  session.idle[0].append_pieces(stretches_of(session.timeline.lanes[0]), 1, pieces);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].span == trace::Span{100, 130});
  CHECK(pieces[0].cause == Category::idle_host);
  CHECK(pieces[1].span == trace::Span{130, 150});
  CHECK(pieces[1].cause == Category::idle_launch);
}

TEST_CASE("The time before the first work and after the last is a gap too") {
  const Session session{
      TraceBuilder{}.range({.start = 0, .end = 100, .text = "whole"}).kernel({.start = 20, .end = 50}).build()};
  const BusyByCategory idle = idle_in(session, {0, 100});
  CHECK(idle[static_cast<std::size_t>(Category::idle_unknown)] == 20);
  CHECK(idle[static_cast<std::size_t>(Category::idle_no_more)] == 50);
}

TEST_CASE("A GPU that ran nothing is idle throughout") {
  const Session session{TraceBuilder{}
                            .gpu({.device = trace::DeviceId{0}})
                            .range({.start = 0, .end = 100, .text = "whole"})
                            .build()};
  CHECK(idle_in(session, {10, 90})[static_cast<std::size_t>(Category::idle_no_more)] == 80);
}

}  // namespace
}  // namespace gputrace::gui
