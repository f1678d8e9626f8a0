// NVTX ranges, a domain per concern, so that a profiler can tell steps from ops from data. Without a profiler
// a range costs about a nanosecond. Texts are registered once: no formatting and no copy in a step.
#pragma once

#include <string>

namespace trainer {

enum class Concern { step, op, data };  // domains "step", "op", "data"

// A text known to the profiler; a null handle where none listens.
class RangeText {
 public:
  RangeText(Concern concern, const std::string& text);

 private:
  friend class Range;
  Concern concern_;
  void* registered_;
};

// From construction to destruction on the calling thread.
class Range {
 public:
  explicit Range(const RangeText& text);
  Range(Concern concern, const std::string& text);  // for a text that is new each time
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Concern concern_;
};

void name_calling_thread(const std::string& name);

}  // namespace trainer
