// Calls that wait for the GPU although the thread goes on to hand out more work in the same step: without them the host runs
// ahead. The last wait of a thread in a step stays: what follows it may need the result.
#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const trace::ApiCalls& calls = input.trace.api_calls;
  for (const HostSequence& sequence : input.sequences) {
    bool more_follows = false;
    for (auto task = sequence.calls.rbegin(); task != sequence.calls.rend(); ++task) {
      const CallKind kind = call_kind(input.trace.text(calls.name[input.graph.row[*task]]));
      if (kind == CallKind::synchronize && more_follows) {
        graph.leave_out_call(*task);
        ++applied.count;
      }
      more_follows |= kind == CallKind::launch;
    }
  }
  applied.what = fmt::format("{} calls that wait for the GPU before more work is handed out are left out", applied.count);
  return applied;
}

}  // namespace

extern const Remedy remove_syncs;
constinit const Remedy remove_syncs{"remove-syncs", "leave out calls that wait for the GPU in the middle of a step", apply};

}  // namespace gputrace::analyzer
