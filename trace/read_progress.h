// Tells the caller of a read how far it is, and whether to stop.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/trace_reader.h"

namespace gputrace::trace {

class ReadProgress {
 public:
  // The total need not be exact; the share told never exceeds 1 nor falls.
  ReadProgress(const ReadOptions& options, std::int64_t total)
      : options_(options), total_(std::max<std::int64_t>(1, total)) {}

  // Call once per unit of work; false: stop.
  bool advance(std::int64_t units = 1) {
    done_ += units;
    if (done_ < next_report_) return !is_stopped_;
    next_report_ = done_ + std::max(kUnitsPerReport, total_ / kMostReports);
    return report(std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)));
  }
  bool report(double share) {
    if (options_.progress && !is_stopped_) is_stopped_ = !options_.progress(share);
    return !is_stopped_;
  }

 private:
  static constexpr std::int64_t kUnitsPerReport = 1 << 14, kMostReports = 1000;
  const ReadOptions& options_;
  std::int64_t total_, done_ = 0, next_report_ = 0;
  bool is_stopped_ = false;
};

}  // namespace gputrace::trace
