#include "analyzer/step_parts.h"

#include "analyzer/metrics.h"

namespace gputrace::analyzer {

static_assert(kIdleCauses == static_cast<std::size_t>(IdleCause::count));

StepSlots::StepSlots(const Steps& steps, trace::Span window, std::size_t listed)
    : steps_(steps), first_(std::min(steps.warm_up, steps.spans.size())), next_(first_), listed_(listed) {
  for (std::size_t s = first_; s < steps.spans.size(); ++s) {
    const trace::Span span{std::max(steps.spans[s].start_ns, window.start_ns), std::min(steps.spans[s].end_ns, window.end_ns)};
    if (slots_.size() <= listed_) {
      slots_.push_back({span});
    } else {
      slots_.back().span.end_ns = span.end_ns;
      ++slots_.back().steps;
    }
  }
}

StepSplitter::StepSplitter(StepSlots slots) : slots_(std::move(slots)) {
  for (const StepSlots::Slot& slot : slots_.slots()) {
    times_.emplace_back();
    times_.back().span = slot.span;
    times_.back().steps = slot.steps;
  }
}

void StepSplitter::add_busy(trace::Span piece, unsigned activity) {
  slots_.split(piece, [&](std::size_t slot, std::int64_t ns) { times_[slot].part_ns[activity] += ns; });
}

void StepSplitter::add_idle(trace::Span piece, IdleCause cause) {
  slots_.split(piece, [&](std::size_t slot, std::int64_t ns) {
    times_[slot].part_ns[0] += ns;
    times_[slot].idle_ns[static_cast<std::size_t>(cause)] += ns;
  });
}

}  // namespace gputrace::analyzer
