#include "analyzer/replay/moment_order.h"

#include <algorithm>
#include <tuple>

namespace gputrace::analyzer {
namespace {

// Ends of tasks that are in the order of start: those of one stream or thread are in order, so a task is rarely far from its place.
std::vector<Moment> ends_in_order(const TaskTable& tasks) {
  std::vector<Moment> ends(tasks.size());
  for (Task task = 0; task < tasks.size(); ++task) ends[task] = end_of(task);
  std::sort(ends.begin(), ends.end(), [&](Moment a, Moment b) { return std::tie(tasks.recorded_ns[a], a) < std::tie(tasks.recorded_ns[b], b); });
  return ends;
}

}  // namespace

std::vector<Moment> order_moments(const TaskTable& tasks) {
  const std::vector<Moment> ends = ends_in_order(tasks);
  std::vector<Moment> order;
  order.reserve(2 * tasks.size());
  const auto ns = [&](Moment moment) { return tasks.recorded_ns[moment]; };
  std::size_t end = 0;
  for (Task start = 0; start < tasks.size(); ++start) {
    while (end < ends.size() && ns(ends[end]) < ns(start_of(start))) order.push_back(ends[end++]);
    order.push_back(start_of(start));
  }
  order.insert(order.end(), ends.begin() + static_cast<std::ptrdiff_t>(end), ends.end());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t next = first + 1;
    while (next < order.size() && ns(order[next]) == ns(order[first])) ++next;
    if (next - first > 1) {
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(next), [&](Moment a, Moment b) {
        return std::tuple(!is_activity(tasks.kind[task_of(a)]), a) < std::tuple(!is_activity(tasks.kind[task_of(b)]), b);
      });
    }
    first = next;
  }
  return order;
}

}  // namespace gputrace::analyzer
