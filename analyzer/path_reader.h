// What the time between two neighbours of a longest chain is spent on, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/explain.h"
#include "analyzer/name_rules.h"
#include "analyzer/replay/replay.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Parts of a path by what they are, the largest first.
std::vector<PathPart> by_time(const std::map<std::string, std::int64_t>& ns);

class PathReader {
 public:
  PathReader(const trace::Trace& trace, const DependencyGraph& graph) : trace_(trace), graph_(graph) {}  // both outlive this

  // Of the longest chain of a replay of the graph: what it consists of, the largest first; the sum is the replay's length from the
  // chain's first moment on.
  std::vector<PathPart> parts(const Replayed& replayed);

  // "kernels: convolution", "launch calls", "host between calls", "launches", "copies host to device", "calls that wait for the GPU",
  // "between activities on the GPU", "other GPUs in a collective".
  std::string text_of(Moment to, const Edge& edge);

 private:
  const trace::Trace& trace_;
  const DependencyGraph& graph_;
  Explainer explainer_{{}};
};

}  // namespace gputrace::analyzer
