// A table of `gputrace stats`: one file each in reports/summaries, listed by CMake. Names and columns are those that
// users of `nsys stats` know, so that their scripts read our CSV and JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "trace/trace.h"

namespace gputrace::reports {

enum class Quantity : std::uint8_t { percent, time_ns, count, megabytes, text };  // percent is 0 to 100; 1 MB is 1e6 bytes

struct SummaryColumn {
  std::string header;  // "Total Time (ns)"
  Quantity quantity = Quantity::text;
};

using SummaryCell = std::variant<std::int64_t, double, std::string>;

struct SummaryTable {
  std::vector<SummaryColumn> columns;
  std::vector<std::vector<SummaryCell>> rows;  // the largest total first, then by name
  std::string missing;                         // why there is no table; then columns and rows are empty
};

struct Summary {
  const char* name;   // "cuda_gpu_kern_sum"
  const char* by;     // as given to --by: "kernel"
  const char* title;  // "CUDA GPU kernels"
  SummaryTable (*make)(const trace::Trace& trace);
};

std::span<const Summary* const> summaries();

}  // namespace gputrace::reports
