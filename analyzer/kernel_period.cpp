#include "analyzer/kernel_period.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace gputrace::analyzer {
namespace {

using trace::Kernels;

constexpr std::size_t kFewestUnits = 3;
constexpr std::size_t kFewestKernels = 4;  // a loop over one or two kernels is no training step
constexpr std::size_t kMostDifference = 10;  // one part in so many

trace::DeviceId busiest_device(const Kernels& kernels) {
  std::unordered_map<trace::DeviceId, std::size_t> count;
  for (const trace::DeviceId device : kernels.device) ++count[device];
  const auto busiest = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first > b.first;
  });
  return busiest == count.end() ? trace::DeviceId{} : busiest->first;
}

std::uint64_t key_of(const Kernels& kernels, std::uint32_t row) {
  const trace::Dim3& grid = kernels.grid[row];
  std::uint64_t key = kernels.name[row].value;
  for (const std::int32_t n : {grid.x, grid.y, grid.z}) key = key * 0x9E3779B97F4A7C15ULL + static_cast<std::uint32_t>(n);
  return key;
}

// The longest run of positions whose distances stay within a tenth of the run's first.
struct Run {
  std::size_t first = 0, count = 0;  // of positions
};

Run longest_even_run(const std::vector<std::uint32_t>& positions) {
  Run best, run{0, 1};
  for (std::size_t i = 1; i < positions.size(); ++i) {
    const std::size_t distance = positions[i] - positions[i - 1];
    const std::size_t expected = run.count > 1 ? positions[run.first + 1] - positions[run.first] : distance;
    const std::size_t difference = distance > expected ? distance - expected : expected - distance;
    if (difference * kMostDifference > expected) run = {i - 1, 1};
    ++run.count;
    if (run.count > best.count) best = run;
  }
  return best;
}

// Kernels before the first and after the last unit must be those of a unit that the trace's ends cut off.
bool strangers_outside(const std::vector<std::uint64_t>& keys, std::size_t first, std::size_t end) {
  const std::unordered_set<std::uint64_t> inside(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.begin() + static_cast<std::ptrdiff_t>(end));
  const auto is_stranger = [&](std::uint64_t key) { return !inside.contains(key); };
  return std::any_of(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(first), is_stranger) ||
         std::any_of(keys.begin() + static_cast<std::ptrdiff_t>(end), keys.end(), is_stranger);
}

}  // namespace

KernelPeriod find_kernel_period(const trace::Trace& trace) {
  const Kernels& kernels = trace.kernels;
  const trace::DeviceId device = busiest_device(kernels);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> keys;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> positions;
  for (std::uint32_t row = 0; row < kernels.size(); ++row) {
    if (kernels.device[row] != device) continue;
    keys.push_back(key_of(kernels, row));
    positions[keys.back()].push_back(static_cast<std::uint32_t>(rows.size()));
    rows.push_back(row);
  }

  KernelPeriod best;
  std::vector<std::uint32_t> marks;
  for (const auto& [key, list] : positions) {
    if (list.size() < kFewestUnits) continue;
    const Run run = longest_even_run(list);
    if (run.count < kFewestUnits) continue;
    const std::size_t unit = (list[run.first + run.count - 1] - list[run.first]) / (run.count - 1);
    // Of marks with the same unit the first in the sequence, so that the answer does not depend on the order of a hash table.
    if (unit < kFewestKernels) continue;
    const bool longer = unit > best.kernels || (unit == best.kernels && !marks.empty() && list[run.first] < marks.front());
    if (!longer) continue;
    best.kernels = unit;
    marks.assign(list.begin() + static_cast<std::ptrdiff_t>(run.first), list.begin() + static_cast<std::ptrdiff_t>(run.first + run.count));
  }
  if (marks.empty()) return best;
  const std::size_t end = marks.back() + best.kernels;
  if (strangers_outside(keys, marks.front(), std::min(end, rows.size()))) return {};

  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    best.units.push_back({kernels.start_ns[rows[marks[i]]], kernels.start_ns[rows[marks[i + 1]]]});
  }
  // The last mark begins a unit too; it is whole where enough kernels follow.
  if (end <= rows.size()) best.units.push_back({kernels.start_ns[rows[marks.back()]], kernels.end_ns[rows[end - 1]]});
  best.share = static_cast<double>(best.units.size() * best.kernels) / static_cast<double>(rows.size());
  return best;
}

}  // namespace gputrace::analyzer
