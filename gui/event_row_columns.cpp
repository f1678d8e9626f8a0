// What is drawn of an EventRow: its events by column of the picture. Where blocks are short only the blocks are touched, not their
// events: that is most of the time when much is shown, and the cost is in fetching memory.
#include <algorithm>

#include "gui/event_row.h"
#include "gui/time_math.h"

namespace gputrace::gui {

// So short that drawing never splits it; no event in it is then a column long.
bool EventRow::is_short(std::size_t block, std::uint64_t column_ns) const {
  return block + 1 < block_start_ns_.size() &&
         distance_ns(block_start_ns_[block], block_start_ns_[block + 1]) < column_ns / 4;
}

// Fetches what a run that ends in the block will need, because most of the time of a frame is waiting for memory.
void EventRow::fetch(std::size_t block, std::uint64_t column_ns) const {
  const auto touch = [](const auto& values, std::size_t i) {
    if (i < values.size()) __builtin_prefetch(&values[i]);
  };
  touch(block_end_ns_, block);
  touch(busy_before_, block * slots_.size());
  touch(busy_before_, (block + 1) * slots_.size());
  if (is_short(block, column_ns)) return;
  for (const std::size_t half : {block * kBlock, block * kBlock + kBlock / 2}) {  // a cache line each
    touch(offset_ns_, half);
    touch(duration_ns_, half);
  }
  touch(slot_, block * kBlock);
}

// The first event after `first` that starts at until_ns or later; the end of a short block counts as such.
// blocks_per_run: of the run before, and then of this; runs of neighbours are about as long, and what those after them will
// need is fetched meanwhile.
std::size_t EventRow::run_end(std::size_t first, std::int64_t until_ns, std::uint64_t column_ns,
                              std::size_t& blocks_per_run) const {
  const std::size_t block = block_before(first / kBlock, until_ns, std::max<std::size_t>(blocks_per_run, 1));
  blocks_per_run = block - first / kBlock;
  fetch(block_before(block, add_ns(until_ns, kColumnsAhead * column_ns), kColumnsAhead * blocks_per_run + 1), column_ns);
  const std::size_t end = std::min((block + 1) * kBlock, size());
  if (is_short(block, column_ns)) return end;
  const std::size_t from = std::max(first + 1, block * kBlock);
  return from >= end ? end : first_in_block_from(block, from, until_ns);
}

RowItem EventRow::run(std::size_t first, std::size_t last, std::uint64_t column_ns) const {
  RowItem item{.first = first, .count = last - first};
  item.start_ns = first % kBlock == 0 ? block_start_ns_[first / kBlock] : start_ns(first);
  item.end_ns = last % kBlock == 0 ? block_end_ns_[last / kBlock - 1] : end_ns(last - 1);
  if (item.count == 1) {
    item.category = category(first);
    return item;
  }
  BusyByCategory by_slot;
  std::fill_n(by_slot.begin(), slots_.size(), 0);
  add_slot_busy(first, last, by_slot);
  std::size_t best = 0;
  std::uint64_t busy = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    busy += by_slot[s];
    if (by_slot[s] > by_slot[best]) best = s;
  }
  item.category = slots_[best];
  const std::uint64_t extent =
      std::max(distance_ns(item.start_ns, item.end_ns), std::max<std::uint64_t>(column_ns / 2, 1));
  item.busy_share = std::min(1.0F, static_cast<float>(busy) / static_cast<float>(extent));
  return item;
}

void EventRow::fold(trace::Span window, int column_shift, std::vector<RowItem>& items) const {
  const std::uint64_t column_ns = std::uint64_t{1} << column_shift;
  std::size_t i = first_ending_after(window.start_ns), blocks_per_run = 0;
  while (i < size()) {
    const bool short_first = i % kBlock == 0 && is_short(i / kBlock, column_ns);
    const std::int64_t start = short_first ? block_start_ns_[i / kBlock] : start_ns(i);
    if (start >= window.end_ns) break;
    if (!short_first && duration_ns(i) >= column_ns) {
      items.push_back(
          {.first = i, .count = 1, .start_ns = start, .end_ns = end_ns(i), .category = category(i)});
      ++i;
      continue;
    }
    const std::int64_t column_end_ns = add_ns((start >> column_shift) << column_shift, column_ns);
    std::size_t last = run_end(i, column_end_ns, column_ns, blocks_per_run);
    const bool short_last = last % kBlock == 0 && is_short(last / kBlock - 1, column_ns);
    if (!short_last && last - 1 > i && duration_ns(last - 1) >= column_ns)
      --last;  // a long event starts in this column
    items.push_back(run(i, last, column_ns));
    i = last;
  }
}

// amount_of(first, last): what the whole events first to last - 1 hold.
template <class AmountOf>
void EventRow::add_by_column(std::int64_t first_ns, std::uint64_t column_ns, std::vector<double>& columns,
                             AmountOf amount_of) const {
  const auto share_before = [&](std::size_t i, std::int64_t time_ns) {  // of the event that time_ns cuts
    const std::uint64_t duration = duration_ns(i);
    return duration == 0 ? 0.0
                         : static_cast<double>(distance_ns(start_ns(i), time_ns)) /
                               static_cast<double>(duration);
  };
  std::size_t i = first_ending_after(first_ns);
  std::int64_t from_ns = first_ns;
  for (std::size_t c = 0; c < columns.size() && i < size(); ++c) {
    const std::int64_t to_ns = add_ns(from_ns, column_ns);
    if (start_ns(i) < to_ns) {
      const std::size_t block = block_before(i / kBlock, to_ns);
      const std::size_t last = first_in_block_from(block, std::max(i, block * kBlock), to_ns);
      double amount = amount_of(i, last);
      if (start_ns(i) < from_ns) amount -= amount_of(i, i + 1) * share_before(i, from_ns);
      const bool reaches_on = end_ns(last - 1) > to_ns;
      if (reaches_on) amount -= amount_of(last - 1, last) * (1 - share_before(last - 1, to_ns));
      columns[c] += amount;
      i = reaches_on ? last - 1 : last;
    }
    from_ns = to_ns;
  }
}

void EventRow::add_busy_by_column(std::int64_t first_ns, std::uint64_t column_ns,
                                  const CategorySet& categories, std::vector<double>& columns) const {
  add_by_column(first_ns, column_ns, columns, [&](std::size_t first, std::size_t last) {
    BusyByCategory by_slot;
    std::fill_n(by_slot.begin(), slots_.size(), 0);
    add_slot_busy(first, last, by_slot);
    std::uint64_t busy = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (categories[static_cast<std::size_t>(slots_[s])]) busy += by_slot[s];
    return static_cast<double>(busy);
  });
}

void EventRow::add_amount_by_column(std::int64_t first_ns, std::uint64_t column_ns,
                                    std::vector<double>& columns) const {
  if (amount_before_.empty()) return;
  add_by_column(first_ns, column_ns, columns, [&](std::size_t first, std::size_t last) {
    return amount_before_[last] - amount_before_[first];
  });
}

}  // namespace gputrace::gui
