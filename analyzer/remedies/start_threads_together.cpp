// Threads of a step that run one after the other, each for its own GPU, start together.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

struct Thread {
  trace::ThreadIndex id;
  Task first, last;
  std::size_t calls;
};

class Starter {
 public:
  Starter(const RemedyInput& input, ChangedGraph& graph) : graph_(graph), recorded_(input.graph.recorded_ns) {
    for (const HostSequence& sequence : input.sequences)
      steps_[sequence.step].push_back({sequence.thread, sequence.calls.front(), sequence.calls.back(), sequence.calls.size()});
  }

  Applied apply() {
    for (auto& [step, threads] : steps_) {
      std::sort(threads.begin(), threads.end(), [&](const Thread& a, const Thread& b) { return starts(a) < starts(b); });
      start_together(threads);
    }
    return {started_, fmt::format("{} times a thread starts with its step's first one instead of after another", started_)};
  }

 private:
  std::int64_t starts(const Thread& thread) const { return recorded_[start_of(thread.first)]; }
  std::int64_t ends(const Thread& thread) const { return recorded_[end_of(thread.last)]; }

  // A thread that begins after another one that does the same work has made its last call of the step. One that does other work
  // may need the other's result.
  void start_together(const std::vector<Thread>& threads) {
    const std::int64_t first_ns = graph_.host_work_before_ns(threads.front().first);
    for (std::size_t i = 1; i < threads.size(); ++i) {
      const bool after_another = std::any_of(threads.begin(), threads.end(), [&](const Thread& other) { return other.calls == threads[i].calls && ends(other) <= starts(threads[i]); });
      if (!after_another) continue;
      graph_.set_host_work_before(threads[i].first, first_ns);
      graph_.wait_for_no_thread(threads[i].first);
      ++started_;
    }
  }

  ChangedGraph& graph_;
  const std::vector<std::int64_t>& recorded_;
  std::map<std::size_t, std::vector<Thread>> steps_;
  std::size_t started_ = 0;
};

Applied apply(const RemedyInput& input, ChangedGraph& graph) { return Starter(input, graph).apply(); }

}  // namespace

extern const Remedy start_threads_together;
constinit const Remedy start_threads_together{"start-threads-together", "host threads that run one after the other start together", apply};

}  // namespace gputrace::analyzer
