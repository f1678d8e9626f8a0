#include "gui/lane_builder.h"

#include <catch2/catch.hpp>

namespace gputrace::gui {
namespace {

EventRef event(std::size_t row) { return EventRef{trace::Table::api_calls, row}; }

TEST_CASE("Of events that start together the longer lies above, whatever their order; of equal ones the first") {
  LaneBuilder lane;
  lane.add(0, 10, event(0), Category::api_other);
  lane.add(0, 30, event(1), Category::api_other);
  lane.add(0, 30, event(2), Category::api_other);
  lane.add(30, 40, event(3), Category::api_other);
  const std::vector<EventRow> rows = lane.build();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].ref(0) == event(1));
  CHECK(rows[1].ref(0) == event(2));
  CHECK(rows[2].ref(0) == event(0));
  REQUIRE(rows[0].size() == 2);  // free again when the longer one has ended
  CHECK(rows[0].ref(1) == event(3));
  CHECK(lane.cut_events() == 0);
}

TEST_CASE("As many events at once as there are rows are whole; one more is cut where the next begins") {
  const auto staircase = [](std::size_t count) {
    LaneBuilder lane;
    for (std::size_t i = 0; i < count; ++i)
      lane.add(static_cast<std::int64_t>(i), 1000, event(i), Category::api_other);
    const std::vector<EventRow> rows = lane.build();
    CHECK(rows.size() == kMaxRowsPerLane);
    CHECK(rows.back().end_ns(rows.back().size() - 1) == 1000);
    return lane.cut_events();
  };
  CHECK(staircase(kMaxRowsPerLane) == 0);
  CHECK(staircase(kMaxRowsPerLane + 1) == 1);
}

TEST_CASE("Room made beforehand changes nothing, be it too little or too much; amounts come along") {
  for (const int expected : {0, 1, 100}) {
    LaneBuilder lane;
    for (int i = 0; i < expected; ++i) lane.expect_one();
    lane.add(0, 10, event(0), Category::peer_copy, 50);
    lane.add(10, 20, event(1), Category::peer_copy, 70);
    const std::vector<EventRow> rows = lane.build();
    REQUIRE(rows.size() == 1);
    REQUIRE(rows[0].size() == 2);
    std::vector<double> columns(1);
    rows[0].add_amount_by_column(0, 20, columns);
    CHECK(columns[0] == Approx(120));
  }
}

TEST_CASE("A lane without events has no row") { CHECK(LaneBuilder{}.build().empty()); }

}  // namespace
}  // namespace gputrace::gui
