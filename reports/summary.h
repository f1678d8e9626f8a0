// A table of `gputrace stats`: one file each in reports/summaries, listed by CMake. Names and columns are those that
// users of `nsys stats` know, so that their scripts read our CSV and JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/explain.h"
#include "trace/trace.h"

namespace gputrace::reports {

// percent is 0 to 100; 1 MB is 1e6 bytes; an identifier is a number that is not grouped by thousands
enum class Quantity : std::uint8_t { percent, time_ns, count, identifier, megabytes, megabytes_per_s, text };

struct SummaryColumn {
  std::string header;  // "Total Time (ns)"
  Quantity quantity = Quantity::text;
};

// monostate: the column does not apply to the row; empty in text and CSV, null in JSON.
using SummaryCell = std::variant<std::int64_t, double, std::string, std::monostate>;

struct SummaryTable {
  std::vector<SummaryColumn> columns;
  std::vector<std::vector<SummaryCell>> rows;  // the largest total first, then by name
  std::string missing;                         // why there is no table; then columns and rows are empty
};

struct Summary {
  const char* name;   // "cuda_gpu_kern_sum"
  const char* by;     // as given to --by: "kernel"
  const char* title;  // "CUDA GPU kernels"
  // `explainer`: what kernels' names mean, by the user's rules too; it remembers from table to table.
  SummaryTable (*make)(const trace::Trace& trace, analyzer::Explainer& explainer);
  bool on_request = false;  // a row per event, or another cut of what other tables hold: shown where it is asked for by name
  const char* old_name = "";  // as `nsys stats` called it before 2023: "gpukernsum"
};

std::span<const Summary* const> summaries();

}  // namespace gputrace::reports
