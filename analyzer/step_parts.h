// The partition of a GPU's time, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
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
class StepSplitter {
 public:
  // Of the steps in the window the first `listed` are kept apart; all later ones share the last entry.
  StepSplitter(const Steps& steps, trace::Span window, std::size_t listed);

  // Pieces come in the order of time and do not overlap. Linear in pieces and steps.
  void add_busy(trace::Span piece, unsigned activity);
  void add_idle(trace::Span piece, IdleCause cause);
  std::vector<StepTime> take() { return std::move(times_); }

 private:
  template <class Add>
  void split(trace::Span piece, Add&& add);

  const Steps& steps_;
  std::size_t first_, next_;  // steps: the first one in the window; the one that the next piece may lie in
  std::size_t listed_;
  std::vector<StepTime> times_;
};

}  // namespace gputrace::analyzer
