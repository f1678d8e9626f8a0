// The link of one GPU to the host is slower than the others': fewer lanes, a lower generation, the far socket.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/host_links.h"
#include "analyzer/link_rates.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy even_out_links;

namespace {

struct Slow {
  trace::DeviceId device{};
  trace::CopyKind kind = trace::CopyKind::unknown;
  double own_bytes_per_s = 0, best_bytes_per_s = 0;
};

std::optional<Slow> slowest_link(const RuleInput& input) {
  std::optional<Slow> slowest;
  for (const auto& [path, devices] : link_rates(input.trace, input.metrics)) {
    const LinkRate& best = fastest(devices);
    for (const auto& [device, own] : devices) {
      if (!is_slow(own, best)) continue;
      if (!slowest || best.bytes_per_s / own.bytes_per_s > slowest->best_bytes_per_s / slowest->own_bytes_per_s)
        slowest = Slow{device, std::get<0>(path), own.bytes_per_s, best.bytes_per_s};
    }
  }
  return slowest;
}

// How much slower the device's copies are in a direction, than the fastest GPU's over the same path; 0: not measured.
double slowness(const RuleInput& input, trace::DeviceId device, trace::CopyKind direction) {
  double worst = 0;
  for (const auto& [path, devices] : link_rates(input.trace, input.metrics)) {
    const auto own = devices.find(device);
    if (std::get<0>(path) == direction && own != devices.end() && own->second.bytes_per_s > 0 && devices.size() > 1)
      worst = std::max(worst, fastest(devices).bytes_per_s / own->second.bytes_per_s);
  }
  return worst;
}

// Lanes and generation slow both directions alike; memory on the other socket slows them apart.
std::string why_slow(const RuleInput& input, trace::DeviceId device) {
  const double in = slowness(input, device, trace::CopyKind::host_to_device), out = slowness(input, device, trace::CopyKind::device_to_host);
  if (in <= 0 || out <= 0) return "";
  const bool alike = std::max(in, out) < thresholds::kAlikeDirections * std::min(in, out);
  return alike ? fmt::format("Both directions suffer alike ({:.1f} and {:.1f} times): fewer lanes or an older generation. ", in, out)
               : fmt::format("The directions suffer apart ({:.1f} times in, {:.1f} out): memory of the far socket, not the link's width. ", in, out);
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const auto slow = slowest_link(input);
  if (!slow) return finding;
  const RemedyGain gain = gain_of(input, even_out_links);
  // A slow link is a fault of the machine, worth a word even where other work hides it.
  set_found(finding, gain);
  finding.title = fmt::format("Copies of GPU {} run at {} where another GPU's reach {}", slow->device.value,
                              gigabytes_per_second(slow->own_bytes_per_s), gigabytes_per_second(slow->best_bytes_per_s));
  finding.why = fmt::format("Large copies {} of GPU {} are {:.1f} times slower than like copies of another GPU, so it is not their size: it is the link. ",
                            name(slow->kind), slow->device.value, slow->best_bytes_per_s / slow->own_bytes_per_s);
  finding.why += why_slow(input, slow->device);
  if (const auto limit = host_link_limit(input.trace, slow->device, slow->kind))
    finding.why += fmt::format("What the trace says of this GPU's link: {} ({}). ", gigabytes_per_second(limit->bytes_per_s), limit->source);
  finding.why += gain.share() < thresholds::kInfoShare
                     ? "Other work hides it here: the step would hardly be shorter at the others' rate."
                     : fmt::format("At the others' rate {}.", time_change(input.metrics, gain.after_ns, gain.now_ns));
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.device[i] != slow->device || copies.kind[i] != slow->kind || copies.start_ns[i] < input.metrics.window.start_ns) continue;
    add_keeping_longest(finding.evidence, {copies.span(i), slow->device, fmt::format("{} {}", gigabytes(static_cast<double>(copies.bytes[i])), name(copies.kind[i]))});
  }
  keep_longest(finding.evidence);
  finding.advice = {fmt::format("nvidia-smi -i {} -q | grep -A8 'PCIe Generation\\|Link Width' under load: compare current with max; fewer lanes mean the "
                                "slot, a riser or a bifurcation setting.", slow->device.value),
                    "nvidia-smi topo -m shows the GPU's processor socket: run its process there (numactl --cpunodebind=N --membind=N)."};
  return finding;
}

}  // namespace

extern const Rule slow_link;
constinit const Rule slow_link{"slow-link", "Is the link of one GPU slower than the others'?", look,
    {"Run each rank near its GPU: numactl --cpunodebind=N --membind=N torchrun ..., or torchrun --numa-binding=node; send less over the slow link: x.half().to('cuda').",
     "Run the process near its GPUs: numactl --cpunodebind=N --membind=N python train.py; leave the slow GPU out: CUDA_VISIBLE_DEVICES=0,2,3.",
     "Bind the thread before it allocates pinned memory: sched_setaffinity(0, sizeof set, &set); cudaHostAlloc(...); nvmlDeviceSetCpuAffinity(device) does it for you."}};

}  // namespace gputrace::analyzer
