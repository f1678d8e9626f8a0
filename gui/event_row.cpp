#include "gui/event_row.h"

#include <algorithm>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

// A time in four bytes: as it is, or `too_long` and in the map.
std::uint32_t packed(std::uint64_t ns, std::size_t i, std::uint32_t too_long, std::unordered_map<std::size_t, std::uint64_t>& large) {
  if (ns < too_long) return static_cast<std::uint32_t>(ns);
  large.emplace(i, ns);
  return too_long;
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
  offset_ns_.push_back(packed(distance_ns(block_start_ns_.back(), start_ns), i, kLong, far_));
  duration_ns_.push_back(packed(distance_ns(start_ns, end_ns), i, kLong, long_));
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

std::size_t EventRow::size_bytes() const {
  constexpr std::size_t kMapNode = 48;  // about what an entry of an unordered_map takes
  return offset_ns_.capacity() * sizeof offset_ns_[0] + duration_ns_.capacity() * sizeof duration_ns_[0] +
         ref_.capacity() * sizeof(EventRef) + slot_.capacity() + slots_.capacity() +
         (block_start_ns_.capacity() + block_end_ns_.capacity()) * sizeof(std::int64_t) +
         busy_before_.capacity() * sizeof busy_before_[0] +
         amount_before_.capacity() * sizeof(double) + (far_.size() + long_.size()) * kMapNode;
}

}  // namespace gputrace::gui
