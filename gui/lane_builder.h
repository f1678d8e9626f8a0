// Spreads the events of one lane over rows of disjoint events, as they come in order of time.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/event_row.h"

namespace gputrace::gui {

inline constexpr std::size_t kMaxRowsPerLane = 48;  // deeper events share the last row, cut off where the next begins

class LaneBuilder {
 public:
  void expect_one() { ++expected_; }  // before the first add(): room for that many is made at once
  // In order of start. Each event goes to the highest row that is free when it starts; of those that start together the longer
  // goes first, so that what is inside lies below. amount: as EventRow::add takes it.
  void add(std::int64_t start_ns, std::int64_t end_ns, EventRef ref, Category category, double amount = 0) {
    if (!together_.empty() && together_.front().start_ns != start_ns) place_together(start_ns);
    together_.push_back({start_ns, end_ns, ref, category, amount});
  }
  std::vector<EventRow> build();  // no add() afterwards
  std::size_t cut_events() const { return cut_events_; }

 private:
  struct Event {
    std::int64_t start_ns, end_ns;
    EventRef ref;
    Category category;
    double amount;
  };
  void place_together(std::int64_t next_start_ns);
  void place(const Event& event, std::int64_t next_start_ns);

  std::size_t expected_ = 0;
  std::vector<Event> together_;  // the last added, which start together: not placed yet
  std::vector<EventRow> rows_;
  std::vector<std::int64_t> free_from_ns_;  // by row
  std::size_t cut_events_ = 0;
};

}  // namespace gputrace::gui
