// Memory that is allocated and freed within a step is kept instead.
#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  for (const HostSequence& sequence : input.sequences) {
    for (const Task task : sequence.calls) {
      if (call_kind(input.trace.text(input.trace.api_calls.name[input.graph.row[task]])) != CallKind::allocate) continue;
      graph.leave_out_call(task);
      ++applied.count;
    }
  }
  applied.what = fmt::format("{} allocations and releases within steps are left out", applied.count);
  return applied;
}

}  // namespace

extern const Remedy remove_allocations;
constinit const Remedy remove_allocations{"remove-allocations", "allocate once, before the steps", apply};

}  // namespace gputrace::analyzer
