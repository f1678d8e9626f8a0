#include "analyzer/replay/host_turns.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyzer/call_kinds.h"

namespace gputrace::analyzer {

namespace {

// Then the thread is not at work within the call, nor does it hold a lock.
bool waits(const DependencyGraph& graph, Task call) {
  const Moment end = end_of(call);
  for (std::uint32_t e = graph.first_edge[end]; e < graph.first_edge[end + 1]; ++e)
    if (graph.edges[e].kind == EdgeKind::blocking) return true;
  return false;
}

// When the last of the threads that the call waited for was done; INT64_MIN where it waited for none.
std::int64_t handed_over_ns(const DependencyGraph& graph, Task call) {
  const Moment start = start_of(call);
  std::int64_t done_ns = INT64_MIN;
  for (std::uint32_t e = graph.first_edge[start]; e < graph.first_edge[start + 1]; ++e)
    if (graph.edges[e].kind == EdgeKind::handover) done_ns = std::max(done_ns, graph.recorded_ns[graph.edges[e].from]);
  return done_ns;
}

struct Item {  // a call and the host work before it
  Task call;
  std::int64_t start_ns, end_ns;
  std::size_t place, length;  // in its sequence, and of that
};

using ByProcess = std::map<trace::ProcessIndex, std::vector<const HostSequence*>>;

ByProcess by_process(const trace::Trace& trace, const std::vector<HostSequence>& sequences) {
  ByProcess processes;
  for (const HostSequence& sequence : sequences)
    processes[trace.threads[static_cast<std::size_t>(sequence.thread.value)].process].push_back(&sequence);
  return processes;
}

std::vector<Item> items_of(const DependencyGraph& graph, const std::vector<const HostSequence*>& sequences) {
  std::vector<Item> items;
  for (const HostSequence* sequence : sequences) {
    for (std::size_t k = 1; k < sequence->calls.size(); ++k) {
      const Task call = sequence->calls[k];
      std::int64_t start_ns = graph.recorded_ns[end_of(sequence->calls[k - 1])];
      start_ns = std::max(start_ns, handed_over_ns(graph, call));
      const Moment done = waits(graph, call) ? start_of(call) : end_of(call);
      items.push_back({call, start_ns, graph.recorded_ns[done], k, sequence->calls.size()});
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
  void add(double value) { sum += value, ++count; }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

// Least squares of time over the number of others at work, both against the means of the call's place.
class Growth {
 public:
  void add(const std::vector<Item>& items, const std::vector<float>& others_at_work) {
    std::map<std::pair<std::size_t, std::size_t>, std::pair<Mean, Mean>> usual;  // time and others, by place and length
    for (const Item& item : items) {
      auto& [ns, others] = usual[{item.place, item.length}];
      ns.add(static_cast<double>(item.end_ns - item.start_ns));
      others.add(others_at_work[item.call]);
    }
    for (const Item& item : items) {
      const auto& [ns, others] = usual[{item.place, item.length}];
      if (ns.count < 2 || ns.value() <= 0) continue;
      const double x = others_at_work[item.call] - others.value();
      const auto y = static_cast<double>(item.end_ns - item.start_ns) / ns.value() - 1;
      product_ += x * y * ns.value();  // long work says more than short work
      square_ += x * x * ns.value();
      weight_ += ns.value();
      others_ += others.value() * ns.value();
    }
  }

  bool can_tell() const {
    constexpr double kLeastSpread = 0.1;  // of the number of others, as a standard deviation: below, there is nothing to compare
    return weight_ > 0 && square_ / weight_ >= kLeastSpread * kLeastSpread;
  }
  // Where m others are at work on average a call takes 1 + growth m of its own times, and one more adds growth of them.
  double by_other() const {
    const double slope = product_ / square_, mean_others = others_ / weight_;
    return slope / std::max(0.05, 1 - slope * mean_others);
  }

 private:
  double product_ = 0, square_ = 0, weight_ = 0, others_ = 0;
};

}  // namespace

HostTurns find_host_turns(const trace::Trace& trace, const DependencyGraph& graph, const std::vector<HostSequence>& sequences) {
  HostTurns turns;
  turns.others_at_work.assign(graph.task_count(), 0);
  Growth growth;
  bool several = false;
  for (const auto& [process, own] : by_process(trace, sequences)) {
    const bool more_than_one = std::any_of(own.begin(), own.end(), [&](const HostSequence* it) { return it->thread != own.front()->thread; });
    if (!more_than_one) continue;
    several = true;
    const std::vector<Item> items = items_of(graph, own);
    const WorkClock clock(items);
    for (const Item& item : items)
      turns.others_at_work[item.call] = static_cast<float>(std::max(1.0, clock.average_at_work(item.start_ns, item.end_ns)) - 1);
    growth.add(items, turns.others_at_work);
  }
  if (!several) return turns;
  turns.taken = HostTurns::Taken::cannot_tell;
  if (!growth.can_tell()) return turns;
  turns.growth_by_other = growth.by_other();
  // More than half of what turns make is no accident.
  turns.taken = turns.growth_by_other > 0.5 ? HostTurns::Taken::yes : HostTurns::Taken::no;
  return turns;
}

std::int64_t one_after_the_other_ns(const trace::Trace& trace, const HostTurns& turns, const ChangedGraph& graph,
                                    const std::vector<HostSequence>& sequences) {
  if (turns.taken == HostTurns::Taken::no) return 0;
  double most_ns = 0, between_ns = static_cast<double>(graph.host_work_beside_ns());  // between the last call of a step and its end
  for (Task task = 0; task < graph.graph().task_count(); ++task)
    if (graph.graph().kind[task] == TaskKind::barrier) between_ns += static_cast<double>(graph.host_work_before_ns(task));
  for (const auto& [process, own] : by_process(trace, sequences)) {
    double sum_ns = 0;
    for (const HostSequence* sequence : own) {
      for (std::size_t k = 1; k < sequence->calls.size(); ++k) {
        const Task call = sequence->calls[k];
        const bool waits = graph.waits_for_gpu(call) || call_kind(trace.text(trace.api_calls.name[graph.graph().row[call]])) == CallKind::synchronize;
        const std::int64_t own_ns = waits ? 0 : graph.duration_ns(call);
        const auto ns = static_cast<double>(graph.host_work_before_ns(call) + own_ns);
        sum_ns += ns / (1 + static_cast<double>(turns.others_at_work[call]));
      }
    }
    most_ns = std::max(most_ns, sum_ns + between_ns);
  }
  return static_cast<std::int64_t>(most_ns);
}

}  // namespace gputrace::analyzer
