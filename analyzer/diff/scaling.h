// What more GPUs, or fewer, made of a step: against what their number alone would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputrace::analyzer {

struct TraceDiff;  // analyzer/diff/trace_diff.h

struct Scaling {
  enum class Work : std::uint8_t {
    shared,    // the GPUs share the work of the step: it should take its time divided among them
    repeated,  // each GPU does what each did before (more examples in a step): it should take as long
  };
  Work work = Work::shared;
  double ideal_ns = 0, actual_ns = 0;  // of the step
  double efficiency() const { return actual_ns > 0 ? ideal_ns / actual_ns : 0; }
  struct Loss {
    std::string what;  // "computing", "copies that nothing hides", "exposed communication", "idle time"
    double ns = 0;     // more than the ideal's; negative: less
  };
  std::vector<Loss> losses;  // the largest first; they sum to actual_ns - ideal_ns
};

// From the diff's other figures: which work it is by the computing of all GPUs together, or of one, that stayed the same
// (thresholds::kSameWorkShare). nullopt where the numbers of GPUs are the same, steps are not aligned, or neither is so.
std::optional<Scaling> find_scaling(const TraceDiff& diff);

}  // namespace gputrace::analyzer
