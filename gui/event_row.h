// Disjoint events in order of time, and an index that draws any stretch of them at any zoom in time that
// depends on the width of the picture, not on the number of events.
//
// The index goes by event, not by time: per block of 32 events, the start of the block and the busy time per
// category before it. A grid of time buckets would smear bursts (one long pause makes every bucket wide).
// Times may be any int64; an event's start is kept as its distance from the start of its block.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gui/category.h"
#include "gui/event_ref.h"
#include "gui/time_math.h"
#include "trace/trace.h"

namespace gputrace::gui {

using BusyByCategory = std::array<std::uint64_t, kCategoryCount>;  // nanoseconds
using CategorySet = std::bitset<kCategoryCount>;

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
  // Events come in order of start, and each starts where the one before has ended or later. An amount (bytes of
  // a copy) is taken to pass evenly from start to end.
  void add(std::int64_t start_ns, std::int64_t end_ns, EventRef ref, Category category, double amount = 0);
  void finish();  // builds the index; no add() afterwards

  std::size_t size() const { return duration_ns_.size(); }
  std::int64_t start_ns(std::size_t i) const {
    return add_ns(block_start_ns_[i / kBlock], offset_ns_[i] == kLong ? far_.find(i)->second : offset_ns_[i]);
  }
  std::int64_t end_ns(std::size_t i) const { return add_ns(start_ns(i), duration_ns(i)); }
  std::uint64_t duration_ns(std::size_t i) const {
    return duration_ns_[i] == kLong ? long_.find(i)->second : duration_ns_[i];
  }
  EventRef ref(std::size_t i) const { return ref_.empty() ? EventRef{} : ref_[i]; }
  Category category(std::size_t i) const { return slots_[slot_[i]]; }
  trace::Span span(std::size_t i) const { return {start_ns(i), end_ns(i)}; }

  // size() where there is none. near: an event somewhat earlier, from which the search goes on; any is right.
  std::size_t first_ending_after(std::int64_t time_ns, std::size_t near = 0) const;
  std::size_t first_starting_from(std::int64_t time_ns, std::size_t near = 0) const;  // start >= time
  std::size_t longest(std::size_t first, std::size_t count) const;  // the event a click on a run means
  // Adds the busy time inside the window per category, exact to the nanosecond.
  void add_busy(trace::Span window, BusyByCategory& busy) const;
  // Adds to each column what passes in it: the busy time of the categories (ns), or the amounts. columns[0]
  // begins at first_ns; each is column_ns (at least 1) wide.
  void add_busy_by_column(std::int64_t first_ns, std::uint64_t column_ns, const CategorySet& categories,
                          std::vector<double>& columns) const;
  void add_amount_by_column(std::int64_t first_ns, std::uint64_t column_ns,
                            std::vector<double>& columns) const;
  // What to draw of the window; columns are 2^column_shift ns wide and lie on multiples of that, so that
  // nothing shimmers while the view moves. Appends to `items`, in order of time. Runs are exact, except that
  // a block shorter than a quarter of a column is never split.
  void fold(trace::Span window, int column_shift, std::vector<RowItem>& items) const;
  std::size_t size_bytes() const;

 private:
  static constexpr std::size_t kBlock = 32;
  static constexpr std::uint32_t kLong = UINT32_MAX;  // a time of 4.29 s or more
  static constexpr std::uint64_t kColumnsAhead = 4;   // whose memory is fetched while a column is summed

  std::size_t slot_of(Category category);
  bool is_short(std::size_t block, std::uint64_t column_ns) const;
  std::size_t block_before(std::size_t low, std::int64_t time_ns, std::size_t step = 1) const;
  std::size_t run_end(std::size_t first, std::int64_t until_ns, std::uint64_t column_ns,
                      std::size_t& blocks_per_run) const;
  void add_slot_busy(std::size_t first, std::size_t last, BusyByCategory& by_slot) const;
  void fetch(std::size_t block, std::uint64_t column_ns) const;
  RowItem run(std::size_t first, std::size_t last, std::uint64_t column_ns) const;

  template <class AmountOf>
  void add_by_column(std::int64_t first_ns, std::uint64_t column_ns, std::vector<double>& columns,
                     AmountOf amount_of) const;
  std::size_t first_in_block_from(std::size_t block, std::size_t first, std::int64_t time_ns) const;

  std::vector<std::uint32_t> offset_ns_;    // of the start from its block's; kLong: see far_
  std::vector<std::uint32_t> duration_ns_;  // kLong: see long_
  std::unordered_map<std::size_t, std::uint64_t> far_, long_;
  std::vector<double> amount_before_;  // sums; empty where no event has an amount, else one more than events
  std::vector<EventRef> ref_;  // empty where no event has one
  std::vector<std::uint8_t> slot_;
  std::vector<Category> slots_;  // the categories of this row, in order of appearance
  std::vector<std::int64_t> block_start_ns_, block_end_ns_;  // of the first and the last event
  std::vector<std::uint64_t>
      busy_before_;  // [block][slot], and the total; sums wrap, their differences do not
};

}  // namespace gputrace::gui
