// Why a GPU did nothing before each stretch of its work, beside the row of those stretches: the time per cause in
// any window, exact to the nanosecond, and 7 bytes a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gui/event_row.h"
#include "gui/time_math.h"

namespace gputrace::gui {

struct IdlePiece {
  trace::Span span;
  Category cause = Category::idle_unknown;
};

class IdleRow {
 public:
  IdleRow() = default;
  explicit IdleRow(trace::Span whole) : whole_{whole} {}

  // For gap 0, 1, ...: gap i ends where stretch i begins, the last one with the trace. The last launch_ns of it
  // are idle_launch, what is before that has the cause.
  void add(Category cause, std::uint64_t launch_ns);
  void finish(const EventRow& stretches);  // the row that the gaps lie in; no add() afterwards

  bool empty() const { return cause_.empty(); }
  std::size_t size() const { return cause_.size(); }
  trace::Span gap(const EventRow& stretches, std::size_t i) const;
  // Appends what the gap is made of, in order of time: none where it has no length, else one piece or two.
  void append_pieces(const EventRow& stretches, std::size_t i, std::vector<IdlePiece>& pieces) const;
  // The gaps that touch the window: first to last - 1.
  struct Range {
    std::size_t first = 0, last = 0;
  };
  Range gaps_in(const EventRow& stretches, trace::Span window, std::size_t near = 0) const;  // near: as EventRow takes it
  void add_idle(const EventRow& stretches, trace::Span window, BusyByCategory& idle) const;
  // Calls visit(column, idle time by category) for each column that some gap touches. Columns are column_ns (at least 1) wide, the
  // first begins with the window, and the last may reach beyond it.
  template <class Visit>
  void for_each_column(const EventRow& stretches, trace::Span window, std::uint64_t column_ns, Visit visit) const {
    Range gaps;
    for (trace::Span column{window.start_ns, window.start_ns}; column.start_ns < window.end_ns; column.start_ns = column.end_ns) {
      column.end_ns = add_ns(column.start_ns, column_ns);
      gaps = gaps_in(stretches, column, gaps.first);
      BusyByCategory idle{};
      add_gaps(stretches, gaps, column, idle);
      if (gaps.first < gaps.last) visit(column, idle);
    }
  }
  std::size_t size_bytes() const;

 private:
  static constexpr std::size_t kBlock = 32, kCauses = 6;
  std::uint64_t launch_ns(std::size_t i) const;
  void add_gaps(const EventRow& stretches, Range gaps, trace::Span window, BusyByCategory& idle) const;
  void add_whole(const EventRow& stretches, std::size_t first, std::size_t last, BusyByCategory& idle) const;
  void add_gap(const EventRow& stretches, std::size_t i, trace::Span window, BusyByCategory& idle,
               std::uint64_t sign = 1) const;

  trace::Span whole_;
  std::vector<std::uint8_t> cause_;       // Category less idle_host
  std::vector<std::uint32_t> launch_ns_;  // kLong: see long_
  std::unordered_map<std::size_t, std::uint64_t> long_;
  std::vector<std::uint64_t> idle_before_;  // [block][cause]
};

}  // namespace gputrace::gui
