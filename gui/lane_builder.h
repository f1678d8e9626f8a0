// Collects the events of one lane and spreads them over rows of disjoint events.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gui/event_row.h"

namespace gputrace::gui {

class LaneBuilder {
 public:
  void add(std::int64_t start_ns, std::int64_t end_ns, EventRef ref, Category category) {
    events_.push_back({start_ns, end_ns, ref, category});
  }
  bool empty() const { return events_.empty(); }
  // Each event goes to the highest row that is free when it starts; of two that start together the longer
  // goes first, so that what is inside lies below. Leaves the builder empty; adds to `cut_events` (see
  // Timeline). amount_of: what EventRow::add takes; none without it.
  std::vector<EventRow> build(std::size_t max_rows, std::size_t& cut_events,
                              const std::function<double(EventRef)>& amount_of = {});

 private:
  struct Event {
    std::int64_t start_ns, end_ns;
    EventRef ref;
    Category category;
  };
  std::vector<Event> events_;
};

}  // namespace gputrace::gui
