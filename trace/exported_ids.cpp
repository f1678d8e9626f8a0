#include "trace/exported_ids.h"

#include <unordered_set>

namespace gputrace::trace {
namespace {

class FreeNumbers {
 public:
  // The number itself where it is positive, 31 bits wide and not taken; else the next free one from the top.
  std::int64_t take(std::int64_t wanted) {
    if (wanted > 0 && wanted < kTop && taken_.insert(wanted).second) return wanted;
    while (!taken_.insert(next_).second) --next_;
    return next_--;
  }

 private:
  static constexpr std::int64_t kTop = 1'000'000'000;
  std::unordered_set<std::int64_t> taken_;
  std::int64_t next_ = kTop - 1;
};

}  // namespace

ExportedIds::ExportedIds(const Trace& trace) : trace_(trace) {
  FreeNumbers pids, tids;
  for (const Process& process : trace.processes) pids_.push_back(pids.take(process.pid));
  for (const Thread& thread : trace.threads) tids_.push_back(tids.take(thread.tid));
}

}  // namespace gputrace::trace
