// Kernels that normalize together, as a mean, a variance, a reciprocal root and a scaling, each on its own.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct UnfusedNormalization {
  std::vector<std::uint32_t> kernels;  // rows, in order: reductions, roots, element-wise work with a stretched operand, kernels that only
                                       // stretch one, and as many plain products, quotients and differences as there are of those
  // Of one element-wise pass over the tensor: the longest that puts statistics on it, or the longest plain one beside it (an activation, the
  // sum of a residual), whichever is shorter: the former may be bound by finding its small operand. Of the shortest reduction where there is none.
  std::int64_t pass_ns = 0;
};

// In the window, per stream, between two matrix products, convolutions or the like: where a reciprocal square root and a reduction are.
// An optimizer's root (of Adam) is no reciprocal one. Linear in the number of kernels.
std::vector<UnfusedNormalization> find_unfused_normalizations(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
