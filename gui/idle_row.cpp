#include "gui/idle_row.h"

#include <algorithm>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

constexpr std::uint32_t kLong = UINT32_MAX;  // a launch of 4.29 s or more
constexpr auto kFirstCause = static_cast<std::size_t>(Category::idle_host);
static_assert(static_cast<std::size_t>(Category::idle_unknown) - kFirstCause + 1 == 6);

}  // namespace

void IdleRow::add(Category cause, std::uint64_t launch_ns) {
  if (launch_ns >= kLong) long_.emplace(size(), launch_ns);
  launch_ns_.push_back(launch_ns >= kLong ? kLong : static_cast<std::uint32_t>(launch_ns));
  cause_.push_back(static_cast<std::uint8_t>(static_cast<std::size_t>(cause) - kFirstCause));
}

void IdleRow::finish(const EventRow& stretches) {
  cause_.shrink_to_fit();
  launch_ns_.shrink_to_fit();
  idle_before_.reserve((size() / kBlock + 1) * kCauses);
  BusyByCategory idle{};
  for (std::size_t i = 0; i <= size(); ++i) {
    if (i % kBlock == 0)
      idle_before_.insert(idle_before_.end(), idle.begin() + kFirstCause,
                          idle.begin() + kFirstCause + kCauses);
    if (i < size()) add_gap(stretches, i, whole_, idle);
  }
}

std::uint64_t IdleRow::launch_ns(std::size_t i) const {
  return launch_ns_[i] == kLong ? long_.find(i)->second : launch_ns_[i];
}

trace::Span IdleRow::gap(const EventRow& stretches, std::size_t i) const {
  return {i == 0 ? whole_.start_ns : stretches.end_ns(i - 1),
          i < stretches.size() ? stretches.start_ns(i) : whole_.end_ns};
}

void IdleRow::append_pieces(const EventRow& stretches, std::size_t i, std::vector<IdlePiece>& pieces) const {
  const trace::Span all = gap(stretches, i);
  if (all.end_ns <= all.start_ns) return;
  const std::uint64_t launch = std::min(launch_ns(i), distance_ns(all.start_ns, all.end_ns));
  const std::int64_t launch_from_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(all.end_ns) - launch);
  if (launch_from_ns > all.start_ns)
    pieces.push_back({{all.start_ns, launch_from_ns}, static_cast<Category>(kFirstCause + cause_[i])});
  if (launch > 0) pieces.push_back({{launch_from_ns, all.end_ns}, Category::idle_launch});
}

IdleRow::Range IdleRow::gaps_in(const EventRow& stretches, trace::Span window, std::size_t near) const {
  if (empty() || window.end_ns <= window.start_ns) return {};
  const std::size_t first = stretches.first_starting_from(add_ns(window.start_ns, 1), near);
  const std::size_t last = stretches.first_ending_after(window.end_ns - 1, first);
  return {std::min(first, size()), std::min(std::max(first, last + 1), size())};
}

void IdleRow::add_gap(const EventRow& stretches, std::size_t i, trace::Span window, BusyByCategory& idle,
                      std::uint64_t sign) const {
  const trace::Span all = gap(stretches, i);
  if (all.end_ns <= all.start_ns) return;
  const std::uint64_t launch = std::min(launch_ns(i), distance_ns(all.start_ns, all.end_ns));
  const auto launch_from_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(all.end_ns) - launch);
  const auto add = [&](std::int64_t from_ns, std::int64_t to_ns, std::size_t cause) {
    from_ns = std::max(from_ns, window.start_ns);
    to_ns = std::min(to_ns, window.end_ns);
    if (to_ns > from_ns) idle[cause] += sign * distance_ns(from_ns, to_ns);
  };
  add(all.start_ns, launch_from_ns, kFirstCause + cause_[i]);
  add(launch_from_ns, all.end_ns, static_cast<std::size_t>(Category::idle_launch));
}

// From the nearest boundaries of blocks, as EventRow::add_slot_busy.
void IdleRow::add_whole(const EventRow& stretches, std::size_t first, std::size_t last,
                        BusyByCategory& idle) const {
  const auto add_each = [&](std::size_t from, std::size_t to, std::uint64_t sign) {
    for (std::size_t i = from; i < to; ++i) add_gap(stretches, i, whole_, idle, sign);
  };
  const auto add_between = [&](std::size_t from, std::size_t to) {
    from < to ? add_each(from, to, 1) : add_each(to, from, std::uint64_t{0} - 1);
  };
  if (last - first <= kBlock / 2) return add_each(first, last, 1);
  const std::size_t whole_blocks = size() / kBlock;
  const std::size_t first_block = std::min((first + kBlock / 2) / kBlock, whole_blocks),
                    last_block = std::min((last + kBlock / 2) / kBlock, whole_blocks);
  add_between(first, first_block * kBlock);
  for (std::size_t c = 0; c < kCauses; ++c)
    idle[kFirstCause + c] +=
        idle_before_[last_block * kCauses + c] - idle_before_[first_block * kCauses + c];
  add_between(last_block * kBlock, last);
}

void IdleRow::add_idle(const EventRow& stretches, trace::Span window, BusyByCategory& idle) const {
  add_gaps(stretches, gaps_in(stretches, window), window, idle);
}

void IdleRow::add_gaps(const EventRow& stretches, Range gaps, trace::Span window, BusyByCategory& idle) const {
  const auto [first, last] = gaps;
  if (first >= last) return;
  add_gap(stretches, first, window, idle);
  if (last - first == 1) return;
  add_whole(stretches, first + 1, last - 1, idle);
  add_gap(stretches, last - 1, window, idle);
}

std::size_t IdleRow::size_bytes() const {
  constexpr std::size_t kMapNode = 48;  // about what an entry of an unordered_map takes
  return cause_.capacity() + launch_ns_.capacity() * sizeof launch_ns_[0] +
         idle_before_.capacity() * sizeof idle_before_[0] + long_.size() * kMapNode;
}

}  // namespace gputrace::gui
