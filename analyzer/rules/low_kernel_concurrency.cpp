// Kernels run one by one on a GPU that has room: would several streams help, and if not, what would?
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "analyzer/concurrency_limits.h"
#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Room {  // on one GPU, in the window
  double unused_ns = 0;        // kernel time x the share of the GPU that small kernels leave free
  double small_kernel_ns = 0;  // time of kernels that leave at least half of it free
  double late_ns = 0;          // idle because the host had not launched yet
  std::size_t kernels = 0;
  std::set<std::int32_t> streams;
  double total_ns() const { return unused_ns + late_ns; }
};

std::map<trace::DeviceId, Room> measure_room(const RuleInput& input) {
  std::map<trace::DeviceId, Room> rooms;
  const trace::Kernels& kernels = input.trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.start_ns[i] < input.metrics.window.start_ns || kernels.end_ns[i] > input.metrics.window.end_ns) continue;
    // A collective takes few multiprocessors by design, and its time is mostly waiting for other GPUs.
    if (input.metrics.is_communication[kernels.name[i].value]) continue;
    Room& room = rooms[kernels.device[i]];
    ++room.kernels;
    room.streams.insert(kernels.stream[i].value);
    const double fill = gpu_fill(input.trace, i).value_or(1.0);
    if (fill >= thresholds::kSmallKernelFill) continue;
    const auto duration_ns = static_cast<double>(kernels.span(i).duration_ns());
    room.small_kernel_ns += duration_ns;
    room.unused_ns += duration_ns * (1 - fill);
  }
  for (const DeviceMetrics& device : input.metrics.devices) {
    rooms[device.device].late_ns = static_cast<double>(device.late_launch_ns);
  }
  return rooms;
}

bool sizes_are_known(const trace::Trace& trace) {
  return std::any_of(trace.gpus.begin(), trace.gpus.end(), [](const trace::Gpu& gpu) { return gpu.sm_count > 0; });
}

double concurrency(const DeviceMetrics& device) {
  return device.kernel_ns > 0 ? static_cast<double>(device.concurrent_kernel_ns) / static_cast<double>(device.kernel_ns) : 0;
}

// "Of the time that neighbouring kernels could have shared, 61.0 % are of pairs whose second was launched only after ..., 39.0 % ..."
std::string reasons(const ConcurrencyReport& report) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 8> kWords{{
      {"launched late", "the second kernel was launched only after the first had ended"},
      {"the first fills the GPU", "the first fills the GPU"},
      {"CUDA graph", "a CUDA graph orders the two"},
      {"same stream", "both are on one stream"},
      {"dependency", "the second's stream was made to wait for an event"},
      {"default stream", "one is on the default stream, which waits for all streams that are not created as non-blocking"},
      {"copy", "the second waited on its stream for a copy"},
      {"unknown", "the trace does not tell why"}}};
  std::int64_t all_ns = 0;
  for (const ConcurrencyLimit& limit : report.limits) all_ns += limit.ns;
  std::string text;
  for (const ConcurrencyLimit& limit : report.limits) {
    const double share = all_ns > 0 ? static_cast<double>(limit.ns) / static_cast<double>(all_ns) : 0;
    if (share < thresholds::kInfoShare) continue;
    const auto words = std::find_if(kWords.begin(), kWords.end(), [&](const auto& entry) { return entry.first == limit.reason; });
    text += fmt::format("{}{} where {}", text.empty() ? "" : ", ", percent(share), words->second);
  }
  return text.empty() ? text : "Of the time that neighbouring kernels could have shared: " + text + ". ";
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  if (!sizes_are_known(input.trace)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "the trace does not say how many SMs the GPUs have, so it is not known whether kernels leave room";
    return finding;
  }
  auto rooms = measure_room(input);
  const DeviceMetrics* worst = nullptr;
  for (const DeviceMetrics& device : input.metrics.devices) {
    if (device.kernel_ns == 0 || concurrency(device) >= thresholds::kLowConcurrency) continue;
    if (worst == nullptr || rooms[device.device].total_ns() > rooms[worst->device].total_ns()) worst = &device;
  }
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst == nullptr || window_ns <= 0) return finding;
  const Room& room = rooms[worst->device];
  if (room.total_ns() < thresholds::kRoomShare * window_ns) return finding;

  const double window_to_step = step_ns(input.metrics) / window_ns;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("Kernels on GPU {} never share it: concurrency {}, computing {} of {}", worst->device.value,
                              percent(concurrency(*worst)), percent(static_cast<double>(worst->kernel_ns) / window_ns),
                              step_word(input.metrics));
  finding.why = room.streams.size() == 1
                    ? fmt::format("All {} kernels of GPU {} are on one stream, and a stream runs them one after the other. ",
                                  room.kernels, worst->device.value)
                    : fmt::format("The {} kernels of GPU {} are spread over {} streams and still run one after the other. ",
                                  room.kernels, worst->device.value, room.streams.size());
  const auto limits = concurrency_limits(input.trace, input.metrics);
  const auto report = limits.find(worst->device);
  if (report != limits.end()) finding.why += reasons(report->second);
  finding.why += fmt::format("Kernels that need less than half of the GPU take {} {}", milliseconds(room.small_kernel_ns * window_to_step), per_step(input.metrics));
  // The best case of more streams: kernels that only their stream keeps apart, side by side as far as the SMs hold them. Late launches
  // are not won back. It is no prediction: which kernels need each other's results is not recorded, nor what they share of the memory's rate.
  const double streams_win_ns = report == limits.end() ? 0 : static_cast<double>(report->second.streams_win_at_most_ns) * window_to_step;
  finding.why += fmt::format("; on more streams, as far as the SMs hold kernels side by side, {} would be {} shorter at the very best, and no "
                             "shorter where each needs the result of the one before, or all are held up by memory. ", step_word(input.metrics), milliseconds(streams_win_ns));
  const double late_ns = room.late_ns * window_to_step;
  if (room.late_ns > room.unused_ns) {
    finding.why += fmt::format(
        "The larger loss is another: for {} {} the GPU has nothing to run because the host has not launched the next kernel yet. "
        "More streams do not change that; fewer, larger kernels do.", milliseconds(late_ns), per_step(input.metrics));
    finding.advice.push_back("Cut the number of launches first: fuse element-wise chains, padding and broadcasts into their neighbours "
                             "(fused batch norm, padding in the convolution), or launch a whole step as one CUDA graph.");
  }
  finding.at_stake_ns_per_step = std::llround(room.total_ns() * window_to_step);
  finding.severity = Severity::info;
  for (const Gap& gap : worst->longest_late_launches) {
    finding.evidence.push_back({gap.span, worst->device, fmt::format("idle {}, the next launch comes late",
                                                                     milliseconds(static_cast<double>(gap.span.duration_ns())))});
  }
  if (finding.evidence.empty()) finding.evidence.push_back({input.metrics.window, worst->device, "kernels run one by one"});
  return finding;
}

}  // namespace

extern const Rule low_kernel_concurrency;
constinit const Rule low_kernel_concurrency{
    "low-kernel-concurrency", "Do kernels run one by one on a GPU that has room for several?", look,
    {"side = torch.cuda.Stream(); with torch.cuda.stream(side): y = branch(x); torch.cuda.current_stream().wait_stream(side). Independent small layers: torch._foreach_add(...), torch.vmap.",
     "Build independent branches without control dependencies; batch small ones into one op: tf.linalg.matmul on a stacked tensor, tf.vectorized_map(f, xs).",
     "cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking); kernel<<<blocks, threads, 0, side>>>(...); order streams by cudaStreamWaitEvent(side, event, 0)."}};

}  // namespace gputrace::analyzer
