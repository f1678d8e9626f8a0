#include "gui/lane_builder.h"

#include <algorithm>

namespace gputrace::gui {

// The rows of a table come in order of start, so there is little to sort: those that start together, and tables into each other.
void LaneBuilder::sort(const DrawnEvents& drawn) {
  const auto before = [&](EventRef a, EventRef b) {
    const std::int64_t a_ns = drawn.start_ns(a), b_ns = drawn.start_ns(b);
    return a_ns != b_ns ? a_ns < b_ns : drawn.end_ns(a) > drawn.end_ns(b);
  };
  table_begins_.push_back(events_.size());
  const auto at = [&](std::size_t table) { return events_.begin() + static_cast<std::ptrdiff_t>(table_begins_[table]); };
  for (std::size_t t = 0; t + 1 < table_begins_.size(); ++t) {
    if (!std::is_sorted(at(t), at(t + 1), before)) std::stable_sort(at(t), at(t + 1), before);
    std::inplace_merge(events_.begin(), at(t), at(t + 1), before);
  }
}

std::vector<EventRow> LaneBuilder::build(const DrawnEvents& drawn, std::size_t max_rows, std::size_t& cut_events,
                                         const std::function<double(EventRef)>& amount_of) {
  sort(drawn);
  std::vector<EventRow> rows;
  std::vector<std::int64_t> free_from_ns;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const EventRef event = events_[i];
    trace::Span span = drawn.span(event);
    std::size_t row = 0;
    while (row < rows.size() && free_from_ns[row] > span.start_ns) ++row;
    if (row + 1 >= max_rows) {  // the last row: keep it disjoint by cutting at the next start
      row = max_rows - 1;
      if (i + 1 < events_.size() && drawn.start_ns(events_[i + 1]) < span.end_ns) {
        span.end_ns = drawn.start_ns(events_[i + 1]);
        ++cut_events;
      }
    }
    if (row == rows.size()) {
      rows.emplace_back();
      if (row == 0) rows.back().reserve(events_.size());  // most lanes have one row
      free_from_ns.push_back(span.end_ns);
    }
    free_from_ns[row] = span.end_ns;
    rows[row].add(span.start_ns, span.end_ns, event, drawn.category(event), amount_of ? amount_of(event) : 0);
  }
  events_ = {};
  table_begins_ = {};
  for (EventRow& row : rows) row.finish();
  return rows;
}

}  // namespace gputrace::gui
