#include "analyzer/charts/lane_builder.h"

#include <catch2/catch.hpp>

using gputrace::analyzer::LaneBuilder;
using gputrace::trace::StringId;

TEST_CASE("lane: events shorter and closer together than the limit are one, others are not") {
  LaneBuilder lane(100);
  lane.add({0, 99}, StringId{1});
  lane.add({198, 290}, StringId{2});  // 99 behind: joins
  REQUIRE(lane.bundles().size() == 1);
  CHECK(lane.bundles()[0].span == gputrace::trace::Span{0, 290});
  CHECK(lane.bundles()[0].events == 2);
  CHECK(lane.bundles()[0].busy_ns == 99 + 92);
  CHECK(lane.bundles()[0].name == StringId{1});  // of the longest
  lane.add({390, 400}, StringId{3});  // 100 behind: stays apart
  CHECK(lane.bundles().size() == 2);
  lane.add({410, 510}, StringId{4});  // 100 long: stays apart
  CHECK(lane.bundles().size() == 3);
}

TEST_CASE("lane: a coarser limit merges what is there, and the time stays") {
  LaneBuilder lane(1);
  for (int i = 0; i < 1000; ++i) lane.add({i * 10, i * 10 + 5}, StringId{1});
  CHECK(lane.bundles().size() == 1000);
  lane.merge_below(10);
  CHECK(lane.bundles().size() == 1);
  CHECK(lane.busy_ns() == 5000);
}

TEST_CASE("lane: an event inside the one before does not shorten it") {
  LaneBuilder lane(1000);
  lane.add({0, 500}, StringId{1});
  lane.add({100, 200}, StringId{1});
  CHECK(lane.bundles().at(0).span.end_ns == 500);
}
