// Disjoint events in order of time, and an index that draws any stretch of them at any zoom in time that
// depends on the width of the picture, not on the number of events.
//
// The index goes by event, not by time: per block of 32 events, the start of the block and the busy time per
// category before it. A grid of time buckets would smear bursts (one long pause makes every bucket wide).
// Times may be any int64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gui/category.h"
#include "gui/event_ref.h"
#include "trace/trace.h"

namespace gputrace::gui {

using BusyByCategory = std::array<std::uint64_t, kCategoryCount>;  // nanoseconds

// One thing to draw: an event at least a column long, or a run of shorter ones that share a column.
struct RowItem {
  std::size_t first = 0, count = 0;
  std::int64_t start_ns = 0, end_ns = 0;  // from the first start to the last end
  Category category{};                    // of a run: the one with the most time
  float busy_share = 1;                   // of start_ns to end_ns, or of half a column where that is longer
};

class EventRow {
 public:
  void reserve(std::size_t events);
  // Events come in order of start, and each starts where the one before has ended or later.
  void add(std::int64_t start_ns, std::int64_t end_ns, EventRef ref, Category category);
  void finish();  // builds the index; no add() afterwards

  std::size_t size() const { return start_ns_.size(); }
  std::int64_t start_ns(std::size_t i) const { return start_ns_[i]; }
  std::int64_t end_ns(std::size_t i) const;
  std::uint64_t duration_ns(std::size_t i) const;
  EventRef ref(std::size_t i) const { return ref_.empty() ? EventRef{} : ref_[i]; }
  Category category(std::size_t i) const { return slots_[slot_[i]]; }
  trace::Span span(std::size_t i) const { return {start_ns(i), end_ns(i)}; }

  std::size_t first_ending_after(std::int64_t time_ns) const;       // size() where there is none
  std::size_t first_starting_from(std::int64_t time_ns) const;      // start >= time
  std::size_t longest(std::size_t first, std::size_t count) const;  // the event a click on a run means
  // Adds the busy time inside the window per category, exact to the nanosecond.
  void add_busy(trace::Span window, BusyByCategory& busy) const;
  // What to draw of the window; columns are 2^column_shift ns wide and lie on multiples of that, so that
  // nothing shimmers while the view moves. Appends to `items`, in order of time. Runs are exact, except that
  // a block shorter than a quarter of a column is never split.
  void fold(trace::Span window, int column_shift, std::vector<RowItem>& items) const;
  std::size_t size_bytes() const;

 private:
  static constexpr std::size_t kBlock = 32;
  struct Block {
    std::int64_t start_ns, end_ns;  // of the first and the last event
  };

  bool is_short(std::size_t block, std::uint64_t column_ns) const;
  std::size_t run_end(std::size_t first, std::int64_t until_ns, std::uint64_t column_ns) const;
  void add_slot_busy(std::size_t first, std::size_t last, BusyByCategory& by_slot) const;
  RowItem run(std::size_t first, std::size_t last, std::uint64_t column_ns) const;

  std::vector<std::int64_t> start_ns_;
  std::vector<std::uint32_t> duration_ns_;  // kLong: see long_
  std::unordered_map<std::size_t, std::uint64_t> long_;
  std::vector<EventRef> ref_;  // empty where no event has one
  std::vector<std::uint8_t> slot_;
  std::vector<Category> slots_;  // the categories of this row, in order of appearance
  std::vector<Block> blocks_;
  std::vector<std::uint64_t>
      busy_before_;  // [block][slot], and the total; sums wrap, their differences do not
};

}  // namespace gputrace::gui
