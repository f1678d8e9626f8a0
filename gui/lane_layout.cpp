#include "gui/lane_layout.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace gputrace::gui {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

class Placer {
 public:
  Placer(const Timeline& timeline, const std::vector<LaneState>& states, const std::string& filter,
         const LaneMetrics& metrics)
      : timeline_{timeline}, states_{states}, metrics_{metrics}, children_(timeline.lanes.size()) {
    std::istringstream words{lower(filter)};
    for (std::string word; words >> word;) words_.push_back(word);
    for (std::size_t i = 0; i < timeline.lanes.size(); ++i)
      (timeline.lanes[i].parent < 0 ? roots_ : children_[static_cast<std::size_t>(timeline.lanes[i].parent)])
          .push_back(i);
  }

  LaneLayout place() {
    place_siblings(roots_, "");
    return std::move(layout_);
  }

 private:
  LaneState state(std::size_t lane) const { return lane < states_.size() ? states_[lane] : LaneState{}; }

  bool matches(const std::string& path) const {
    return std::all_of(words_.begin(), words_.end(),
                       [&](const auto& word) { return path.find(word) != std::string::npos; });
  }

  // Each lane that was moved changes places with that many siblings.
  std::vector<std::size_t> in_order(std::vector<std::size_t> siblings) const {
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      const std::size_t lane = siblings[i];
      if (state(lane).moved == 0) continue;
      const auto position = static_cast<std::ptrdiff_t>(i);
      const auto target =
          std::clamp<std::ptrdiff_t>(position + state(lane).moved, 0, std::ssize(siblings) - 1);
      if (target < position)
        std::rotate(siblings.begin() + target, siblings.begin() + position, siblings.begin() + position + 1);
    }
    for (std::size_t i = siblings.size(); i-- > 0;) {
      const auto position = static_cast<std::ptrdiff_t>(i);
      const auto target =
          std::min<std::ptrdiff_t>(position + state(siblings[i]).moved, std::ssize(siblings) - 1);
      if (target > position)
        std::rotate(siblings.begin() + position, siblings.begin() + position + 1,
                    siblings.begin() + target + 1);
    }
    return siblings;
  }

  bool any_match(std::size_t lane, const std::string& path) const {
    const std::string own = path + " " + lower(timeline_.lanes[lane].label);
    return matches(own) || std::any_of(children_[lane].begin(), children_[lane].end(),
                                       [&](std::size_t child) { return any_match(child, own); });
  }

  void place_siblings(const std::vector<std::size_t>& siblings, const std::string& path) {
    for (const std::size_t lane : in_order(siblings)) {
      if (!words_.empty() && !any_match(lane, path)) continue;
      put(lane);
      if (state(lane).collapsed) continue;
      place_siblings(children_[lane], words_.empty() ? path : path + " " + lower(timeline_.lanes[lane].label));
    }
  }

  void put(std::size_t index) {
    const Lane& lane = timeline_.lanes[index];
    PlacedLane placed{.lane = index, .rows = lane.rows.size(), .has_children = !children_[index].empty()};
    if (state(index).collapsed) placed.rows = std::min<std::size_t>(placed.rows, 1);
    const float content = lane.kind == LaneKind::graph
                              ? metrics_.graph
                              : static_cast<float>(placed.rows) * row_height(lane, metrics_);
    placed.height = std::max(content, metrics_.header) + metrics_.gap;
    const bool pinned = state(index).pinned;
    float& bottom = pinned ? layout_.pinned_height : layout_.scrolled_height;
    placed.top = bottom;
    bottom += placed.height;
    (pinned ? layout_.pinned : layout_.scrolled).push_back(placed);
  }

  const Timeline& timeline_;
  const std::vector<LaneState>& states_;
  const LaneMetrics& metrics_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  std::vector<std::string> words_;
  LaneLayout layout_;
};

}  // namespace

float row_height(const Lane& lane, const LaneMetrics& metrics) {
  if (lane.kind != LaneKind::gpu) return metrics.row;
  return lane.rows.front().size() > 0 ? metrics.summary : metrics.header;  // low where nothing ran
}

LaneLayout place_lanes(const Timeline& timeline, const std::vector<LaneState>& states,
                       const std::string& filter, const LaneMetrics& metrics) {
  return Placer{timeline, states, filter, metrics}.place();
}

}  // namespace gputrace::gui
