#include "gui/lane_builder.h"

#include <algorithm>

namespace gputrace::gui {

void LaneBuilder::place_together(std::int64_t next_start_ns) {
  if (together_.size() > 1)
    std::stable_sort(together_.begin(), together_.end(), [](const Event& a, const Event& b) { return a.end_ns > b.end_ns; });
  for (std::size_t i = 0; i < together_.size(); ++i)
    place(together_[i], i + 1 < together_.size() ? together_[i + 1].start_ns : next_start_ns);
  together_.clear();
}

void LaneBuilder::place(const Event& event, std::int64_t next_start_ns) {
  std::int64_t end_ns = event.end_ns;
  std::size_t row = 0;
  while (row < rows_.size() && free_from_ns_[row] > event.start_ns) ++row;
  if (row + 1 >= kMaxRowsPerLane) {  // the last row: keep it disjoint by cutting at the next start
    row = kMaxRowsPerLane - 1;
    if (next_start_ns < end_ns) {
      end_ns = next_start_ns;
      ++cut_events_;
    }
  }
  if (row == rows_.size()) {
    rows_.emplace_back();
    if (row == 0) rows_[0].reserve(expected_);  // most lanes have one row
    free_from_ns_.push_back(end_ns);
  }
  free_from_ns_[row] = end_ns;
  rows_[row].add(event.start_ns, end_ns, event.ref, event.category, event.amount);
}

std::vector<EventRow> LaneBuilder::build() {
  place_together(INT64_MAX);
  for (EventRow& row : rows_) row.finish();
  return std::move(rows_);
}

}  // namespace gputrace::gui
