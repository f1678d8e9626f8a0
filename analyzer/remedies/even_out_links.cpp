// A GPU whose copies to or from the host are slower than the same copies of other GPUs: they run at the others' rate.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Traffic {
  std::int64_t bytes = 0, ns = 0;
  double rate() const { return ns > 0 ? static_cast<double>(bytes) / static_cast<double>(ns) : 0; }
};

using Kind = std::tuple<trace::CopyKind, trace::MemoryKind, trace::MemoryKind>;

bool is_between_host_and_gpu(trace::CopyKind kind) {
  return kind == trace::CopyKind::host_to_device || kind == trace::CopyKind::device_to_host;
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  const trace::Copies& copies = input.trace.copies;
  std::map<Kind, std::map<trace::DeviceId, Traffic>> traffic;
  const auto each_copy = [&](auto&& visit) {
    for (Task task = 0; task < input.graph.task_count(); ++task) {
      const std::uint32_t row = input.graph.row[task];
      if (input.graph.kind[task] != TaskKind::copy || !is_between_host_and_gpu(copies.kind[row])) continue;
      if (copies.bytes[row] < thresholds::kLinkBoundBytes) continue;
      visit(task, row, traffic[{copies.kind[row], copies.source_memory[row], copies.destination_memory[row]}]);
    }
  };
  each_copy([&](Task, std::uint32_t row, auto& devices) {
    devices[copies.device[row]].bytes += copies.bytes[row];
    devices[copies.device[row]].ns += copies.span(row).duration_ns();
  });
  Applied applied;
  each_copy([&](Task task, std::uint32_t row, auto& devices) {
    double best = 0;
    for (const auto& [device, sum] : devices) best = std::max(best, sum.rate());
    const double own = devices[copies.device[row]].rate();
    if (own <= 0 || best < thresholds::kSlowLinkFactor * own) return;
    graph.scale_duration(task, own / best);
    ++applied.count;
  });
  applied.what = fmt::format("{} copies run at the rate of the fastest GPU's", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_links;
constinit const Remedy even_out_links{"even-out-links", "copies of a GPU with a slow link run at the others' rate", apply};

}  // namespace gputrace::analyzer
