// GPUs that the program opened, or could see, and gave no work.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {
namespace {

struct Gpus {
  std::string unused;
  std::size_t used_count = 0, unused_count = 0;
  trace::DeviceId used{};
  std::vector<Evidence> evidence;
};

Gpus sort_gpus(const Metrics& metrics) {
  constexpr const char* kNoWork = "no kernel, no copy and no fill";
  Gpus gpus;
  for (const DeviceMetrics& device : metrics.devices) {
    if (device.used) {
      ++gpus.used_count;
      gpus.used = device.device;
    } else {
      if (gpus.evidence.size() < kMaxEvidence) gpus.evidence.push_back({metrics.window, device.device, kNoWork});
      gpus.unused += fmt::format("{}{}", gpus.unused_count++ == 0 ? "" : ", ", device.device.value);
    }
  }
  return gpus;
}

struct Share {
  std::int64_t ns = 0, kernels = 0;
};

// Kernels in the window by the thread that asked for them.
std::map<trace::ThreadIndex, Share> kernels_by_thread(const RuleInput& input) {
  std::map<trace::ThreadIndex, Share> sums;
  const DependencyGraph& graph = input.what_if.graph();
  for (Task task = 0; task < graph.task_count(); ++task) {
    if (graph.kind[task] != TaskKind::kernel) continue;
    const auto call = graph.asked_by(task);
    if (!call) continue;
    Share& sum = sums[input.trace.api_calls.thread[graph.row[*call]]];
    sum.ns += input.trace.kernels.span(graph.row[task]).duration_ns();
    ++sum.kernels;
  }
  return sums;
}

// A process of a job with one GPU each sees the others' too: that one thread uses one GPU is how most programs run.
Finding shared_gpu(const RuleInput& input, const Gpus& gpus) {
  Finding finding;
  if (!input.what_if.possible()) return finding;
  const auto threads = kernels_by_thread(input);
  std::int64_t most_ns = 0, all_ns = 0, fewest = INT64_MAX, most = 0;
  for (const auto& [thread, sum] : threads) {
    most_ns = std::max(most_ns, sum.ns);
    all_ns += sum.ns;
    fewest = std::min(fewest, sum.kernels);
    most = std::max(most, sum.kernels);
  }
  // Only threads that do the same: one for the forward and one for the backward pass share a GPU by nature.
  if (threads.size() < 2 || static_cast<double>(fewest) < thresholds::kAlikeShare * static_cast<double>(most)) return finding;
  const double now_ns = input.what_if.mean_step_ns(), moved_ns = static_cast<double>(all_ns - most_ns) / input.metrics.step_count;
  const double after_ns = std::max(now_ns - moved_ns, input.what_if.host_work_per_step_ns());
  if (now_ns - after_ns < thresholds::kInfoShare * now_ns) return finding;
  set_found(finding, {threads.size(), "", now_ns, after_ns});
  finding.evidence = gpus.evidence;
  finding.title = fmt::format("{} threads hand all their work to GPU {}, and GPU {} {} none", threads.size(), gpus.used.value, gpus.unused,
                              gpus.unused_count == 1 ? "has" : "have");
  finding.why = fmt::format("Each of {} host threads asks for about the same work, all of it on GPU {}, where it runs one after the other. With a GPU for each "
                            "thread, {}.", threads.size(), gpus.used.value, time_change(input.metrics, after_ns, now_ns));
  return finding;
}

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
  const Gpus gpus = sort_gpus(input.metrics);
  if (gpus.unused_count == 0 || gpus.used_count == 0) return finding;
  if (gpus.used_count == 1) return shared_gpu(input, gpus);
  finding.verdict = Verdict::found;
  finding.evidence = gpus.evidence;
  finding.title = fmt::format("GPU {} {} no work, while {} others have", gpus.unused, gpus.unused_count == 1 ? "has" : "have", gpus.used_count);
  const double now_ns = step_ns(input.metrics), share = static_cast<double>(gpus.used_count) / static_cast<double>(gpus.used_count + gpus.unused_count);
  finding.why = fmt::format("The program's work is spread over {} GPUs; {} more {} in the machine and ran nothing in the whole trace. At best, the same work "
                            "over all of them takes {} of its time.", gpus.used_count, gpus.unused_count, gpus.unused_count == 1 ? "is" : "are", percent(share));
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(now_ns * (1 - share));
  finding.severity = Severity::info;  // they may be left free on purpose
  return finding;
}

}  // namespace

extern const Rule unused_gpus;
constinit const Rule unused_gpus{"unused-gpus", "Do some GPUs have no work?", look,
    {"torchrun --nproc_per_node=N train.py and torch.cuda.set_device(int(os.environ['LOCAL_RANK'])); hide GPUs that are left free: CUDA_VISIBLE_DEVICES=0,1.",
     "tf.distribute.MirroredStrategy() without a device list; with towers: with tf.device('/gpu:%d' % i): around each; hide GPUs that are left free: CUDA_VISIBLE_DEVICES=0,1.",
     "cudaSetDevice(i) on each thread before its first call; hide GPUs that are left free: CUDA_VISIBLE_DEVICES=0,1 (a context costs start-up time and memory)."}};

}  // namespace gputrace::analyzer
