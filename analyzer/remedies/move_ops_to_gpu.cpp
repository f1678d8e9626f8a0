// Work of the host that belongs on a GPU goes there: ops that were asked for one, ops that ask for nothing of one, and what stands between
// a copy to the host and one back.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyzer/gpu_limits.h"
#include "analyzer/host_detours.h"
#include "analyzer/launchless_ops.h"
#include "analyzer/misplaced_ops.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::ThreadIndex;

// Ops of one thread, in order; of those that overlap, the part after the end of the one before.
class OpsOfThread {
 public:
  void add(Span span, double gpu_ns) {
    const double length_ns = static_cast<double>(span.duration_ns());
    if (!ops_.empty()) span.start_ns = std::max(span.start_ns, ops_.back().end_ns);
    if (span.start_ns >= span.end_ns) return;
    ops_.push_back(span);
    gpu_per_ns_.push_back(length_ns > 0 ? gpu_ns / length_ns : 0);
  }

  struct Part {
    std::int64_t host_ns = 0;  // that the ops take of a span
    double gpu_ns = 0;         // what that part of them would take on the GPU
  };
  Part within(Span span) const {
    Part part;
    const auto first = std::partition_point(ops_.begin(), ops_.end(), [&](Span op) { return op.end_ns <= span.start_ns; });
    for (auto op = first; op != ops_.end() && op->start_ns < span.end_ns; ++op) {
      const std::int64_t ns = std::min(op->end_ns, span.end_ns) - std::max(op->start_ns, span.start_ns);
      part.host_ns += ns;
      part.gpu_ns += static_cast<double>(ns) * gpu_per_ns_[static_cast<std::size_t>(op - ops_.begin())];
    }
    return part;
  }

 private:
  std::vector<Span> ops_;
  std::vector<double> gpu_per_ns_;
};

struct MovedOps {
  std::map<ThreadIndex, OpsOfThread> threads;
  std::size_t count = 0;
};

MovedOps moved_ops(const RemedyInput& input) {
  struct Op {
    ThreadIndex thread;
    Span span;
    double gpu_ns;
  };
  std::vector<Op> ops;
  const MisplacedOps misplaced = find_misplaced_ops(input.trace, input.metrics);
  if (!misplaced.gpu_ns.empty())
    for (std::size_t i = 0; i < misplaced.ops.size(); ++i)
      ops.push_back({input.metrics.ops.thread[misplaced.ops[i]], input.metrics.ops.span[misplaced.ops[i]], misplaced.gpu_ns[i]});
  const trace::NvtxRanges& nvtx = input.trace.nvtx;
  for (const std::size_t row : find_launchless_ops(input.trace, input.metrics)) ops.push_back({nvtx.thread[row], {nvtx.start_ns[row], nvtx.end_ns[row]}, 0});
  std::stable_sort(ops.begin(), ops.end(), [](const Op& a, const Op& b) { return a.span.start_ns < b.span.start_ns; });
  MovedOps moved;
  for (const Op& op : ops) moved.threads[op.thread].add(op.span, op.gpu_ns);
  moved.count = ops.size();
  return moved;
}

// What goes from the host's work before a call or a barrier. Threads work side by side: of those whose ops fill it as well as any,
// the one that is left with the most counts.
std::int64_t saved_ns(const MovedOps& moved, const std::vector<ThreadIndex>& threads, Span work) {
  std::vector<OpsOfThread::Part> parts;
  std::int64_t most_ns = 0;
  for (const ThreadIndex thread : threads) {
    parts.push_back(moved.threads.at(thread).within(work));
    most_ns = std::max(most_ns, parts.back().host_ns);
  }
  double least_ns = static_cast<double>(most_ns);
  for (const OpsOfThread::Part& part : parts)
    if (2 * part.host_ns >= most_ns) least_ns = std::min(least_ns, static_cast<double>(part.host_ns) - part.gpu_ns);
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(least_ns));
}

void move_ops(const RemedyInput& input, const MovedOps& moved, ChangedGraph& graph) {
  std::vector<ThreadIndex> all, silent;  // silent: those that make no call themselves; others wait for them
  std::set<ThreadIndex> callers;
  for (const HostSequence& sequence : input.sequences) callers.insert(sequence.thread);
  for (const auto& [thread, ops] : moved.threads) {
    all.push_back(thread);
    if (!callers.contains(thread)) silent.push_back(thread);
  }
  for (Task task = 0; task < input.graph.task_count() && !all.empty(); ++task) {
    const TaskKind kind = input.graph.kind[task];
    if (kind != TaskKind::call && kind != TaskKind::barrier) continue;
    const std::int64_t before_ns = graph.host_work_before_ns(task), end_ns = input.graph.recorded_ns[start_of(task)];
    const Span work{end_ns - before_ns, end_ns};
    std::int64_t ns = 0;
    if (kind == TaskKind::barrier) {
      ns = saved_ns(moved, all, work);
    } else {
      const ThreadIndex own = input.trace.api_calls.thread[input.graph.row[task]];
      ns = saved_ns(moved, moved.threads.contains(own) ? std::vector{own} : silent, work);
    }
    if (ns > 0) graph.set_host_work_before(task, before_ns - std::min(before_ns, ns));
  }
}

// The first copy back stands for the op on the GPU: it reads and writes what was copied, at the memory's rate.
void move_detour(const RemedyInput& input, const HostDetour& detour, ChangedGraph& graph) {
  for (const Task call : detour.waits) graph.return_at_once(call);
  for (const std::vector<Task>* way : {&detour.down, &detour.up})
    for (const Task copy : *way) {
      if (copy != detour.up.front()) graph.leave_out_activity(copy);
      if (const auto call = input.graph.asked_by(copy)) {
        graph.return_at_once(*call);
        graph.set_duration(*call, 0);
      }
    }
  if (const auto call = input.graph.asked_by(detour.up.front()))
    graph.set_host_work_before(*call, std::max<std::int64_t>(0, graph.host_work_before_ns(*call) - detour.host_work.duration_ns()));
  const trace::Gpu* gpu = find_gpu(input.trace, detour.device);
  const double bytes_per_s = gpu != nullptr ? thresholds::kAssumedMemoryEfficiency * static_cast<double>(gpu->memory_bandwidth_bytes_per_s) : 0;
  graph.set_duration(detour.up.front(), bytes_per_s > 0 ? static_cast<std::int64_t>(1e9 * static_cast<double>(detour.bytes) / bytes_per_s) : 0);
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  const MovedOps moved = moved_ops(input);
  move_ops(input, moved, graph);
  const HostDetours detours = find_host_detours(input.trace, input.metrics, input.graph, input.sequences);
  for (const HostDetour& detour : detours.list) move_detour(input, detour, graph);
  Applied applied{moved.count + detours.list.size(), {}};
  applied.what = fmt::format("{} pieces of work go from the host to the GPU that they belong to", applied.count);
  return applied;
}

}  // namespace

extern const Remedy move_ops_to_gpu;
constinit const Remedy move_ops_to_gpu{"move-ops-to-gpu", "ops that ran on the CPU in place of a GPU run there, at rates that programs reach", apply};

}  // namespace gputrace::analyzer
