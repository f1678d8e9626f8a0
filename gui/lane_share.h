// Which GPUs and threads one of several cores lays out the lanes of, and the order in which it goes through their rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gui/event_ref.h"

namespace gputrace::gui {

struct LaneShare {  // every `of`th, a power of two, because each row is asked
  std::uint32_t part = 0, of = 1;
  bool has(std::uint32_t id) const { return (id & (of - 1)) == part; }
  bool has(trace::ThreadIndex thread) const { return has(static_cast<std::uint32_t>(thread.value)); }
  bool has(trace::ProcessIndex process, trace::DeviceId device) const {
    return has(static_cast<std::uint32_t>(process.value) + static_cast<std::uint32_t>(device.value));
  }
};

// Calls visit(table, row) for the rows of all tables in order of start; of those that start together in the order of the tables.
template <std::size_t N, class Visit>
void for_each_in_order(const std::array<const std::vector<std::int64_t>*, N>& starts_ns, Visit visit) {
  std::array<std::size_t, N> next{};
  const auto size = [&](std::size_t table) { return std::min(starts_ns[table]->size(), EventRef::kMaxRows); };
  for (;;) {
    std::size_t first = N;
    std::int64_t start_ns = 0, others_ns = INT64_MAX;
    for (std::size_t table = 0; table < N; ++table) {
      if (next[table] == size(table)) continue;
      const std::int64_t at_ns = (*starts_ns[table])[next[table]];
      if (first != N && at_ns >= start_ns) {
        others_ns = std::min(others_ns, at_ns);
        continue;
      }
      if (first != N) others_ns = start_ns;
      first = table;
      start_ns = at_ns;
    }
    if (first == N) return;
    do visit(first, next[first]++);
    while (next[first] < size(first) && (*starts_ns[first])[next[first]] < others_ns);
  }
}

}  // namespace gputrace::gui
