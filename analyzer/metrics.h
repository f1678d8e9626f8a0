// The figures that rules and reports stand on, of one window of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/kernel_meanings.h"
#include "analyzer/name_rules.h"
#include "analyzer/op_ranges.h"
#include "analyzer/step_parts.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// What runs on a GPU at an instant, as bits. Kernels of class "communication" (NCCL) count as communication, all others as compute.
enum Activity : unsigned { kCompute = 1, kCommunication = 2, kCopy = 4, kFill = 8 };

// Why a GPU was idle, by the API call that launched what ran next.
enum class IdleCause : std::uint8_t {
  host,      // the call had not begun: the host came late
  sync,      // ... because it had waited for the GPU in a blocking call that ended in this gap
  launch,    // during the call, and from its end to the start on the GPU
  waiting,   // launched before the gap: it waited for another stream, copy, event or GPU
  no_more,   // nothing follows in the window
  unknown,   // the call was not captured
  count
};
const char* name(IdleCause cause);  // "idle.host"

struct Gap {
  trace::Span span;
  IdleCause cause = IdleCause::unknown;
};

struct DeviceMetrics {
  trace::DeviceId device{};
  bool used = false;                    // ran anything in the whole trace
  std::int64_t part_ns[16] = {};        // by Activity bits; [0] is idle. Sums to the window.
  std::int64_t idle_ns[static_cast<std::size_t>(IdleCause::count)] = {};  // sums to part_ns[0]
  std::int64_t late_launch_ns = 0;      // idle of cause host or launch, in gaps short enough to be a launch that cannot keep up
                                        // (thresholds::kLaunchGapNs); longer ones are pauses
  std::int64_t kernel_ns = 0;           // at least one kernel
  std::int64_t concurrent_kernel_ns = 0;  // at least two
  std::int64_t copy_ns = 0, copy_and_kernel_ns = 0;
  std::int64_t host_copy_ns = 0;          // a copy between host and device runs
  std::int64_t exposed_host_copy_ns = 0;  // ... and no kernel
  std::vector<Gap> longest_late_launches;  // of those that late_launch_ns sums: at most kMaxEvidence, the longest first
  std::vector<StepTime> steps;            // of the window: a slot of metrics' StepSlots each
};

struct Metrics {
  Steps steps;
  trace::Span window;
  double step_count = 1;  // steps in the window; 1 without steps, so that "per step" is then "in the window"
  std::vector<DeviceMetrics> devices;  // every GPU that the trace names or that ran something, by id
  std::size_t listed_steps = 0;        // of the window: told apart on each GPU, at most kMaxStepsListed; one more slot stands for all the rest
  bool steps_told_apart = true;        // false: more GPUs times steps than any machine has
  OpRanges ops;                        // in the window
  std::vector<bool> is_communication;  // by StringId of a kernel's name
  KernelMeanings kernels;
  bool holds(trace::Span span) const { return span.start_ns >= window.start_ns && span.end_ns <= window.end_ns; }
  StepSlots step_slots() const;  // those of every device's `steps`; borrows `steps` of this
  double per_step(std::int64_t ns) const { return static_cast<double>(ns) / step_count; }
};

Metrics measure(const trace::Trace& trace, const std::vector<NameRule>& name_rules = {}, Scope scope = Scope::loop);

// The parts of a device's window for a report; they sum to the window.
std::vector<TimePart> time_parts(const DeviceMetrics& device);
std::vector<TimePart> time_parts(const StepTime& step);

}  // namespace gputrace::analyzer
