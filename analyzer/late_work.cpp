#include "analyzer/late_work.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

std::vector<LateWork> late_work(const std::vector<HostSequence>& sequences, const ChangedGraph& graph) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const HostSequence*>> beside;  // by step and number of calls
  for (const HostSequence& sequence : sequences) beside[{sequence.step, sequence.calls.size()}].push_back(&sequence);
  std::vector<LateWork> late;
  for (const auto& [key, threads] : beside) {
    for (std::size_t k = 1; threads.size() > 1 && k < key.second; ++k) {
      std::int64_t others_ns = INT64_MAX;
      for (const HostSequence* it : threads) others_ns = std::min(others_ns, graph.host_work_before_ns(it->calls[k]));
      for (const HostSequence* it : threads) {
        const LateWork work{it->thread, it->calls[k], graph.host_work_before_ns(it->calls[k]), others_ns};
        if (static_cast<double>(work.more_ns()) >= thresholds::kPauseNs) late.push_back(work);
      }
    }
  }
  return late;
}

}  // namespace gputrace::analyzer
