// What a trace's table of op placements says without times: placement logs and timelines of TensorFlow have no more.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "trace/trace.h"

namespace gputrace::analyzer {

struct PlacementCounts {
  std::size_t placed = 0;                          // ops whose device is known
  std::size_t on_cpu = 0;
  std::size_t misplaced = 0;                       // asked for a GPU, ran on a CPU
  std::size_t with_request = 0;                    // ops of which it is known what was asked for
  std::map<std::string, std::size_t> misplaced_by_type;
  std::string requested{}, device{};               // of the first of them, as written
  std::string example{};                           // "tower_0/MatMul (MatMul) asked for /gpu:0, ran on /cpu:0"
};

PlacementCounts count_placements(const trace::Trace& trace);

}  // namespace gputrace::analyzer
