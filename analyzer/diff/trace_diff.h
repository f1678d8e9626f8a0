// What changed between two traces of one program: a pure function of both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/diff/bootstrap.h"
#include "analyzer/diff/scaling.h"
#include "analyzer/name_rules.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct Change {
  double before = 0, after = 0;
  double difference() const { return after - before; }
  // nullopt from nothing: no share says how much more something is than zero.
  std::optional<double> relative() const {
    return before > 0 ? std::optional(after / before - 1) : std::nullopt;
  }
};

enum class StepVerdict : std::uint8_t { not_aligned, cannot_judge, no_change, slower, faster };

struct StepComparison {
  StepVerdict verdict = StepVerdict::not_aligned;
  std::string why;  // for not_aligned and cannot_judge: what is missing
  StepSource source = StepSource::none;
  std::size_t before_count = 0, after_count = 0;  // steps after warm-up
  Change median_ns;
  Interval interval;  // of the relative change, 95 %; where there are enough steps
  // The smallest relative change that would have been seen in four of five such pairs of traces (95 % sure,
  // power 80 %: 2.8 standard errors, Bloom 1995), at least thresholds::kSameStepShare.
  double smallest_visible = 0;
};

enum class KernelFate : std::uint8_t { same, came, went, slower, faster };
const char* name(KernelFate fate);

// One kernel, or one class of kernels, per unit of the comparison and GPU.
struct KernelChange {
  std::string name;   // demangled in full; of a class its name: "matmul"
  std::string label;  // short
  std::string op_class;
  KernelFate fate = KernelFate::same;
  Change calls, ns;
};

struct PartChange {
  std::string key;  // as TimePart::key
  Change ns;
};

// All figures below `traced_ns` are means over the GPUs that ran anything, per step where the steps are
// aligned, else over the whole window: what both traces are compared by is `per_step`.
struct TraceDiff {
  std::string before_file, after_file;
  bool before_simulated = false, after_simulated = false;
  std::vector<std::string> caveats;  // what weakens the comparison, as sentences
  StepComparison steps;
  bool per_step = false;
  Change gpus;               // that ran anything
  Change traced_ns;          // from the first kernel to the last activity on a GPU
  Change traced_kernel_ns;   // the sum of all kernels' durations in it, over all GPUs
  Change unit_ns;            // the window per unit: what the parts sum to
  Change kernel_ns;          // the sum of kernels' durations
  Change compute_kernel_ns;  // ... of those that are no communication: what runs in one waits for other GPUs
  Change busy_ns, idle_ns;   // anything runs on the GPU; nothing does. Both sum to unit_ns
  Change exposed_communication_ns;    // communication runs and no computation
  std::vector<PartChange> parts;      // the largest difference first
  std::optional<Scaling> scaling;     // where the numbers of GPUs differ and the work is comparable
  std::vector<KernelChange> classes;  // the largest difference first
  std::vector<KernelChange> kernels;  // the largest difference first
};

TraceDiff diff_traces(const trace::Trace& before, const trace::Trace& after,
                      const std::vector<NameRule>& name_rules = {});

}  // namespace gputrace::analyzer
