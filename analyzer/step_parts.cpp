#include "analyzer/step_parts.h"

#include <algorithm>

#include "analyzer/metrics.h"

namespace gputrace::analyzer {

static_assert(kIdleCauses == static_cast<std::size_t>(IdleCause::count));

StepSplitter::StepSplitter(const Steps& steps, trace::Span window, std::size_t listed)
    : steps_(steps), first_(std::min(steps.warm_up, steps.spans.size())), next_(first_), listed_(listed) {
  for (std::size_t s = first_; s < steps.spans.size(); ++s) {
    const trace::Span span{std::max(steps.spans[s].start_ns, window.start_ns), std::min(steps.spans[s].end_ns, window.end_ns)};
    if (times_.size() <= listed_) {
      times_.emplace_back();
      times_.back().span = span;
    } else {
      times_.back().span.end_ns = span.end_ns;
      ++times_.back().steps;
    }
  }
}

template <class Add>
void StepSplitter::split(trace::Span piece, Add&& add) {
  while (next_ < steps_.spans.size() && steps_.spans[next_].end_ns <= piece.start_ns) ++next_;
  for (std::size_t s = next_; s < steps_.spans.size() && steps_.spans[s].start_ns < piece.end_ns; ++s) {
    const std::int64_t ns = std::min(piece.end_ns, steps_.spans[s].end_ns) - std::max(piece.start_ns, steps_.spans[s].start_ns);
    if (ns > 0) add(times_[std::min(s - first_, listed_)], ns);
  }
}

void StepSplitter::add_busy(trace::Span piece, unsigned activity) {
  split(piece, [&](StepTime& time, std::int64_t ns) { time.part_ns[activity] += ns; });
}

void StepSplitter::add_idle(trace::Span piece, IdleCause cause) {
  split(piece, [&](StepTime& time, std::int64_t ns) {
    time.part_ns[0] += ns;
    time.idle_ns[static_cast<std::size_t>(cause)] += ns;
  });
}

}  // namespace gputrace::analyzer
