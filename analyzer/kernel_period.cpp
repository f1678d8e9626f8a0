#include "analyzer/kernel_period.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace gputrace::analyzer {
namespace {

using trace::Kernels;

constexpr std::size_t kFewestUnits = 3;
// Where other kernels come before the units, or in between: a loop over few kernels is likely a part of a step.
constexpr std::size_t kFewestUnitsAmongOthers = 5, kFewestKernelsAmongOthers = 16;
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

// What lies around a run of units.
class Surroundings {
 public:
  Surroundings(const std::vector<std::uint64_t>& keys, std::size_t first, std::size_t end)
      : keys_(keys), first_(first), end_(end), inside_(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.begin() + static_cast<std::ptrdiff_t>(end)) {}

  // Kernels of other names before the first unit only are start-up, those in one stretch after which the units go on an evaluation. On
  // both sides, or without more units, they may be the rest of a step whose layers these units are.
  bool allow(std::uint64_t mark, std::size_t units) const {
    const auto strange = [&](std::uint64_t key) { return !inside_.contains(key); };
    const auto begin = keys_.begin(), first = begin + static_cast<std::ptrdiff_t>(first_), end = begin + static_cast<std::ptrdiff_t>(end_);
    const bool before = std::any_of(begin, first, strange), after = std::any_of(end, keys_.end(), strange);
    if (!before && !after) return true;
    if (units < kFewestUnitsAmongOthers || end_ - first_ < units * kFewestKernelsAmongOthers || 2 * (end_ - first_) < keys_.size()) return false;
    if (!after) return true;
    const auto from = std::find_if(end, keys_.end(), strange);
    const auto until = std::find_if(std::make_reverse_iterator(keys_.end()), std::make_reverse_iterator(from), strange).base();
    const bool known = std::any_of(from, until, [&](std::uint64_t key) { return strange(key) && std::find(begin, first, key) != first; });
    return !known && static_cast<std::size_t>(std::count(until, keys_.end(), mark)) >= kFewestUnits;
  }

 private:
  const std::vector<std::uint64_t>& keys_;
  std::size_t first_, end_;  // of the run
  std::unordered_set<std::uint64_t> inside_;
};

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
  // The last mark begins a unit too; it is whole where enough kernels follow, and the same one is last.
  const std::size_t whole = marks.back() + best.kernels;
  const bool last_is_whole = whole <= rows.size() && keys[whole - 1] == keys[marks.back() - 1];
  const std::size_t end = last_is_whole ? whole : marks.back();
  if (!Surroundings(keys, marks.front(), end).allow(keys[marks.front()], marks.size() - (last_is_whole ? 0 : 1))) return {};

  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    best.units.push_back({kernels.start_ns[rows[marks[i]]], kernels.start_ns[rows[marks[i + 1]]]});
  }
  if (last_is_whole) best.units.push_back({kernels.start_ns[rows[marks.back()]], kernels.end_ns[rows[end - 1]]});
  best.share = static_cast<double>(best.units.size() * best.kernels) / static_cast<double>(rows.size());
  return best;
}

}  // namespace gputrace::analyzer
