// One GPU takes longer for the same kernels than the others, and they wait for it.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy even_out_gpus;

namespace {

struct Slowness {
  trace::DeviceId device{};
  double factor = 1;  // by time of like kernels, against the fastest GPU for each
};

// The slowest of the GPUs, over kernels that run on several with the same name and launch shape.
std::optional<Slowness> slowest_gpu(const RuleInput& input) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, std::map<trace::DeviceId, std::pair<double, double>>> like;  // ns, count
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.start_ns[i] < input.metrics.window.start_ns || kernels.end_ns[i] > input.metrics.window.end_ns) continue;
    if (input.metrics.is_communication[kernels.name[i].value]) continue;
    auto& [ns, count] = like[{kernels.name[i].value, kernels.grid[i].count(), kernels.block[i].count()}][kernels.device[i]];
    ns += static_cast<double>(kernels.span(i).duration_ns());
    ++count;
  }
  std::map<trace::DeviceId, std::pair<double, double>> sums;  // own time, time at the fastest GPU's pace
  for (const auto& [key, devices] : like) {
    if (devices.size() < 2) continue;
    double best_ns = 1e300;
    for (const auto& [device, sum] : devices) best_ns = std::min(best_ns, sum.first / sum.second);
    for (const auto& [device, sum] : devices) {
      sums[device].first += sum.first;
      sums[device].second += best_ns * sum.second;
    }
  }
  std::optional<Slowness> slowest;
  for (const auto& [device, sum] : sums) {
    const double factor = sum.second > 0 ? sum.first / sum.second : 1;
    if (!slowest || factor > slowest->factor) slowest = Slowness{device, factor};
  }
  return slowest;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  const auto slowest = slowest_gpu(input);
  if (!slowest || slowest->factor < thresholds::kSlowGpuFactor) return finding;
  const RemedyGain gain = gain_of(input, even_out_gpus);
  // A slow GPU is a fault of the machine, worth a word even where other work hides it.
  set_found(finding, gain);
  finding.title = fmt::format("GPU {} takes {:.2f} times as long as the others for the same kernels", slowest->device.value, slowest->factor);
  finding.why = fmt::format(
      "Kernels of the same name and launch shape run on several GPUs; over all of them GPU {} takes {:.2f} times the time of the fastest one. ",
      slowest->device.value, slowest->factor);
  finding.why += gain.share() < thresholds::kInfoShare
                     ? "Something else is later still, so the step would not be shorter at the others' pace yet."
                     : fmt::format("The others wait for it in each step: at their pace a step takes {} instead of {}.", milliseconds(gain.after_ns), milliseconds(gain.now_ns));
  const trace::Kernels& kernels = input.trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.device[i] != slowest->device || kernels.start_ns[i] < input.metrics.window.start_ns) continue;
    add_keeping_longest(finding.evidence, {kernels.span(i), slowest->device, "a kernel of the slow GPU"});
  }
  keep_longest(finding.evidence);
  finding.advice = {fmt::format("nvidia-smi -i {} -q -d PERFORMANCE,CLOCK,TEMPERATURE says why its clock is low: heat, power cap, a fixed clock "
                                "(nvidia-smi -rgc), or another program on the same GPU.", slowest->device.value),
                    "Where the GPUs differ by model, give the slower one a smaller share of the batch."};
  return finding;
}

}  // namespace

extern const Rule slow_clock;
constinit const Rule slow_clock{"slow-clock", "Is one GPU slower than the others at the same kernels?", look};

}  // namespace gputrace::analyzer
