// GPUs that the program opened, or could see, and gave no work.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  if (!input.trace.has(trace::Table::gpus)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "the trace does not say which GPUs there are";
    return finding;
  }
  std::string unused;
  std::size_t used_count = 0, unused_count = 0;
  for (const DeviceMetrics& device : input.metrics.devices) {
    if (device.used) {
      ++used_count;
    } else {
      unused += fmt::format("{}{}", unused_count++ == 0 ? "" : ", ", device.device.value);
    }
  }
  // A process of many that uses its own GPU sees the others too; one GPU used of several is how most programs run.
  if (used_count < 2 || unused_count == 0) return finding;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("GPU {} {} no work, while {} others have", unused, unused_count == 1 ? "has" : "have", used_count);
  const double now_ns = step_ns(input.metrics), share = static_cast<double>(used_count) / static_cast<double>(used_count + unused_count);
  finding.why = fmt::format("The program's work is spread over {} GPUs; {} more {} in the machine and {} nothing in the whole trace. At best, the same work "
                            "over all of them takes {} of its time.", used_count, unused_count, unused_count == 1 ? "is" : "are", unused_count == 1 ? "ran" : "ran", percent(share));
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(now_ns * (1 - share));
  finding.severity = Severity::warning;
  finding.advice = {"Give every GPU its share of the batch: torchrun --nproc_per_node=N; TensorFlow MirroredStrategy without a device list.",
                    "If it is left free on purpose, hide it (CUDA_VISIBLE_DEVICES): a context on it costs start-up time and memory."};
  return finding;
}

}  // namespace

extern const Rule unused_gpus;
constinit const Rule unused_gpus{"unused-gpus", "Do some GPUs have no work?", look};

}  // namespace gputrace::analyzer
