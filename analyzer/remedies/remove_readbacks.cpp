// Small results that the host reads back, waiting for the GPU each time: they stay on the GPU.
#include <map>

#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

bool is_readback(const trace::Copies& copies, std::uint32_t row) {
  return copies.kind[row] == trace::CopyKind::device_to_host && copies.has_size(row) && copies.bytes[row] <= thresholds::kReadbackBytes;
}

// By the call that asks for it.
std::map<Task, Task> readbacks(const RemedyInput& input) {
  std::map<Task, Task> found;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::copy || !is_readback(input.trace.copies, input.graph.row[task])) continue;
    if (const auto call = input.graph.asked_by(task)) found[*call] = task;
  }
  return found;
}

// Either the copy's own call waits, or the thread's next call does.
Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const std::map<Task, Task> copies = readbacks(input);
  const auto synchronizes = [&](Task call) {
    return call_kind(input.trace.text(input.trace.api_calls.name[input.graph.row[call]])) == CallKind::synchronize;
  };
  for (const HostSequence& sequence : input.sequences) {
    for (std::size_t k = 0; k < sequence.calls.size(); ++k) {
      const auto readback = copies.find(sequence.calls[k]);
      if (readback == copies.end()) continue;
      const bool then_waits = k + 2 < sequence.calls.size() && synchronizes(sequence.calls[k + 1]);  // the last wait of all stays
      if (!graph.waits_for_gpu(sequence.calls[k]) && !then_waits) continue;
      graph.leave_out_activity(readback->second);
      graph.leave_out_call(sequence.calls[k]);
      if (then_waits) graph.leave_out_call(sequence.calls[k + 1]);
      ++applied.count;
    }
  }
  applied.what = fmt::format("{} small results are not read back", applied.count);
  return applied;
}

}  // namespace

extern const Remedy remove_readbacks;
constinit const Remedy remove_readbacks{"remove-readbacks", "leave small results on the GPU that the host reads back and waits for", apply};

}  // namespace gputrace::analyzer
