// A GPU whose copies to or from the host are slower than the same copies of other GPUs: they run at the others' rate.
#include <fmt/format.h>

#include "analyzer/link_rates.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const trace::Copies& copies = input.trace.copies;
  const auto rates = link_rates(input.trace, input.metrics);
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    const std::uint32_t row = input.graph.row[task];
    if (input.graph.kind[task] != TaskKind::copy || copies.bytes[row] < thresholds::kLinkBoundBytes) continue;
    const auto path = rates.find(path_of(copies, row));
    if (path == rates.end()) continue;
    const auto own = path->second.find(copies.device[row]);
    if (own == path->second.end() || !is_slow(own->second, fastest(path->second))) continue;
    graph.scale_duration(task, own->second.bytes_per_s / fastest(path->second).bytes_per_s);
    ++applied.count;
  }
  applied.what = fmt::format("{} copies run at the rate of the fastest GPU's", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_links;
constinit const Remedy even_out_links{"even-out-links", "copies of a GPU with a slow link run at the others' rate", apply};

}  // namespace gputrace::analyzer
