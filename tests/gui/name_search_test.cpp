#include "gui/name_search.h"

#include <catch2/catch.hpp>

#include "gui/event_text.h"
#include "gui/statistics.h"
#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

Session searched() {
  return Session{TraceBuilder{}
                     .kernel({.start = 0, .end = 10, .name = "gemm_a"})
                     .kernel({.start = 20, .end = 50, .name = "gemm_b"})
                     .kernel({.start = 60, .end = 80, .name = "gemm_a", .device = 1})
                     .range({.start = 5, .end = 9, .text = "GEMM range"})
                     .api({.start = 0, .end = 1, .name = "cudaFree"})
                     .build()};
}

TEST_CASE(
    "Search finds names of kernels and ranges by regular expression, ignoring case, the longest total "
    "first") {
  const Session session = searched();
  const NameSearch search = search_names(session, "^gemm");
  REQUIRE(search.problem.empty());
  REQUIRE(search.matches.size() == 3);
  CHECK(search.events == 4);
  CHECK(search.matches[0].total_ns == 30);
  CHECK(search.matches[2].total_ns == 4);
  CHECK(search_names(session, "gemm_[b-z]").events == 1);
  CHECK(search_names(session, "nothing").matches.empty());
  CHECK(search_names(session, "").matches.empty());
}

TEST_CASE("A pattern that is none is told in words") {
  const NameSearch search = search_names(searched(), "gemm[");
  CHECK_FALSE(search.problem.empty());
  CHECK(search.matches.empty());
}

TEST_CASE("The next and the previous match go in order of time over all tables") {
  const Session session = searched();
  const NameSearch search = search_names(session, "gemm");
  const EventRef range = next_match(session, search, 0, +1);
  CHECK(range.table() == trace::Table::nvtx);
  CHECK(next_match(session, search, 5, +1) == EventRef{trace::Table::kernels, 1});
  CHECK(next_match(session, search, 20, -1) == range);
  CHECK_FALSE(next_match(session, search, 60, +1).valid());
  CHECK_FALSE(next_match(session, search, 0, -1).valid());
}

TEST_CASE("Statistics of a name: count, spread, by GPU, and an event behind each bar") {
  const Session session = searched();
  const NameStatistics s = name_statistics(session, EventRef{trace::Table::kernels, 0});
  CHECK(s.count == 2);
  CHECK(s.total_ns == 30);
  CHECK(s.min_ns == 10);
  CHECK(s.max_ns == 20);
  CHECK(s.longest == EventRef{trace::Table::kernels, 2});
  REQUIRE(s.devices.size() == 2);
  CHECK(s.devices[1].total_ns == 20);
  std::uint64_t counted = 0;
  for (const auto& bar : s.bars) {
    counted += bar.count;
    CHECK((bar.count == 0) == !bar.example.valid());
  }
  CHECK(counted == 2);
}

TEST_CASE("Totals of an area sum to its length for each GPU") {
  const Session session = searched();
  const AreaTotals totals = area_totals(session, {5, 65});
  REQUIRE(totals.devices.size() == 2);
  CHECK(totals.devices[0].busy_ns == 35);
  CHECK(totals.devices[0].idle_ns == 25);
  CHECK(totals.devices[1].busy_ns == 5);
  CHECK(totals.devices[1].idle_ns == 55);
}

TEST_CASE("An area is summed by kernel name, copy and idle cause, with what lies inside it only") {
  const Session session{TraceBuilder{}
                            .kernel({.start = 0, .end = 10, .name = "a"})
                            .kernel({.start = 20, .end = 50, .name = "b", .correlation = 1})
                            .kernel({.start = 90, .end = 99, .name = "a"})
                            .copy({.start = 60, .end = 70, .bytes = 500})
                            .api({.start = 0, .end = 5, .correlation = 1})
                            .build()};
  AreaTotals totals = area_totals(session, {5, 65});
  add_event_totals(session, totals);
  REQUIRE(totals.kernels.size() == 2);
  CHECK(totals.kernels[0].ns == 30);
  CHECK(totals.kernels[1].ns == 5);
  CHECK(totals.kernels[1].count == 1);
  REQUIRE(totals.copies.size() == 1);
  CHECK(totals.copies[0].ns == 5);
  CHECK(totals.copies[0].bytes == 500);
  std::uint64_t idle = 0;
  for (const CategoryTotal& total : totals.idle) idle += total.ns;
  CHECK(idle == totals.devices[0].idle_ns);
  REQUIRE(totals.idle.size() == 2);
  CHECK(totals.idle[0].category == Category::idle_waiting);  // its launch had ended at 5
}

TEST_CASE("Statistics of a name can be of one GPU, and are counted by step") {
  const Session session{TraceBuilder{}
                            .kernel({.start = 5, .end = 10, .name = "a"})
                            .kernel({.start = 20, .end = 50, .name = "a", .device = 1})
                            .kernel({.start = 110, .end = 130, .name = "a"})
                            .step(0, 100)
                            .step(100, 200)
                            .build()};
  const EventRef event{trace::Table::kernels, 0};
  const NameStatistics all = name_statistics(session, event);
  REQUIRE(all.steps.size() == 2);
  CHECK(all.steps[0].count == 2);
  CHECK(all.steps[0].total_ns == 35);
  CHECK(all.steps[0].longest == EventRef{trace::Table::kernels, 1});
  CHECK(all.steps[1].total_ns == 20);
  CHECK(all.step_bars == std::vector<std::size_t>{0, 1});
  CHECK(all.most_in_step_ns == 35);
  const NameStatistics one = name_statistics(session, event, trace::DeviceId{1});
  CHECK(one.count == 1);
  CHECK(one.total_ns == 30);
  CHECK(one.devices.size() == 2);  // both are still there to choose from
}

TEST_CASE("More steps than the panel has room for share bars, each as high as its longest step") {
  constexpr std::size_t kSteps = NameStatistics::kMostStepBars + 1;
  TraceBuilder builder;
  for (std::size_t s = 0; s < kSteps; ++s) {
    const auto start = static_cast<std::int64_t>(s) * 100;
    builder.step(start, start + 100).kernel({.start = start, .end = start + (s == kSteps - 1 ? 50 : 10), .name = "a"});
  }
  const Session session{builder.build()};
  const NameStatistics s = name_statistics(session, EventRef{trace::Table::kernels, 0});
  REQUIRE(s.steps.size() == kSteps);
  REQUIRE(s.step_bars.size() == NameStatistics::kMostStepBars);
  CHECK(s.step_bars.front() == 0);
  CHECK(s.step_bars.back() == kSteps - 1);  // the longer of the two that share the last bar
  CHECK(s.most_in_step_ns == 50);
}

TEST_CASE("Matches come page by page in order of time, over all tables, each once") {
  const Session session = searched();
  const NameSearch search = search_names(session, "gemm");
  MatchCursor cursor{};
  std::vector<std::int64_t> starts;
  for (auto page = matches_from(session, search, cursor, 3); !page.empty();
       page = matches_from(session, search, cursor, 3))
    for (const EventRef event : page) starts.push_back(event_span(session.trace, event).start_ns);
  CHECK(starts == std::vector<std::int64_t>{0, 5, 20, 60});
}

}  // namespace
}  // namespace gputrace::gui
