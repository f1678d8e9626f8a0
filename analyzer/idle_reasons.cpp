#include "analyzer/idle_reasons.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "analyzer/call_kinds.h"
#include "analyzer/innermost_ranges.h"
#include "analyzer/input_waits.h"
#include "analyzer/op_ranges.h"
#include "analyzer/replay/replay.h"
#include "analyzer/replay/task_table.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

constexpr std::size_t kMostParts = 32;  // per GPU
// Of a reason that names kernels: which of another GPU's many kernels was the last is no news.
constexpr std::size_t kMostKernels = 3;

struct Where {
  IdleReason reason = IdleReason::unknown;
  trace::StringId text{};  // of the labels
  friend auto operator<=>(const Where&, const Where&) = default;
};

struct Sum {
  std::int64_t ns = 0, gaps = 0;
  Span longest;
  void add(Span span) {
    ns += span.duration_ns();
    ++gaps;
    if (span.duration_ns() > longest.duration_ns()) longest = span;
  }
};

// What passed between two moments of the graph, one of which waited for the other.
class EdgeReader {
 public:
  EdgeReader(const Trace& trace, const DependencyGraph& graph, Span window) : trace_(trace), graph_(graph), ranges_(trace, window) {}

  std::string_view label(trace::StringId id) const { return labels_[id]; }

  Where read(Moment to, const Edge& edge, Span span) {
    switch (edge.kind) {
      case EdgeKind::program:
      case EdgeKind::handover:
      case EdgeKind::step: return host_work(to, span);
      case EdgeKind::launch: return {IdleReason::launch_latency, {}};
      case EdgeKind::would_block:
      case EdgeKind::blocking: return {returned_from(task_of(to)), label_of(call_name(task_of(to)))};
      case EdgeKind::stream: return {IdleReason::stream, {}};
      case EdgeKind::event:
      case EdgeKind::default_stream:
      case EdgeKind::engine: return {IdleReason::other_stream, {}};
      case EdgeKind::collective: return {IdleReason::collective, label_of(activity_name(task_of(to)))};
      case EdgeKind::duration: break;
    }
    return duration(task_of(to));
  }

  // Of a thread's first call: nothing is known before it, and it is the host that came late.
  Where host_work(Moment to, Span span) {
    const Task task = task_of(to);
    if (graph_.kind[task] != TaskKind::call) return {IdleReason::host, {}};
    const trace::StringId range = ranges_.at(trace_.api_calls.thread[graph_.row[task]], span.start_ns + span.duration_ns() / 2);
    if (range.value != 0 && is_input_wait(trace_.text(range))) return {IdleReason::input, label_of(range)};
    if (range.value == 0 && span.duration_ns() >= static_cast<std::int64_t>(thresholds::kPauseNs)) return {IdleReason::pause, {}};
    return {IdleReason::host, label_of(range)};
  }

 private:
  // Of an op its type, since each op has a text of its own; else the text.
  trace::StringId label_of(trace::StringId text) {
    const auto [known, is_new] = known_.try_emplace(text);
    if (is_new) {
      const auto op = parse_op_text(trace_.text(text));
      known->second = labels_.intern(op && !op->name.empty() ? std::string_view(op->type) : trace_.text(text));
    }
    return known->second;
  }

  trace::StringId call_name(Task task) const { return graph_.kind[task] == TaskKind::call ? trace_.api_calls.name[graph_.row[task]] : trace::StringId{}; }
  trace::StringId activity_name(Task task) const { return graph_.kind[task] == TaskKind::kernel ? trace_.kernels.name[graph_.row[task]] : trace::StringId{}; }

  Where duration(Task task) {
    switch (graph_.kind[task]) {
      case TaskKind::call: return {reason_of_call(task), label_of(call_name(task))};
      case TaskKind::copy: return {IdleReason::copy, {}};
      case TaskKind::meeting: return {IdleReason::collective, {}};
      case TaskKind::barrier: return {IdleReason::host, {}};
      default: return {IdleReason::peer, label_of(activity_name(task))};
    }
  }

  // A launch may take longer than its kernel, and where launches block (CUDA_LAUNCH_BLOCKING) it is still the launch.
  IdleReason returned_from(Task call) const {
    return reason_of_call(call) == IdleReason::launch_call ? IdleReason::launch_call : IdleReason::synchronization;
  }

  IdleReason reason_of_call(Task task) const {
    switch (call_kind(trace_.text(call_name(task)))) {
      case CallKind::launch: return IdleReason::launch_call;
      case CallKind::copy: return IdleReason::copy_call;
      case CallKind::synchronize: return IdleReason::synchronization;
      case CallKind::allocate: return IdleReason::allocation;
      case CallKind::load: return IdleReason::module_load;
      default: return IdleReason::other_call;
    }
  }

  const Trace& trace_;
  const DependencyGraph& graph_;
  InnermostRanges ranges_;
  trace::StringTable labels_;
  std::unordered_map<trace::StringId, trace::StringId> known_;  // label by text of the trace
};

// Walks the activities of all GPUs in the order of start and accounts for the gaps between them.
class GapReader {
 public:
  GapReader(const Trace& trace, const Metrics& metrics, const DependencyGraph& graph)
      : trace_(trace), metrics_(metrics), graph_(graph), edges_(trace, graph, metrics.window), replayed_(replay(graph)), sums_(metrics.devices.size()) {
    for (std::size_t i = 0; i < metrics.devices.size(); ++i) {
      place_[metrics.devices[i].device] = i;
      busy_until_ns_.push_back(metrics.window.start_ns);
    }
  }

  const EdgeReader& edges() const { return edges_; }

  std::vector<std::map<Where, Sum>> read() {
    note_begun_before(trace_.kernels);
    note_begun_before(trace_.copies);
    note_begun_before(trace_.fills);
    note_begun_before(trace_.graph_launches);
    std::size_t copy = 0;
    const trace::Copies& copies = trace_.copies;
    // Migrations are no tasks, and keep a GPU busy like any copy.
    const auto note_migrations = [&](std::int64_t until_ns) {
      for (; copy < copies.size() && copies.start_ns[copy] <= until_ns; ++copy)
        if (is_migration(copies.kind[copy])) occupy(copies.device[copy], copies.span(copy), kNoTask);
    };
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (!is_activity(graph_.kind[task])) continue;
      const std::int64_t start_ns = graph_.recorded_ns[start_of(task)];
      note_migrations(start_ns);
      occupy(device_of(task), {start_ns, graph_.recorded_ns[end_of(task)]}, task);
    }
    note_migrations(metrics_.window.end_ns - 1);
    for (std::size_t place = 0; place < sums_.size(); ++place) {
      if (busy_until_ns_[place] < metrics_.window.end_ns) sums_[place][{IdleReason::no_more_work, {}}].add({busy_until_ns_[place], metrics_.window.end_ns});
    }
    return std::move(sums_);
  }

 private:
  void note_begun_before(const trace::DeviceColumns& table) {
    for (std::size_t i = 0; i < table.size() && table.start_ns[i] < metrics_.window.start_ns; ++i) {
      std::int64_t& until_ns = busy_until_ns_[place_.at(table.device[i])];
      until_ns = std::max(until_ns, table.end_ns[i]);
    }
  }

  trace::DeviceId device_of(Task task) const {
    return columns_of(trace_, graph_.kind[task]).device[graph_.row[task]];
  }

  // An activity without length keeps no GPU busy.
  void occupy(trace::DeviceId device, Span span, Task task) {
    if (span.start_ns == span.end_ns) return;
    const std::size_t place = place_.at(device);
    std::int64_t& until_ns = busy_until_ns_[place];
    if (span.start_ns > until_ns) account({until_ns, span.start_ns}, task, sums_[place]);
    until_ns = std::max(until_ns, std::min(span.end_ns, metrics_.window.end_ns));
  }

  // From the start of what came next back along the chain of what decided it, until the gap's start.
  void account(Span gap, Task next, std::map<Where, Sum>& sums) {
    std::int64_t until_ns = gap.end_ns;
    Moment moment = next == kNoTask ? 0 : start_of(next);
    while (next != kNoTask && until_ns > gap.start_ns) {
      const std::uint32_t binding = replayed_.binding_edge[moment];
      if (binding == UINT32_MAX) break;
      const Edge& edge = graph_.edges[binding];
      const Span span{std::max(gap.start_ns, std::min(until_ns, graph_.recorded_ns[edge.from])), until_ns};
      if (span.duration_ns() > 0) sums[edges_.read(moment, edge, span)].add(span);
      until_ns = span.start_ns;
      moment = edge.from;
    }
    if (until_ns <= gap.start_ns) return;
    const Span rest{gap.start_ns, until_ns};
    const bool first_call = next != kNoTask && graph_.kind[task_of(moment)] == TaskKind::call && moment == start_of(task_of(moment));
    sums[first_call ? edges_.host_work(moment, rest) : Where{}].add(rest);
  }

  const Trace& trace_;
  const Metrics& metrics_;
  const DependencyGraph& graph_;
  EdgeReader edges_;
  Replayed replayed_;
  std::map<trace::DeviceId, std::size_t> place_;
  std::vector<std::int64_t> busy_until_ns_;
  std::vector<std::map<Where, Sum>> sums_;
};

bool names_kernels(IdleReason reason) { return reason == IdleReason::peer || reason == IdleReason::collective; }

std::vector<IdlePart> parts_of(const EdgeReader& edges, const std::map<Where, Sum>& sums) {
  std::vector<std::pair<Where, Sum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::vector<IdlePart> parts;
  std::map<IdleReason, IdlePart> rest;
  std::map<IdleReason, std::size_t> kernels;
  for (const auto& [where, sum] : sorted) {
    const bool one_kernel_of_many = names_kernels(where.reason) && where.text.value != 0 && ++kernels[where.reason] > kMostKernels;
    if (!one_kernel_of_many && parts.size() < kMostParts - static_cast<std::size_t>(IdleReason::count)) {
      parts.push_back({name(where.reason), std::string(edges.label(where.text)), sum.ns, sum.gaps, sum.longest});
      continue;
    }
    IdlePart& part = rest[where.reason];
    part.reason = name(where.reason);
    part.ns += sum.ns, part.gaps += sum.gaps;
    if (sum.longest.duration_ns() > part.longest.duration_ns()) part.longest = sum.longest;
  }
  for (auto& [reason, part] : rest) {
    const auto nowhere = std::find_if(parts.begin(), parts.end(), [&](const IdlePart& known) { return known.reason == part.reason && known.where.empty(); });
    if (nowhere == parts.end()) {
      parts.push_back(std::move(part));
      continue;
    }
    nowhere->ns += part.ns, nowhere->gaps += part.gaps;
    if (part.longest.duration_ns() > nowhere->longest.duration_ns()) nowhere->longest = part.longest;
  }
  std::stable_sort(parts.begin(), parts.end(), [](const IdlePart& a, const IdlePart& b) { return a.ns > b.ns; });
  return parts;
}

}  // namespace

const char* name(IdleReason reason) {
  switch (reason) {
    case IdleReason::host: return "host between calls";
    case IdleReason::input: return "waiting for the next batch";
    case IdleReason::pause: return "pause of the host";
    case IdleReason::launch_call: return "launch call";
    case IdleReason::copy_call: return "copy call";
    case IdleReason::allocation: return "allocation";
    case IdleReason::module_load: return "loading a module";
    case IdleReason::synchronization: return "synchronization call";
    case IdleReason::other_call: return "other call";
    case IdleReason::launch_latency: return "launch latency";
    case IdleReason::stream: return "between activities of the stream";
    case IdleReason::other_stream: return "waiting for another stream";
    case IdleReason::copy: return "waiting for a copy of another GPU";
    case IdleReason::collective: return "waiting in a collective";
    case IdleReason::peer: return "waiting for another GPU";
    case IdleReason::no_more_work: return "no more work";
    default: return "unknown";
  }
}

std::vector<std::vector<IdlePart>> idle_reasons(const Trace& trace, const Metrics& metrics, const WhatIf& what_if) {
  std::vector<std::vector<IdlePart>> by_device(metrics.devices.size());
  if (!what_if.possible()) return by_device;
  GapReader reader(trace, metrics, what_if.graph());
  const auto sums = reader.read();
  for (std::size_t place = 0; place < sums.size(); ++place) by_device[place] = parts_of(reader.edges(), sums[place]);
  return by_device;
}

}  // namespace gputrace::analyzer
