#include "gui/event_row.h"

#include <algorithm>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

constexpr std::uint32_t kLong = UINT32_MAX;  // a time of 4.29 s or more

// A time in four bytes, or in the map where it does not fit.
inline std::uint32_t packed(std::uint64_t ns, std::size_t i, std::unordered_map<std::size_t, std::uint64_t>& large) {
  if (ns < kLong) return static_cast<std::uint32_t>(ns);
  large.emplace(i, ns);
  return kLong;
}

}  // namespace

void EventRow::add(std::int64_t start_ns, std::int64_t end_ns, EventRef ref, Category category,
                   double amount) {
  const std::size_t i = size();
  if (ref.valid() && ref_.empty()) {
    ref_.reserve(offset_ns_.capacity());
    ref_.resize(i);
  }
  if (ref.valid() || !ref_.empty()) ref_.push_back(ref);
  std::size_t slot = slots_.empty() ? 0 : slot_.back();  // neighbours are often alike
  if (slots_.empty() || slots_[slot] != category) slot = slot_of(category);
  slot_.push_back(static_cast<std::uint8_t>(slot));
  if (i % kBlock == 0) {
    block_start_ns_.push_back(start_ns);
    block_end_ns_.push_back(end_ns);
  }
  block_end_ns_.back() = end_ns;
  offset_ns_.push_back(packed(distance_ns(block_start_ns_.back(), start_ns), i, far_));
  duration_ns_.push_back(packed(distance_ns(start_ns, end_ns), i, long_));
  if (amount != 0 && amount_before_.empty()) amount_before_.resize(i + 1);
  if (!amount_before_.empty()) amount_before_.push_back(amount_before_.back() + amount);
}

std::size_t EventRow::slot_of(Category category) {
  const auto slot = std::find(slots_.begin(), slots_.end(), category);
  if (slot != slots_.end()) return static_cast<std::size_t>(slot - slots_.begin());
  slots_.push_back(category);
  return slots_.size() - 1;
}

void EventRow::reserve(std::size_t events) {
  offset_ns_.reserve(events);
  duration_ns_.reserve(events);
  slot_.reserve(events);
  block_start_ns_.reserve(events / kBlock + 1);
  block_end_ns_.reserve(events / kBlock + 1);
}

void EventRow::finish() {
  offset_ns_.shrink_to_fit();
  duration_ns_.shrink_to_fit();
  ref_.shrink_to_fit();
  slot_.shrink_to_fit();
  block_start_ns_.shrink_to_fit();
  block_end_ns_.shrink_to_fit();
  amount_before_.shrink_to_fit();
  busy_before_.reserve((size() / kBlock + 1) * slots_.size());
  BusyByCategory busy{};
  for (std::size_t i = 0; i <= size(); ++i) {
    if (i % kBlock == 0)
      busy_before_.insert(busy_before_.end(), busy.begin(),
                          busy.begin() + static_cast<std::ptrdiff_t>(slots_.size()));
    if (i < size()) busy[slot_[i]] += duration_ns(i);
  }
}

std::int64_t EventRow::start_ns(std::size_t i) const {
  const std::uint64_t offset = offset_ns_[i] == kLong ? far_.find(i)->second : offset_ns_[i];
  return add_ns(block_start_ns_[i / kBlock], offset);
}

std::uint64_t EventRow::duration_ns(std::size_t i) const {
  return duration_ns_[i] == kLong ? long_.find(i)->second : duration_ns_[i];
}

std::int64_t EventRow::end_ns(std::size_t i) const { return add_ns(start_ns(i), duration_ns(i)); }

// Of the block's events from `first` on, the first that starts at time_ns or later; else the block's end. Looks at all of them,
// because a count over neighbours costs less than a search that the processor cannot foresee.
std::size_t EventRow::first_in_block_from(std::size_t block, std::size_t first, std::int64_t time_ns) const {
  if (block_start_ns_[block] >= time_ns) return first;
  const std::uint64_t offset = distance_ns(block_start_ns_[block], time_ns);
  const std::size_t end = std::min((block + 1) * kBlock, size());
  std::uint32_t earlier = 0;
  if (offset <= kLong) {  // an offset of kLong stands for that or more, which is no earlier
    const auto limit = static_cast<std::uint32_t>(offset);
    for (std::size_t i = first; i < end; ++i) earlier += offset_ns_[i] < limit ? 1 : 0;
  } else {
    for (std::size_t i = first; i < end; ++i) earlier += start_ns(i) < time_ns ? 1 : 0;
  }
  return first + earlier;
}

// The last block that starts before time_ns, by a galloping search from `low`, which starts before it; `step` is how far
// on it is thought to be.
std::size_t EventRow::block_before(std::size_t low, std::int64_t time_ns, std::size_t step) const {
  const std::size_t blocks = block_start_ns_.size();
  std::size_t high = low + step;
  for (step = 1; high < blocks && block_start_ns_[high] < time_ns; step *= 2) {
    low = high;
    high += step;
  }
  const auto bound = [&](std::size_t block) {
    return block_start_ns_.begin() + static_cast<std::ptrdiff_t>(std::min(block, blocks));
  };
  const auto after = std::lower_bound(bound(low + 1), bound(high), time_ns);
  return static_cast<std::size_t>(after - block_start_ns_.begin()) - 1;
}

std::size_t EventRow::first_starting_from(std::int64_t time_ns, std::size_t near) const {
  if (block_start_ns_.empty() || block_start_ns_.front() >= time_ns) return 0;
  const std::size_t close = std::min(near / kBlock, block_start_ns_.size() - 1);
  const std::size_t block = block_before(block_start_ns_[close] < time_ns ? close : 0, time_ns);
  return first_in_block_from(block, block * kBlock, time_ns);
}

std::size_t EventRow::first_ending_after(std::int64_t time_ns, std::size_t near) const {
  std::size_t i = first_starting_from(time_ns, near);
  while (i > 0 && end_ns(i - 1) > time_ns) --i;  // disjoint: at most one step
  return i;
}

std::size_t EventRow::longest(std::size_t first, std::size_t count) const {
  std::size_t best = first;
  for (std::size_t i = first; i < first + count && i < size(); ++i)
    if (duration_ns(i) > duration_ns(best)) best = i;
  return best;
}

// From the nearest boundaries of blocks, so that at most half a block is summed at either end. What is too much on the way
// wraps and comes back.
void EventRow::add_slot_busy(std::size_t first, std::size_t last, BusyByCategory& by_slot) const {
  const auto add_each = [&](std::size_t from, std::size_t to, std::uint64_t sign) {
    for (std::size_t i = from; i < to; ++i) by_slot[slot_[i]] += sign * duration_ns(i);
  };
  const auto add_between = [&](std::size_t from, std::size_t to) {
    from < to ? add_each(from, to, 1) : add_each(to, from, std::uint64_t{0} - 1);
  };
  if (last - first <= kBlock / 2) return add_each(first, last, 1);
  const std::size_t whole_blocks = size() / kBlock;
  const std::size_t first_block = std::min((first + kBlock / 2) / kBlock, whole_blocks),
                    last_block = std::min((last + kBlock / 2) / kBlock, whole_blocks), slots = slots_.size();
  add_between(first, first_block * kBlock);
  for (std::size_t s = 0; s < slots; ++s)
    by_slot[s] += busy_before_[last_block * slots + s] - busy_before_[first_block * slots + s];
  add_between(last_block * kBlock, last);
}

void EventRow::add_busy(trace::Span window, BusyByCategory& busy) const {
  const std::size_t first = first_ending_after(window.start_ns), last = first_starting_from(window.end_ns);
  if (first >= last) return;
  BusyByCategory by_slot{};
  add_slot_busy(first, last, by_slot);
  if (start_ns(first) < window.start_ns)
    by_slot[slot_[first]] -= distance_ns(start_ns(first), window.start_ns);
  if (end_ns(last - 1) > window.end_ns)
    by_slot[slot_[last - 1]] -= distance_ns(window.end_ns, end_ns(last - 1));
  for (std::size_t s = 0; s < slots_.size(); ++s) busy[static_cast<std::size_t>(slots_[s])] += by_slot[s];
}

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

// Where blocks are short only the blocks are touched, not their events: that is most of the time when much is
// shown, and the cost is in fetching memory.
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

std::size_t EventRow::size_bytes() const {
  constexpr std::size_t kMapNode = 48;  // about what an entry of an unordered_map takes
  return offset_ns_.capacity() * sizeof offset_ns_[0] + duration_ns_.capacity() * sizeof duration_ns_[0] +
         ref_.capacity() * sizeof(EventRef) + slot_.capacity() + slots_.capacity() +
         (block_start_ns_.capacity() + block_end_ns_.capacity()) * sizeof(std::int64_t) +
         busy_before_.capacity() * sizeof busy_before_[0] +
         amount_before_.capacity() * sizeof(double) + (far_.size() + long_.size()) * kMapNode;
}

}  // namespace gputrace::gui
