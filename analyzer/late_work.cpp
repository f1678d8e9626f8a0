#include "analyzer/late_work.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "analyzer/call_kinds.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

namespace {

// Calls of a thread that are laid over those of others: from one anchor to the next each does the same.
struct Thread {
  const HostSequence* sequence;
  std::vector<std::size_t> launches;  // places in the sequence

  // The calls after anchor k - 1, up to anchor k.
  std::span<const Task> calls_to(std::size_t k, bool by_call) const {
    const std::size_t first = by_call ? k : launches[k - 1] + 1, last = by_call ? k : launches[k];
    return std::span(sequence->calls).subspan(first, last - first + 1);
  }
};

std::int64_t host_work_ns(std::span<const Task> calls, const ChangedGraph& graph) {
  return std::accumulate(calls.begin(), calls.end(), std::int64_t{0}, [&](std::int64_t sum, Task call) { return sum + graph.host_work_before_ns(call); });
}

void compare(const std::vector<Thread>& threads, const ChangedGraph& graph, std::vector<LateWork>& late) {
  const bool by_call = std::all_of(threads.begin(), threads.end(), [&](const Thread& it) {
    return it.sequence->calls.size() == threads[0].sequence->calls.size() && it.launches == threads[0].launches;
  });
  const std::size_t anchors = by_call ? threads[0].sequence->calls.size() : threads[0].launches.size();
  for (std::size_t k = 1; threads.size() > 1 && k < anchors; ++k) {
    std::int64_t least_ns = INT64_MAX;
    for (const Thread& thread : threads) least_ns = std::min(least_ns, host_work_ns(thread.calls_to(k, by_call), graph));
    for (const Thread& thread : threads) {
      const auto calls = thread.calls_to(k, by_call);
      const std::int64_t more_ns = host_work_ns(calls, graph) - least_ns;
      if (static_cast<double>(more_ns) < thresholds::kPauseNs) continue;
      const Task most = *std::max_element(calls.begin(), calls.end(), [&](Task a, Task b) { return graph.host_work_before_ns(a) < graph.host_work_before_ns(b); });
      const std::int64_t ns = graph.host_work_before_ns(most);
      late.push_back({thread.sequence->thread, most, ns, std::max<std::int64_t>(0, ns - more_ns)});
    }
  }
}

}  // namespace

std::vector<LateWork> late_work(const trace::Trace& trace, const std::vector<HostSequence>& sequences, const ChangedGraph& graph) {
  std::map<trace::StringId, bool> is_launch;
  const auto launches = [&](Task call) {
    const trace::StringId name = trace.api_calls.name[graph.graph().row[call]];
    const auto [known, is_new] = is_launch.try_emplace(name);
    if (is_new) known->second = call_kind(trace.text(name)) == CallKind::launch;
    return known->second;
  };
  // By step and number of launches; of threads that launch nothing, of calls.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<Thread>> beside;
  for (const HostSequence& sequence : sequences) {
    Thread thread{&sequence, {}};
    for (std::size_t k = 0; k < sequence.calls.size(); ++k)
      if (launches(sequence.calls[k])) thread.launches.push_back(k);
    const std::size_t count = thread.launches.size();
    beside[{sequence.step, count, count == 0 ? sequence.calls.size() : 0}].push_back(std::move(thread));
  }
  std::vector<LateWork> late;
  for (const auto& [key, threads] : beside) compare(threads, graph, late);
  return late;
}

}  // namespace gputrace::analyzer
