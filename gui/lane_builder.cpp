#include "gui/lane_builder.h"

#include <algorithm>

namespace gputrace::gui {

std::vector<EventRow> LaneBuilder::build(std::size_t max_rows, std::size_t& cut_events,
                                         const std::function<double(EventRef)>& amount_of) {
  const auto before = [](const Event& a, const Event& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  };
  if (!std::is_sorted(events_.begin(), events_.end(), before))
    std::stable_sort(events_.begin(), events_.end(), before);
  std::vector<EventRow> rows;
  std::vector<std::int64_t> free_from_ns;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    Event event = events_[i];
    std::size_t row = 0;
    while (row < rows.size() && free_from_ns[row] > event.start_ns) ++row;
    if (row + 1 >= max_rows) {  // the last row: keep it disjoint by cutting at the next start
      row = max_rows - 1;
      if (i + 1 < events_.size() && events_[i + 1].start_ns < event.end_ns) {
        event.end_ns = events_[i + 1].start_ns;
        ++cut_events;
      }
    }
    if (row == rows.size()) {
      rows.emplace_back();
      if (row == 0) rows.back().reserve(events_.size());  // most lanes have one row
      free_from_ns.push_back(event.end_ns);
    }
    free_from_ns[row] = event.end_ns;
    rows[row].add(event.start_ns, event.end_ns, event.ref, event.category,
                  amount_of ? amount_of(event.ref) : 0);
  }
  events_ = {};
  for (EventRow& row : rows) row.finish();
  return rows;
}

}  // namespace gputrace::gui
