#include "analyzer/metrics.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/blocking_calls.h"
#include "analyzer/launch_index.h"
#include "analyzer/parallel_for.h"
#include "analyzer/signature_family.h"
#include "analyzer/steps.h"
#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

enum SweepKind : std::size_t { kComputeKernels, kCommunicationKernels, kHostCopies, kOtherCopies, kFills, kSweepKinds };

bool is_host_copy(trace::CopyKind kind) {
  using trace::CopyKind;
  return kind == CopyKind::host_to_device || kind == CopyKind::device_to_host || kind == CopyKind::host_to_array ||
         kind == CopyKind::array_to_host || kind == CopyKind::unified_host_to_device || kind == CopyKind::unified_device_to_host;
}

std::vector<bool> communication_names(const Trace& trace, const KernelMeanings& kernels) {
  std::vector<bool> is_communication(trace.strings.size());
  for (const trace::StringId name : trace.kernels.name)
    is_communication[name.value] = kernels.of(name).op_class == op_class::kCommunication;
  return is_communication;
}

// Of all GPUs together: a file may name any number of them.
constexpr std::size_t kMostStepTimes = 100'000, kMostStepVisits = 100'000'000;

// Start of an activity on a GPU, and who asked for it.
struct Start {
  std::int64_t start_ns;
  trace::ProcessIndex process;
  trace::CorrelationId correlation;
};

struct DeviceEvents {
  std::array<Edges, kSweepKinds> edges;
  std::vector<Start> starts;  // of everything on the device
};

using EventsByDevice = std::map<trace::DeviceId, DeviceEvents>;

template <class KindOf>
void collect(const trace::DeviceColumns& columns, Span window, EventsByDevice& events, KindOf&& kind_of) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    DeviceEvents& device = events[columns.device[i]];
    device.edges[kind_of(i)].add(columns.span(i), window);
    if (columns.end_ns[i] > window.start_ns && columns.start_ns[i] < window.end_ns) {
      device.starts.push_back({columns.start_ns[i], columns.process[i], columns.correlation[i]});
    }
  }
}

EventsByDevice collect_events(const Trace& trace, Span window, const std::vector<bool>& is_communication) {
  EventsByDevice events;
  for (const trace::Gpu& gpu : trace.gpus) events[gpu.device];
  collect(trace.kernels, window, events, [&](std::size_t i) {
    return is_communication[trace.kernels.name[i].value] ? kCommunicationKernels : kComputeKernels;
  });
  collect(trace.copies, window, events, [&](std::size_t i) { return is_host_copy(trace.copies.kind[i]) ? kHostCopies : kOtherCopies; });
  collect(trace.fills, window, events, [](std::size_t) { return kFills; });
  // A graph that was recorded as a whole keeps its GPU busy, with what is not known. With its nodes recorded too it would count twice.
  const auto& nodes = trace.kernels.graph_node;
  if (std::none_of(nodes.begin(), nodes.end(), [](std::int64_t node) { return node != 0; })) {
    collect(trace.graph_launches, window, events, [](std::size_t) { return kComputeKernels; });
  }
  for (auto& [id, device] : events) {
    // Of starts at one instant the same one counts in any order of rows.
    std::sort(device.starts.begin(), device.starts.end(), [](const Start& a, const Start& b) {
      return std::tie(a.start_ns, a.process, a.correlation) < std::tie(b.start_ns, b.process, b.correlation);
    });
  }
  return events;
}

class GapSplitter {
 public:
  GapSplitter(const Trace& trace, const LaunchIndex& launches) : trace_(trace), launches_(launches), blocking_(trace) {}

  // Splits an idle gap by the call that launched what comes next; the pieces cover it exactly.
  template <class Add>
  void split(Span gap, const std::vector<Start>& starts, Add&& add) const {
    const auto next = std::lower_bound(starts.begin(), starts.end(), gap.end_ns,
                                       [](const Start& start, std::int64_t ns) { return start.start_ns < ns; });
    if (next == starts.end()) return add(Gap{gap, IdleCause::no_more});
    const auto row = launches_.call(next->process, next->correlation);
    if (!row) return add(Gap{gap, IdleCause::unknown});
    const Span call = trace_.api_calls.span(*row);
    if (call.end_ns <= gap.start_ns) return add(Gap{gap, IdleCause::waiting});
    const std::int64_t launch_ns = std::clamp(call.start_ns, gap.start_ns, gap.end_ns);
    if (launch_ns > gap.start_ns) {
      const bool waited = blocking_.held_up(*row, gap.start_ns);
      add(Gap{{gap.start_ns, launch_ns}, waited ? IdleCause::sync : IdleCause::host});
    }
    if (launch_ns < gap.end_ns) add(Gap{{launch_ns, gap.end_ns}, IdleCause::launch});
  }

 private:
  const Trace& trace_;
  const LaunchIndex& launches_;
  BlockingCalls blocking_;
};

void keep_longest(std::vector<Gap>& gaps, const Gap& gap) {
  const auto longer = [](const Gap& a, const Gap& b) { return a.span.duration_ns() > b.span.duration_ns(); };
  if (gaps.size() == kMaxEvidence) {
    if (!longer(gap, gaps.back())) return;
    gaps.pop_back();
  }
  gaps.insert(std::upper_bound(gaps.begin(), gaps.end(), gap, longer), gap);
}

DeviceMetrics measure_device(trace::DeviceId id, DeviceEvents& events, Span window, const GapSplitter& splitter, StepSplitter steps) {
  DeviceMetrics metrics;
  metrics.device = id;
  sweep(window, events.edges, [&](Span span, const std::array<int, kSweepKinds>& running) {
    const std::int64_t ns = span.duration_ns();
    const int kernels = running[kComputeKernels] + running[kCommunicationKernels];
    const bool copies = running[kHostCopies] + running[kOtherCopies] > 0;
    const unsigned activity = (running[kComputeKernels] > 0 ? kCompute : 0u) | (running[kCommunicationKernels] > 0 ? kCommunication : 0u) |
                              (copies ? kCopy : 0u) | (running[kFills] > 0 ? kFill : 0u);
    metrics.part_ns[activity] += ns;
    if (kernels >= 1) metrics.kernel_ns += ns;
    if (kernels >= 2) metrics.concurrent_kernel_ns += ns;
    if (copies) metrics.copy_ns += ns;
    if (copies && kernels >= 1) metrics.copy_and_kernel_ns += ns;
    if (running[kHostCopies] > 0) metrics.host_copy_ns += ns;
    if (running[kHostCopies] > 0 && kernels == 0) metrics.exposed_host_copy_ns += ns;
    if (activity != 0) return steps.add_busy(span, activity);
    splitter.split(span, events.starts, [&](const Gap& gap) {
      metrics.idle_ns[static_cast<std::size_t>(gap.cause)] += gap.span.duration_ns();
      steps.add_idle(gap.span, gap.cause);
      const bool late = gap.cause == IdleCause::host || gap.cause == IdleCause::launch;
      if (!late || ns > thresholds::kLaunchGapNs) return;
      metrics.late_launch_ns += gap.span.duration_ns();
      keep_longest(metrics.longest_late_launches, gap);
    });
  });
  metrics.steps = steps.take();
  return metrics;
}

std::string part_key(unsigned activity) {
  std::string key;
  const auto add = [&](unsigned bit, const char* word) {
    if ((activity & bit) == 0) return;
    if (!key.empty()) key += '+';
    key += word;
  };
  add(kCompute, "compute");
  add(kCommunication, "communication");
  add(kCopy, "copy");
  add(kFill, "fill");
  return key;
}

template <class Time>
std::vector<TimePart> named_parts(const Time& time) {
  std::vector<TimePart> parts;
  for (unsigned activity = 1; activity < kActivities; ++activity) {
    if (time.part_ns[activity] > 0) parts.push_back({part_key(activity), time.part_ns[activity]});
  }
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    if (time.idle_ns[cause] > 0) parts.push_back({name(static_cast<IdleCause>(cause)), time.idle_ns[cause]});
  }
  return parts;
}

void mark_used(const trace::DeviceColumns& columns, std::map<trace::DeviceId, bool>& used) {
  for (const trace::DeviceId device : columns.device) used[device] = true;
}

}  // namespace

const char* name(IdleCause cause) {
  switch (cause) {
    case IdleCause::host: return "idle.host";
    case IdleCause::sync: return "idle.sync";
    case IdleCause::launch: return "idle.launch";
    case IdleCause::waiting: return "idle.waiting";
    case IdleCause::no_more: return "idle.no_more_work";
    default: return "idle.unknown";
  }
}

Metrics measure(const Trace& trace, const std::vector<NameRule>& name_rules, Scope scope) {
  Metrics metrics;
  if (scope == Scope::loop) metrics.steps = find_steps(trace);
  metrics.window = scope == Scope::loop ? analysis_window(trace, metrics.steps) : gpu_span(trace);
  if (!metrics.steps.spans.empty()) {
    metrics.step_count = static_cast<double>(metrics.steps.spans.size() - metrics.steps.warm_up);
  }
  metrics.ops = find_op_ranges(trace, metrics.window);
  metrics.kernels = KernelMeanings(trace, name_rules);
  metrics.is_communication = communication_names(trace, metrics.kernels);
  EventsByDevice events = collect_events(trace, metrics.window, metrics.is_communication);
  std::map<trace::DeviceId, bool> used;
  mark_used(trace.kernels, used);
  mark_used(trace.copies, used);
  mark_used(trace.fills, used);
  mark_used(trace.graph_launches, used);
  const LaunchIndex launches(trace);
  const GapSplitter splitter(trace, launches);
  metrics.listed_steps = std::min(kMaxStepsListed, kMostStepTimes / std::max<std::size_t>(1, events.size()));
  // More GPUs and steps than any machine has would take their product: then no steps are told apart.
  metrics.steps_told_apart = events.size() <= kMostStepVisits / std::max<std::size_t>(1, metrics.steps.spans.size());
  std::vector<std::pair<const trace::DeviceId, DeviceEvents>*> devices;
  for (auto& device : events) devices.push_back(&device);
  metrics.devices.resize(devices.size());
  parallel_for(devices.size(), [&](std::size_t i) {
    metrics.devices[i] = measure_device(devices[i]->first, devices[i]->second, metrics.window, splitter, StepSplitter(metrics.step_slots()));
    metrics.devices[i].used = used.contains(devices[i]->first);
  });
  return metrics;
}

StepSlots Metrics::step_slots() const {
  static const Steps none;
  return {steps_told_apart ? steps : none, window, listed_steps};
}

std::vector<TimePart> time_parts(const DeviceMetrics& device) { return named_parts(device); }
std::vector<TimePart> time_parts(const StepTime& step) { return named_parts(step); }

}  // namespace gputrace::analyzer
