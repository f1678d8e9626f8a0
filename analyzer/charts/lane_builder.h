// Makes a lane of many events: short ones that lie close together become one span.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

class LaneBuilder {
 public:
  struct Bundle {
    trace::Span span;
    std::int64_t events = 1, busy_ns = 0;
    std::int64_t longest_ns = 0;
    trace::StringId name{};  // of the longest
  };

  // Events shorter than `merged_below_ns` join what ends less than that before them.
  explicit LaneBuilder(std::int64_t merged_below_ns) : merged_below_ns_(merged_below_ns) {}

  void add(trace::Span span, trace::StringId name);  // by start
  void merge_below(std::int64_t ns);                 // coarser: what is there is merged again
  const std::vector<Bundle>& bundles() const { return bundles_; }
  std::int64_t busy_ns() const;

 private:
  static void join(std::vector<Bundle>& bundles, const Bundle& next, std::int64_t below_ns);

  std::int64_t merged_below_ns_;
  std::vector<Bundle> bundles_;
};

}  // namespace gputrace::analyzer
