// What is wrong with rows of a foreign file, counted by table: a bad row or value never stops a read, nor is
// it silent.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace gputrace::trace {

enum class RowProblem : std::uint8_t {
  // The row is left out.
  no_time,
  no_time_stamp,
  reversed,
  time_out_of_range,
  no_device,
  no_begin,
  other_kind,
  // The row stays, with the value that means "not captured".
  wrong_type,
  value_out_of_range,
  unknown_kind,
  unknown_string,
  no_end,
  duplicate_id,
  text_cut,
  count
};

class RowProblems {
 public:
  explicit RowProblems(std::string_view rows) : rows_(rows) {}  // "kernel rows"; must outlive the object

  void count(RowProblem problem, std::int64_t n = 1) { counts_[static_cast<std::size_t>(problem)] += n; }
  void report(std::vector<Diagnostic>& diagnostics) const;  // one entry per problem met

 private:
  std::string_view rows_;
  std::array<std::int64_t, static_cast<std::size_t>(RowProblem::count)> counts_{};
};

// Times a trace takes: within 146 years of 0, so that the difference of any two fits an int64.
inline constexpr std::int64_t kTimeLimitNs = std::int64_t{1} << 62;

// Whether a row from start to end can be kept; counts why not. Both times 0 is CUPTI's "no time stamp was
// collected".
bool is_usable_span(std::int64_t start_ns, std::int64_t end_ns, RowProblems& problems);

}  // namespace gputrace::trace
