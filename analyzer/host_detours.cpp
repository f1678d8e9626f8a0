#include "analyzer/host_detours.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analyzer/host_reduction.h"
#include "analyzer/input_waits.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::CopyKind;

class DetourFinder {
 public:
  DetourFinder(const trace::Trace& trace, const Metrics& metrics, const DependencyGraph& graph)
      : trace_(trace), graph_(graph), asked_for_(graph.task_count(), kNoTask), input_waits_(input_waits(trace, metrics.window)) {
    for (Task task = 0; task < graph.task_count(); ++task) {
      if (!is_activity(graph.kind[task])) continue;
      if (const auto call = graph.asked_by(task)) asked_for_[*call] = task;
    }
    if (auto reduction = find_host_reduction(trace, metrics)) reduced_ = std::move(reduction->is_part);
  }

  void look_through(const HostSequence& sequence, std::vector<HostDetour>& found) {
    HostDetour detour;
    for (const Task call : sequence.calls) {
      const Task activity = asked_for_[call];
      if (activity == kNoTask) {
        if (!detour.down.empty() && detour.up.empty() && waits(call)) note_wait(call, detour);
      } else if (is_way(activity, CopyKind::device_to_host)) {
        if (!detour.up.empty() || (!detour.down.empty() && detour.device != device_of(activity))) detour = {};
        add(activity, detour.down, detour);
        if (waits(call)) note_wait(call, detour);
      } else if (!detour.down.empty() && is_way(activity, CopyKind::host_to_device) && device_of(activity) == detour.device && comes_back(call, detour)) {
        add(activity, detour.up, detour);
      } else {
        if (is_complete(activity, detour)) found.push_back(detour);
        detour = {};
      }
    }
  }

 private:
  bool is_way(Task activity, CopyKind kind) const {
    if (graph_.kind[activity] != TaskKind::copy) return false;
    const std::uint32_t row = graph_.row[activity];
    if (!reduced_.empty() && reduced_[row]) return false;
    return trace_.copies.kind[row] == kind && trace_.copies.bytes[row] >= static_cast<std::int64_t>(thresholds::kReadbackBytes);
  }

  trace::DeviceId device_of(Task activity) const {
    const std::uint32_t row = graph_.row[activity];
    return graph_.kind[activity] == TaskKind::copy ? trace_.copies.device[row] : graph_.kind[activity] == TaskKind::kernel ? trace_.kernels.device[row] : trace::DeviceId{-1};
  }

  bool waits(Task call) const {
    const Moment end = end_of(call);
    return std::any_of(graph_.edges.begin() + graph_.first_edge[end], graph_.edges.begin() + graph_.first_edge[end + 1],
                       [](const Edge& edge) { return edge.kind == EdgeKind::blocking; });
  }

  void note_wait(Task call, HostDetour& detour) const {
    detour.waits.push_back(call);
    detour.host_work.start_ns = graph_.recorded_ns[end_of(call)];
  }

  void add(Task copy, std::vector<Task>& way, HostDetour& detour) const {
    if (detour.down.empty()) detour.span.start_ns = graph_.recorded_ns[start_of(copy)];
    detour.span.end_ns = std::max(detour.span.end_ns, graph_.recorded_ns[end_of(copy)]);
    way.push_back(copy);
    detour.device = device_of(copy);
    detour.bytes += trace_.copies.bytes[graph_.row[copy]];
  }

  // The first copy back comes after the host has had the data, and after work of its own on it.
  bool comes_back(Task call, HostDetour& detour) const {
    if (!detour.up.empty()) return true;
    if (detour.waits.empty() || detour.host_work.start_ns < graph_.recorded_ns[end_of(detour.down.back())]) return false;
    detour.host_work.end_ns = graph_.recorded_ns[start_of(call)];
    const std::int64_t ns = detour.host_work.duration_ns();
    return ns >= static_cast<std::int64_t>(thresholds::kDetourHostNs) && 2 * covered_ns(input_waits_, detour.host_work) < ns;
  }

  bool is_complete(Task next, const HostDetour& detour) const {
    return !detour.up.empty() && graph_.kind[next] == TaskKind::kernel && device_of(next) == detour.device;
  }

  const trace::Trace& trace_;
  const DependencyGraph& graph_;
  std::vector<Task> asked_for_;  // by call; the last one, where it asked for several
  std::vector<trace::Span> input_waits_;
  std::vector<bool> reduced_;    // per copy; empty where none is
};

}  // namespace

HostDetours find_host_detours(const trace::Trace& trace, const Metrics& metrics, const DependencyGraph& graph, const std::vector<HostSequence>& sequences) {
  HostDetours found;
  found.is_part.resize(trace.copies.size());
  if (metrics.steps.source != StepSource::nvtx) return found;
  DetourFinder finder(trace, metrics, graph);
  std::set<std::size_t> steps;
  for (const HostSequence& sequence : sequences) {
    const std::size_t before = found.list.size();
    finder.look_through(sequence, found.list);
    if (found.list.size() > before) steps.insert(sequence.step);
  }
  if (2 * static_cast<double>(steps.size()) < metrics.step_count) found.list.clear();
  for (const HostDetour& detour : found.list)
    for (const std::vector<Task>* way : {&detour.down, &detour.up})
      for (const Task copy : *way) found.is_part[graph.row[copy]] = true;
  return found;
}

}  // namespace gputrace::analyzer
