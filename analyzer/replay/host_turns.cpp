#include "analyzer/replay/host_turns.h"

#include <algorithm>
#include <map>
#include <vector>

namespace gputrace::analyzer {

namespace {

// Then the thread is not at work within the call, nor does it hold a lock.
bool waits(const DependencyGraph& graph, Task call) {
  const Moment end = end_of(call);
  for (std::uint32_t e = graph.first_edge[end]; e < graph.first_edge[end + 1]; ++e)
    if (graph.edges[e].kind == EdgeKind::blocking) return true;
  return false;
}

struct Item {  // a call and the host work before it
  Task call;
  std::int64_t start_ns, end_ns;
  std::size_t place;  // in its sequence
  std::size_t length;
};

std::vector<Item> items_of(const DependencyGraph& graph, const std::vector<HostSequence>& sequences) {
  std::vector<Item> items;
  for (const HostSequence& sequence : sequences) {
    for (std::size_t k = 1; k < sequence.calls.size(); ++k) {
      const Task call = sequence.calls[k];
      const Moment done = waits(graph, call) ? start_of(call) : end_of(call);
      items.push_back({call, graph.recorded_ns[end_of(sequence.calls[k - 1])], graph.recorded_ns[done], k, sequence.calls.size()});
    }
  }
  return items;
}

// Time at work, of all threads, up to an instant: integrates how many are at work.
class WorkClock {
 public:
  explicit WorkClock(const std::vector<Item>& items) {
    std::vector<std::pair<std::int64_t, int>> edges;
    for (const Item& item : items) {
      edges.emplace_back(item.start_ns, 1);
      edges.emplace_back(item.end_ns, -1);
    }
    std::sort(edges.begin(), edges.end());
    std::int64_t before_ns = 0, sum_ns = 0;
    int at_work = 0;
    for (const auto& [ns, change] : edges) {
      sum_ns += at_work * (ns - before_ns);
      before_ns = ns;
      at_work += change;
      at_ns_.push_back(ns);
      worked_ns_.push_back(sum_ns);
      now_at_work_.push_back(at_work);
    }
  }

  double average_at_work(std::int64_t start_ns, std::int64_t end_ns) const {
    return end_ns > start_ns ? (worked_until(end_ns) - worked_until(start_ns)) / static_cast<double>(end_ns - start_ns) : 1;
  }

 private:
  double worked_until(std::int64_t ns) const {
    const auto after = std::upper_bound(at_ns_.begin(), at_ns_.end(), ns);
    if (after == at_ns_.begin()) return 0;
    const auto i = static_cast<std::size_t>(after - at_ns_.begin()) - 1;
    return static_cast<double>(worked_ns_[i]) + static_cast<double>(now_at_work_[i]) * static_cast<double>(ns - at_ns_[i]);
  }

  std::vector<std::int64_t> at_ns_, worked_ns_;
  std::vector<int> now_at_work_;
};

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

}  // namespace

HostTurns find_host_turns(const DependencyGraph& graph, const std::vector<HostSequence>& sequences) {
  HostTurns turns;
  turns.others_at_work.assign(graph.task_count(), 0);
  const std::vector<Item> items = items_of(graph, sequences);
  const WorkClock clock(items);
  std::map<std::pair<std::size_t, std::size_t>, Mean> usual;  // by place and length of the sequence
  Mean others;
  for (const Item& item : items) {
    const double at_work = std::max(1.0, clock.average_at_work(item.start_ns, item.end_ns));
    turns.others_at_work[item.call] = static_cast<float>(at_work - 1);
    Mean& mean = usual[{item.place, item.length}];
    mean.sum += static_cast<double>(item.end_ns - item.start_ns);
    ++mean.count;
    others.sum += at_work - 1;
    ++others.count;
  }
  // Least squares of (time / usual time) over the number of others, through the means.
  double product = 0, square = 0, height = 0;
  for (const Item& item : items) {
    const Mean& mean = usual[{item.place, item.length}];
    if (mean.count < 2 || mean.value() <= 0) continue;
    const double x = turns.others_at_work[item.call] - others.value(), y = static_cast<double>(item.end_ns - item.start_ns) / mean.value() - 1;
    product += x * y;
    square += x * x;
    height += 1;
  }
  constexpr double kLeastSpread = 0.1;  // of the number of others, as a standard deviation: below, there is nothing to compare
  if (height == 0 || square / height < kLeastSpread * kLeastSpread) return turns;
  const double slope = product / square;  // at the mean number of others, in usual times
  const double alone = 1 - slope * others.value();  // where none is at work
  if (alone <= 0.05) return turns;
  turns.growth_by_other = slope / alone;
  turns.taken = turns.growth_by_other > 0.5;  // more than half of what turns make is no accident
  return turns;
}

std::int64_t one_after_the_other_ns(const HostTurns& turns, const ChangedGraph& graph, const std::vector<HostSequence>& sequences) {
  if (!turns.taken) return 0;
  double sum_ns = 0;
  for (const HostSequence& sequence : sequences) {
    for (std::size_t k = 1; k < sequence.calls.size(); ++k) {
      const Task call = sequence.calls[k];
      const std::int64_t own_ns = graph.waits_for_gpu(call) ? 0 : graph.duration_ns(call);
      const auto ns = static_cast<double>(graph.host_work_before_ns(call) + own_ns);
      sum_ns += ns / (1 + static_cast<double>(turns.others_at_work[call]));
    }
  }
  return static_cast<std::int64_t>(sum_ns);
}

}  // namespace gputrace::analyzer
