// Pages of managed memory migrate between host and GPU in every step, while kernels and the host wait for them.
#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy copy_instead_of_migrating;

namespace {

bool is_migration(trace::CopyKind kind) {
  return kind == trace::CopyKind::unified_host_to_device || kind == trace::CopyKind::unified_device_to_host;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, copy_instead_of_migrating);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const trace::Copies& copies = input.trace.copies;
  double bytes = 0, ns = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (!is_migration(copies.kind[i]) || !copies.has_size(i) || copies.start_ns[i] < input.metrics.window.start_ns || copies.end_ns[i] > input.metrics.window.end_ns) continue;
    bytes += static_cast<double>(copies.bytes[i]);
    ns += static_cast<double>(copies.span(i).duration_ns());
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} {}", gigabytes(static_cast<double>(copies.bytes[i])), name(copies.kind[i]))});
  }
  keep_longest(finding.evidence);
  finding.title = fmt::format("Pages of managed memory migrate {:.0f} times {}, {} in all", gain.per_step(input.metrics), per_step(input.metrics),
                              gigabytes(bytes / input.metrics.step_count));
  finding.why = fmt::format(
      "A kernel that touches a page which lies on the host waits until it has come, group by group, and the host waits likewise: {} of migration {}, "
      "at {}. Copied from pinned memory before the kernel, {}.",
      milliseconds(ns / input.metrics.step_count), per_step(input.metrics), gigabytes_per_second(ns > 0 ? bytes * 1e9 / ns : 0), time_change(input.metrics, gain.after_ns, gain.now_ns));
  return finding;
}

}  // namespace

extern const Rule unified_memory_migrations;
constinit const Rule unified_memory_migrations{"unified-memory-migrations", "Do pages of managed memory migrate in the steps?", look,
    {"x.pin_memory().to('cuda', non_blocking=True) instead of managed tensors (UVM embedding tables: EmbeddingLocation.DEVICE, or MANAGED_CACHING with prefetch()).",
     "Leave managed memory off where the model fits: config.gpu_options.per_process_gpu_memory_fraction = 0.9 (above 1 it is managed), and feed by tf.data.",
     "cudaMemPrefetchAsync(p, size, device, stream) before the kernels; cudaMemAdvise(p, size, cudaMemAdviseSetReadMostly, device); or cudaMemcpyAsync from pinned memory."}};

}  // namespace gputrace::analyzer
