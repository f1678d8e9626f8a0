// The partition of a GPU's time, step by step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/diagnosis.h"

namespace gputrace::analyzer {

enum class IdleCause : std::uint8_t;  // analyzer/metrics.h
inline constexpr std::size_t kActivities = 16, kIdleCauses = 6;

struct StepTime {
  trace::Span span;
  std::int64_t steps = 1;
  std::int64_t part_ns[kActivities] = {};  // by Activity bits; [0] is idle. Sums to the steps' time in the window.
  std::int64_t idle_ns[kIdleCauses] = {};  // sums to part_ns[0]
};

// Gives each piece of a GPU's time to the step that it lies in; a piece across a boundary is split there. Time between steps is in none.
class StepSlots {
 public:
  struct Slot {
    trace::Span span;
    std::int64_t steps = 1;
  };

  // Of the steps in the window the first `listed` have a slot each; all later ones share the last slot.
  StepSlots(const Steps& steps, trace::Span window, std::size_t listed);

  const std::vector<Slot>& slots() const { return slots_; }

  // Calls add(slot, ns) for each slot that the piece lies in. Pieces come in the order of time and do not overlap. Linear in pieces and steps.
  template <class Add>
  void split(trace::Span piece, Add&& add) {
    while (next_ < steps_.spans.size() && steps_.spans[next_].end_ns <= piece.start_ns) ++next_;
    for (std::size_t s = next_; s < steps_.spans.size() && steps_.spans[s].start_ns < piece.end_ns; ++s) {
      const std::int64_t ns = std::min(piece.end_ns, steps_.spans[s].end_ns) - std::max(piece.start_ns, steps_.spans[s].start_ns);
      if (ns > 0) add(std::min(s - first_, listed_), ns);
    }
  }

 private:
  const Steps& steps_;
  std::size_t first_, next_;  // steps: the first one in the window; the one that the next piece may lie in
  std::size_t listed_;
  std::vector<Slot> slots_;
};

// The times of each slot, by activity and cause of idling.
class StepSplitter {
 public:
  explicit StepSplitter(StepSlots slots);

  void add_busy(trace::Span piece, unsigned activity);
  void add_idle(trace::Span piece, IdleCause cause);
  std::vector<StepTime> take() { return std::move(times_); }

 private:
  StepSlots slots_;
  std::vector<StepTime> times_;
};

}  // namespace gputrace::analyzer
