// Pages of managed memory that migrate while a kernel, or the host, waits for them are copied from pinned memory instead.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/host_links.h"
#include "analyzer/input_waits.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Migrations {
  std::vector<trace::Span> spans;  // merged
  std::int64_t bytes = 0, ns = 0;
  std::size_t count = 0;

  void add(trace::Span span, std::int64_t more_bytes) {
    bytes += more_bytes;
    ns += span.duration_ns();
    ++count;
    if (!spans.empty() && span.start_ns <= spans.back().end_ns) {
      spans.back().end_ns = std::max(spans.back().end_ns, span.end_ns);
    } else {
      spans.push_back(span);
    }
  }
};

// What the same bytes take from pinned memory, as a share of the migrations' own time.
double share_as_copies(const RemedyInput& input, trace::DeviceId device, const Migrations& migrations) {
  const auto limit = host_link_limit(input.trace, device, trace::CopyKind::host_to_device);
  if (!limit || migrations.ns <= 0) return 1;
  const double copy_ns = static_cast<double>(migrations.bytes) * 1e9 / limit->pinned_bytes_per_s();
  return std::min(1.0, copy_ns / static_cast<double>(migrations.ns));
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  const trace::Copies& copies = input.trace.copies;
  std::map<trace::DeviceId, Migrations> in;  // to that GPU
  std::vector<trace::Span> out;              // to the host, of all GPUs
  Applied applied;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.end_ns[i] <= input.metrics.window.start_ns || copies.start_ns[i] >= input.metrics.window.end_ns) continue;
    if (copies.kind[i] == trace::CopyKind::unified_host_to_device && copies.has_size(i)) in[copies.device[i]].add(copies.span(i), copies.bytes[i]);
    if (copies.kind[i] == trace::CopyKind::unified_device_to_host) {
      ++applied.count;
      if (!out.empty() && copies.start_ns[i] <= out.back().end_ns) {
        out.back().end_ns = std::max(out.back().end_ns, copies.end_ns[i]);
      } else {
        out.push_back(copies.span(i));
      }
    }
  }
  for (const auto& [device, migrations] : in) applied.count += migrations.count;
  for (Task task = 0; task < input.graph.task_count() && applied.count > 0; ++task) {
    const auto& recorded = input.graph.recorded_ns;
    if (input.graph.kind[task] == TaskKind::kernel) {
      const trace::DeviceId device = input.trace.kernels.device[input.graph.row[task]];
      const auto migrations = in.find(device);
      if (migrations == in.end()) continue;
      const auto moved_ns = static_cast<double>(covered_ns(migrations->second.spans, {recorded[start_of(task)], recorded[end_of(task)]}));
      if (moved_ns <= 0) continue;
      const double kept_ns = moved_ns * share_as_copies(input, device, migrations->second);
      graph.set_duration(task, graph.duration_ns(task) - static_cast<std::int64_t>(moved_ns - kept_ns));
    } else if (input.graph.kind[task] == TaskKind::call) {
      const std::int64_t before_ns = graph.host_work_before_ns(task), until_ns = recorded[start_of(task)];
      const std::int64_t moved_ns = std::min(before_ns, covered_ns(out, {until_ns - before_ns, until_ns}));
      if (moved_ns > 0) graph.set_host_work_before(task, before_ns - moved_ns);
    }
  }
  applied.what = fmt::format("{} migrations of managed memory become copies of pinned memory", applied.count);
  return applied;
}

}  // namespace

extern const Remedy copy_instead_of_migrating;
constinit const Remedy copy_instead_of_migrating{"copy-instead-of-migrating", "managed memory that migrates is copied from pinned memory instead", apply};

}  // namespace gputrace::analyzer
