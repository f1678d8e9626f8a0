// Collects the events of one lane and spreads them over rows of disjoint events.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gui/drawn_events.h"
#include "gui/event_row.h"

namespace gputrace::gui {

class LaneBuilder {
 public:
  void add(EventRef event) {  // table by table, the rows of each in their order
    if (events_.empty() || events_.back().table() != event.table()) table_begins_.push_back(events_.size());
    events_.push_back(event);
  }
  bool empty() const { return events_.empty(); }
  // Each event goes to the highest row that is free when it starts; of two that start together the longer
  // goes first, so that what is inside lies below. Leaves the builder empty; adds to `cut_events` (see
  // Timeline). amount_of: what EventRow::add takes; none without it.
  std::vector<EventRow> build(const DrawnEvents& drawn, std::size_t max_rows, std::size_t& cut_events,
                              const std::function<double(EventRef)>& amount_of = {});

 private:
  void sort(const DrawnEvents& drawn);

  std::vector<EventRef> events_;
  std::vector<std::size_t> table_begins_;  // indices into events_
};

}  // namespace gputrace::gui
