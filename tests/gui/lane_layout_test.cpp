#include "gui/lane_layout.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

const LaneMetrics kMetrics{.row = 10, .summary = 30, .header = 12, .gap = 2, .graph = 20};

// GPU 0, its curves (utilization, kernels at once), stream 7, stream 8, GPU 1, its curves, stream 7
Timeline two_gpus() {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0, .end = 10})
                         .kernel({.start = 0, .end = 10, .stream = 8})
                         .kernel({.start = 0, .end = 10, .device = 1})
                         .build();
  return build_timeline(trace, KernelNames{trace});
}

std::vector<std::size_t> order(const std::vector<PlacedLane>& lanes) {
  std::vector<std::size_t> indices;
  for (const PlacedLane& lane : lanes) indices.push_back(lane.lane);
  return indices;
}

LaneLayout place(const std::vector<LaneState>& states, const std::string& filter = "") {
  return place_lanes(two_gpus(), states, filter, kMetrics);
}

using Order = std::vector<std::size_t>;

TEST_CASE("Lanes lie below each other without holes") {
  const LaneLayout layout = place(std::vector<LaneState>(9));
  CHECK(order(layout.scrolled) == Order{0, 1, 2, 3, 4, 5, 6, 7, 8});
  float bottom = 0;
  for (const PlacedLane& lane : layout.scrolled) {
    CHECK(lane.top == bottom);
    bottom += lane.height;
  }
  CHECK(layout.scrolled_height == bottom);
  CHECK(layout.scrolled[0].height == 32);  // summary
  CHECK(layout.scrolled[1].height == 22);  // a curve
  CHECK(layout.scrolled[3].height == 14);  // one row, but no lower than a label
}

TEST_CASE("A folded lane hides its children") {
  std::vector<LaneState> states(9);
  states[0].collapsed = true;
  CHECK(order(place(states).scrolled) == Order{0, 5, 6, 7, 8});
}

TEST_CASE("A pinned lane goes to the top part") {
  std::vector<LaneState> states(9);
  states[8].pinned = true;
  const LaneLayout layout = place(states);
  CHECK(order(layout.pinned) == Order{8});
  CHECK(order(layout.scrolled) == Order{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(layout.pinned[0].top == 0);
}

TEST_CASE("A lane moves among its siblings with its children, and no further than they go") {
  std::vector<LaneState> states(9);
  states[5].moved = -1;
  CHECK(order(place(states).scrolled) == Order{5, 6, 7, 8, 0, 1, 2, 3, 4});
  states[5].moved = -9;
  CHECK(order(place(states).scrolled) == Order{5, 6, 7, 8, 0, 1, 2, 3, 4});
  states[5].moved = 0;
  states[3].moved = 1;
  CHECK(order(place(states).scrolled) == Order{0, 1, 2, 4, 3, 5, 6, 7, 8});
}

TEST_CASE("A filter keeps lanes whose label or parents match, and their parents") {
  const std::vector<LaneState> states(9);
  CHECK(order(place(states, "stream 8").scrolled) == Order{0, 4});
  CHECK(order(place(states, "gpu 1").scrolled) == Order{5, 6, 7, 8});
  CHECK(order(place(states, "GPU 0 stream 7").scrolled) == Order{0, 3});
  CHECK(place(states, "nothing").scrolled.empty());
}

}  // namespace
}  // namespace gputrace::gui
