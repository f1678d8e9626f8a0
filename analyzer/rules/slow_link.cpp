// The link of one GPU to the host is slower than the others': fewer lanes, a lower generation, the far socket.
#include <optional>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
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
  if (const auto limit = host_link_limit(input.trace, slow->device, slow->kind))
    finding.why += fmt::format("What the trace says of this GPU's link: {} ({}). ", gigabytes_per_second(limit->bytes_per_s), limit->source);
  finding.why += gain.share() < thresholds::kInfoShare
                     ? "Other work hides it here: the step would hardly be shorter at the others' rate."
                     : fmt::format("At the others' rate a step takes {} instead of {}.", milliseconds(gain.after_ns), milliseconds(gain.now_ns));
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
constinit const Rule slow_link{"slow-link", "Is the link of one GPU slower than the others'?", look};

}  // namespace gputrace::analyzer
