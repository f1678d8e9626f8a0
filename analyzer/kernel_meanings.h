// What each kernel of a trace is, explained once: rules ask by name.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/explain.h"
#include "analyzer/name_rules.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

class KernelMeanings {
 public:
  KernelMeanings() : meanings_(1) {}
  KernelMeanings(const trace::Trace& trace, const std::vector<NameRule>& name_rules);

  // Of a name that a kernel of the trace has; of others, an explanation without words.
  const Explanation& of(trace::StringId name) const { return meanings_[name.value < index_.size() ? index_[name.value] : 0]; }

 private:
  std::vector<std::uint32_t> index_;   // by StringId; 0: no kernel's name
  std::vector<Explanation> meanings_;  // [0] is empty
};

// Padding, broadcasts and casts that are kernels of their own: passes over memory that compute nothing.
bool is_data_movement(const Explanation& kernel);
// NCHW <-> NHWC and transposes.
bool is_layout_conversion(const Explanation& kernel);
// Matrix products, convolutions and attention: bound by arithmetic where they are large; all else by memory.
bool is_arithmetic(const Explanation& kernel);
// The same in single precision, without tensor cores.
bool is_single_precision_arithmetic(const Explanation& kernel);

}  // namespace gputrace::analyzer
