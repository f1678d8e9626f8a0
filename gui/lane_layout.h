// Where lanes lie in the timeline, from top to bottom: which are shown, how high, in which order.
#pragma once

#include <string>
#include <vector>

#include "gui/timeline.h"

namespace gputrace::gui {

struct LaneState {         // what the user did to a lane
  bool collapsed = false;  // children hidden; of several rows only the first shown
  bool pinned = false;     // kept at the top
  int moved = 0;           // places up (negative) or down among its siblings
  std::string note{};      // said beside the label: the end of a graph's axis, as last drawn
};

struct LaneMetrics {  // pixels
  float row = 18, summary = 34, header = 22, gap = 3, graph = 22;
};

struct PlacedLane {
  std::size_t lane = 0;
  float top = 0, height = 0;  // top is from the start of its part
  std::size_t rows = 0;       // rows of events shown
  bool has_children = false;
};

struct LaneLayout {
  std::vector<PlacedLane> pinned, scrolled;  // pinned ones lie above and don't scroll
  float pinned_height = 0, scrolled_height = 0;
};

// `filter`: words that a lane's label or its parents' must hold, ignoring case; "" shows all lanes.
LaneLayout place_lanes(const Timeline& timeline, const std::vector<LaneState>& states,
                       const std::string& filter, const LaneMetrics& metrics);
float row_height(const Lane& lane, const LaneMetrics& metrics);

}  // namespace gputrace::gui
