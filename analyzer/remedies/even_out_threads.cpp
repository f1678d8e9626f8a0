// Host work that one thread has before a call and the threads beside it, which make the same calls, do not: a straggler does
// as the others.
#include <fmt/format.h>

#include "analyzer/late_work.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  for (const LateWork& work : late_work(input.trace, input.sequences, graph)) {
    graph.set_host_work_before(work.call, work.others_ns);
    ++applied.count;
  }
  applied.what = fmt::format("{} times a thread works no longer than those beside it", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_threads;
constinit const Remedy even_out_threads{"even-out-threads", "a host thread that works longer than those beside it does as they do", apply};

}  // namespace gputrace::analyzer
