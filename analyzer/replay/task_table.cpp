#include "analyzer/replay/task_table.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

constexpr std::size_t kMostTasks = std::size_t{1} << 31;  // two moments each

bool records_graph_nodes(const Trace& trace) {
  return trace.graph_launches.size() > 0 &&
         std::any_of(trace.kernels.graph_node.begin(), trace.kernels.graph_node.end(), [](std::int64_t node) { return node != 0; });
}

std::vector<std::int64_t> step_boundaries(const Steps& steps) {
  std::vector<std::int64_t> at;
  // Steps that were found by the period of kernels say nothing of the host.
  if (steps.source != StepSource::nvtx) return at;
  for (std::size_t s = steps.warm_up; s < steps.spans.size(); ++s) {
    if (at.empty() || at.back() != steps.spans[s].start_ns) at.push_back(steps.spans[s].start_ns);
    at.push_back(steps.spans[s].end_ns);
  }
  return at;
}

// Merges the tables, each of which is in the order of start.
class Numbering {
 public:
  Numbering(const Trace& trace, const Steps& steps, Span window, const std::vector<Collective>& collectives)
      : trace_(trace), window_(window), collectives_(collectives), boundaries_(step_boundaries(steps)), outer_(trace.threads.size() + 1),
        nodes_recorded_(records_graph_nodes(trace)) {
    const std::size_t most = trace.api_calls.size() + trace.kernels.size() + trace.copies.size() + trace.fills.size() + trace.graph_launches.size() + boundaries_.size() + collectives.size();
    table_.kind.reserve(most);
    table_.row.reserve(most);
    table_.recorded_ns.reserve(2 * most);
    table_.of_call.assign(trace.api_calls.size(), kNoTask);
  }

  TaskTable number() {
    while (table_.size() < kMostTasks) {
      const std::int64_t call_ns = next_call_ns(), kernel_ns = next_activity_ns(trace_.kernels, kernel_), copy_ns = next_copy_ns(),
                         fill_ns = next_activity_ns(trace_.fills, fill_), graph_ns = next_graph_ns(),
                         barrier_ns = barrier_ < boundaries_.size() ? boundaries_[barrier_] : INT64_MAX,
                         meeting_ns = meeting_ < collectives_.size() ? collectives_[meeting_].meeting_ns : INT64_MAX;
      const std::int64_t first_ns = std::min({call_ns, kernel_ns, copy_ns, fill_ns, graph_ns, barrier_ns, meeting_ns});
      if (first_ns == INT64_MAX) break;
      if (first_ns == barrier_ns) add_barrier();
      else if (first_ns == call_ns) add_call();
      else if (first_ns == kernel_ns) add(TaskKind::kernel, kernel_, trace_.kernels.span(kernel_)), ++kernel_;
      else if (first_ns == copy_ns) add(TaskKind::copy, copy_, trace_.copies.span(copy_)), ++copy_;
      else if (first_ns == fill_ns) add(TaskKind::fill, fill_, trace_.fills.span(fill_)), ++fill_;
      else if (first_ns == graph_ns) add(TaskKind::graph, graph_, trace_.graph_launches.span(graph_)), ++graph_;
      else add(TaskKind::meeting, meeting_, {meeting_ns, meeting_ns}), ++meeting_;
    }
    return std::move(table_);
  }

 private:
  struct OuterCall {
    std::int64_t end_ns = INT64_MIN;
    Task task = kNoTask;
  };

  std::int64_t next_call_ns() {
    const trace::ApiCalls& calls = trace_.api_calls;
    while (call_ < calls.size() && calls.end_ns[call_] <= window_.start_ns) ++call_;
    return call_ < calls.size() && calls.start_ns[call_] < window_.end_ns ? calls.start_ns[call_] : INT64_MAX;
  }

  std::int64_t next_activity_ns(const trace::DeviceColumns& columns, std::uint32_t& row) const {
    while (row < columns.size() && columns.start_ns[row] < window_.start_ns) ++row;
    return row < columns.size() && columns.start_ns[row] < window_.end_ns ? columns.start_ns[row] : INT64_MAX;
  }

  std::int64_t next_copy_ns() {
    while (copy_ < trace_.copies.size() && is_migration(trace_.copies.kind[copy_])) ++copy_;
    std::int64_t ns = next_activity_ns(trace_.copies, copy_);
    while (ns != INT64_MAX && is_migration(trace_.copies.kind[copy_])) ++copy_, ns = next_activity_ns(trace_.copies, copy_);
    return ns;
  }

  // With the nodes of graphs recorded, their whole is no work of its own.
  std::int64_t next_graph_ns() { return nodes_recorded_ ? INT64_MAX : next_activity_ns(trace_.graph_launches, graph_); }

  void add(TaskKind kind, std::uint32_t row, Span span) {
    table_.kind.push_back(kind);
    table_.row.push_back(row);
    table_.recorded_ns.push_back(span.start_ns);
    table_.recorded_ns.push_back(span.end_ns);
  }

  void add_call() {
    const Span span = trace_.api_calls.span(call_);
    OuterCall& outer = outer_[static_cast<std::size_t>(trace_.api_calls.thread[call_].value + 1)];
    if (span.start_ns >= outer.end_ns) {
      outer = {span.end_ns, static_cast<Task>(table_.size())};
      calls_until_ns_ = std::max(calls_until_ns_, span.end_ns);
      add(TaskKind::call, call_, span);
    }
    table_.of_call[call_++] = outer.task;
  }

  // A barrier stands where no call is under way.
  void add_barrier() {
    const std::int64_t at = boundaries_[barrier_];
    if (calls_until_ns_ > at) ++table_.crossed_boundaries;
    else add(TaskKind::barrier, barrier_, {at, at});
    ++barrier_;
  }

  const Trace& trace_;
  Span window_;
  const std::vector<Collective>& collectives_;
  std::vector<std::int64_t> boundaries_;
  std::vector<OuterCall> outer_;  // by thread, -1 first
  bool nodes_recorded_;               // of CUDA graphs
  std::int64_t calls_until_ns_ = INT64_MIN;
  std::uint32_t call_ = 0, kernel_ = 0, copy_ = 0, fill_ = 0, graph_ = 0, barrier_ = 0, meeting_ = 0;  // the next row of each
  TaskTable table_;
};

}  // namespace

bool is_migration(trace::CopyKind kind) {
  return kind == trace::CopyKind::unified_host_to_device || kind == trace::CopyKind::unified_device_to_host ||
         kind == trace::CopyKind::unified_device_to_device;
}

TaskTable number_tasks(const Trace& trace, const Steps& steps, Span window, const std::vector<Collective>& collectives) {
  return Numbering(trace, steps, window, collectives).number();
}

const trace::DeviceColumns& columns_of(const Trace& trace, TaskKind kind) {
  if (kind == TaskKind::kernel) return trace.kernels;
  if (kind == TaskKind::copy) return trace.copies;
  if (kind == TaskKind::graph) return trace.graph_launches;
  return trace.fills;
}

}  // namespace gputrace::analyzer
