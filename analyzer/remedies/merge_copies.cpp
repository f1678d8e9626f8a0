// Small copies that follow each other on a stream in one direction become one.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/host_links.h"
#include "analyzer/host_memory.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using Stream = std::tuple<trace::ProcessIndex, trace::DeviceId, trace::ContextId, trace::StreamId>;

struct Run {
  std::vector<Task> copies;
  trace::CopyKind kind = trace::CopyKind::unknown;
  std::int64_t bytes = 0;
};

class Merger {
 public:
  Merger(const RemedyInput& input, ChangedGraph& graph) : input_(input), graph_(graph), links_(input.trace) {
    const trace::Copies& copies = input.trace.copies;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (copies.bytes[i] < kLargeCopyBytes || copies.span(i).duration_ns() <= 0) continue;
      double& fastest = fastest_of_kind_[{copies.device[i], copies.kind[i]}];
      fastest = std::max(fastest, static_cast<double>(copies.bytes[i]) * 1e9 / static_cast<double>(copies.span(i).duration_ns()));
    }
  }

  Applied apply() {
    std::map<Stream, Run> runs;
    for (Task task = 0; task < input_.graph.task_count(); ++task) {
      const TaskKind kind = input_.graph.kind[task];
      const std::uint32_t row = input_.graph.row[task];
      if (kind == TaskKind::copy) {
        add(runs[stream(input_.trace.copies, row)], task, row);
      } else if (kind == TaskKind::kernel) {
        end(runs[stream(input_.trace.kernels, row)]);
      } else if (kind == TaskKind::fill) {
        end(runs[stream(input_.trace.fills, row)]);
      }
    }
    for (auto& [key, run] : runs) end(run);
    return {merged_, fmt::format("{} small copies become part of the copy before them", merged_)};
  }

 private:
  static Stream stream(const trace::DeviceColumns& columns, std::uint32_t row) {
    return {columns.process[row], columns.device[row], columns.context[row], columns.stream[row]};
  }

  void add(Run& run, Task task, std::uint32_t row) {
    const trace::Copies& copies = input_.trace.copies;
    const bool small = copies.has_size(row) && copies.bytes[row] < thresholds::kLinkBoundBytes;
    if (!small || copies.kind[row] != run.kind) end(run);
    if (!small) return;
    run.kind = copies.kind[row];
    run.bytes += copies.bytes[row];
    run.copies.push_back(task);
  }

  // Bytes per second; 0 where the trace does not say.
  double rate_of_large_copies(std::uint32_t row, trace::CopyKind kind) const {
    const trace::Copies& copies = input_.trace.copies;
    const auto limit = links_.limit(copies.device[row], kind);
    if (!limit) {
      const auto fastest = fastest_of_kind_.find({copies.device[row], kind});
      return fastest == fastest_of_kind_.end() ? 0 : fastest->second;
    }
    const double pinned = limit->pinned_bytes_per_s();
    return memory_of_copy(copies, row) == trace::MemoryKind::pageable ? std::min<double>(pinned, thresholds::kAssumedPageableBytesPerSecond) : pinned;
  }

  // The first copy takes what the bytes of all need at the link's rate; the others, and their calls, are left out.
  void end(Run& run) {
    if (run.copies.size() > 1) {
      const std::uint32_t row = input_.graph.row[run.copies.front()];
      std::int64_t total_ns = 0;
      for (const Task task : run.copies) total_ns += graph_.duration_ns(task);
      const double rate = rate_of_large_copies(row, run.kind);
      const auto at_rate_ns = rate > 0 ? static_cast<std::int64_t>(static_cast<double>(run.bytes) * 1e9 / rate) : total_ns;
      graph_.set_duration(run.copies.front(), std::clamp<std::int64_t>(at_rate_ns, graph_.duration_ns(run.copies.front()), total_ns));
      for (std::size_t i = 1; i < run.copies.size(); ++i) leave_out(run.copies[i]);
    }
    run = {};
  }

  void leave_out(Task copy) {
    graph_.leave_out_activity(copy);
    if (const auto call = input_.graph.asked_by(copy)) graph_.leave_out_call(*call);
    ++merged_;
  }

  const RemedyInput& input_;
  ChangedGraph& graph_;
  HostLinks links_;
  std::map<std::pair<trace::DeviceId, trace::CopyKind>, double> fastest_of_kind_;  // bytes/s of large copies, between GPUs too
  std::size_t merged_ = 0;
};

Applied apply(const RemedyInput& input, ChangedGraph& graph) { return Merger(input, graph).apply(); }

}  // namespace

extern const Remedy merge_copies;
constinit const Remedy merge_copies{"merge-copies", "small copies that follow each other become one", apply};

}  // namespace gputrace::analyzer
