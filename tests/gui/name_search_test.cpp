#include "gui/name_search.h"

#include <catch2/catch.hpp>

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
  const AreaTotals totals = area_totals(session.timeline, {5, 65});
  REQUIRE(totals.devices.size() == 2);
  CHECK(totals.devices[0].busy_ns == 35);
  CHECK(totals.devices[0].idle_ns == 25);
  CHECK(totals.devices[1].busy_ns == 5);
  CHECK(totals.devices[1].idle_ns == 55);
}

}  // namespace
}  // namespace gputrace::gui
