// Host work that one thread has before a call and the threads beside it, which make the same calls, do not: a straggler does
// as the others.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using Beside = std::map<std::pair<std::size_t, std::size_t>, std::vector<const HostSequence*>>;  // by step and number of calls

Beside beside_each_other(const std::vector<HostSequence>& sequences) {
  Beside beside;
  for (const HostSequence& sequence : sequences) beside[{sequence.step, sequence.calls.size()}].push_back(&sequence);
  return beside;
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  for (const auto& [key, threads] : beside_each_other(input.sequences)) {
    if (threads.size() < 2) continue;
    for (std::size_t k = 1; k < key.second; ++k) {  // the first call waits for the thread's own start
      std::int64_t others_ns = INT64_MAX;
      for (const HostSequence* thread : threads) others_ns = std::min(others_ns, graph.host_work_before_ns(thread->calls[k]));
      for (const HostSequence* thread : threads) {
        const std::int64_t more_ns = graph.host_work_before_ns(thread->calls[k]) - others_ns;
        if (more_ns < static_cast<std::int64_t>(thresholds::kPauseNs)) continue;
        graph.set_host_work_before(thread->calls[k], others_ns);
        ++applied.count;
      }
    }
  }
  applied.what = fmt::format("{} times a thread works no longer than those beside it", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_threads;
constinit const Remedy even_out_threads{"even-out-threads", "a host thread that works longer than those beside it does as they do", apply};

}  // namespace gputrace::analyzer
