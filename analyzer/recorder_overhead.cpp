#include "analyzer/recorder_overhead.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

// What would not be without a profiler; compiling and loading would.
bool is_of_profiler(trace::OverheadKind kind) {
  using trace::OverheadKind;
  return kind == OverheadKind::buffer_flush || kind == OverheadKind::instrumentation || kind == OverheadKind::resource;
}

std::vector<bool> threads_that_call(const trace::Trace& trace) {
  std::vector<bool> calls(trace.threads.size());
  for (const trace::ThreadIndex thread : trace.api_calls.thread) {
    if (thread.value >= 0) calls[static_cast<std::size_t>(thread.value)] = true;
  }
  return calls;
}

}  // namespace

std::optional<trace::Diagnostic> recorder_overhead(const trace::Trace& trace, trace::Span window) {
  if (window.duration_ns() <= 0) return std::nullopt;
  const std::vector<bool> calls = threads_that_call(trace);
  std::vector<std::vector<trace::Span>> spans(trace.threads.size());
  const trace::Overheads& overheads = trace.overheads;
  for (std::size_t i = 0; i < overheads.size(); ++i) {
    const auto thread = static_cast<std::size_t>(overheads.thread[i].value);  // -1, none, is beyond all
    const trace::Span span{std::max(overheads.start_ns[i], window.start_ns), std::min(overheads.end_ns[i], window.end_ns)};
    if (thread < calls.size() && calls[thread] && is_of_profiler(overheads.kind[i]) && span.end_ns > span.start_ns) {
      spans[thread].push_back(span);
    }
  }
  double most = 0;
  std::size_t which = 0;
  for (std::size_t thread = 0; thread < spans.size(); ++thread) {
    const double share = static_cast<double>(union_ns(std::move(spans[thread]))) / static_cast<double>(window.duration_ns());
    if (share > most) most = share, which = thread;
  }
  if (most < thresholds::kRecorderShare) return std::nullopt;
  const trace::Thread& thread = trace.threads[which];
  const std::string name = thread.name.empty() ? std::to_string(thread.tid) : thread.name;
  return trace::Diagnostic{fmt::format("% of the time of thread {} was the recorder's own work: times on the host, and gaps between "
                                       "kernels, are longer than without recording", name),
                           std::llround(most * 100)};
}

}  // namespace gputrace::analyzer
