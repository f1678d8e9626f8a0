// Host work that one step has before a call and the other steps do not: a collection, a checkpoint, another program on the core.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A thread's steps that make the same calls can be laid over each other.
using Alike = std::map<std::pair<trace::ThreadIndex, std::size_t>, std::vector<const HostSequence*>>;

Alike alike_sequences(const std::vector<HostSequence>& sequences) {
  Alike alike;
  for (const HostSequence& sequence : sequences) alike[{sequence.thread, sequence.calls.size()}].push_back(&sequence);
  return alike;
}

bool is_pause(std::int64_t ns, std::int64_t usual_ns) {
  return ns - usual_ns >= static_cast<std::int64_t>(thresholds::kPauseNs) && ns >= 2 * usual_ns;
}

// Between the last call of a step and its end; with what is usual there.
std::vector<std::pair<Task, std::int64_t>> pauses_before_barriers(const RemedyInput& input, const ChangedGraph& graph) {
  std::vector<Task> barriers;
  std::vector<std::int64_t> before_ns;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::barrier) continue;
    barriers.push_back(task);
    before_ns.push_back(graph.host_work_before_ns(task));
  }
  std::vector<std::pair<Task, std::int64_t>> pauses;
  // Boundaries alternate between the end of a step and the start of the next, where the steps do not touch.
  for (std::size_t first = 0; first < 2 && barriers.size() > 4; ++first) {
    std::vector<std::int64_t> alike_ns;
    for (std::size_t i = first; i < barriers.size(); i += 2) alike_ns.push_back(before_ns[i]);
    const std::int64_t usual_ns = median(alike_ns);
    for (std::size_t i = first; i < barriers.size(); i += 2)
      if (is_pause(before_ns[i], usual_ns)) pauses.emplace_back(barriers[i], usual_ns);
  }
  return pauses;
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  std::int64_t removed_ns = 0;
  for (const auto& [key, steps] : alike_sequences(input.sequences)) {
    if (steps.size() < 3) continue;  // of two, neither is the usual one
    for (std::size_t k = 0; k < key.second; ++k) {
      std::vector<std::int64_t> before_ns;
      for (const HostSequence* step : steps) before_ns.push_back(graph.host_work_before_ns(step->calls[k]));
      const std::int64_t usual_ns = median(before_ns);
      for (std::size_t s = 0; s < steps.size(); ++s) {
        if (!is_pause(before_ns[s], usual_ns)) continue;
        graph.set_host_work_before(steps[s]->calls[k], usual_ns);
        removed_ns += before_ns[s] - usual_ns;
        ++applied.count;
      }
    }
  }
  for (const auto& [barrier, ns] : pauses_before_barriers(input, graph)) {
    removed_ns += graph.host_work_before_ns(barrier) - ns;
    graph.set_host_work_before(barrier, ns);
    ++applied.count;
  }
  applied.what = fmt::format("{} pauses of {:.1f} ms in all are left out", applied.count, static_cast<double>(removed_ns) / 1e6);
  return applied;
}

}  // namespace

extern const Remedy remove_pauses;
constinit const Remedy remove_pauses{"remove-pauses", "leave out host work that only some steps have", apply};

}  // namespace gputrace::analyzer
