// PyTorch's memory events ("[memory]": a block was allocated or freed) as counters: memory in use over time, per GPU and of the host.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/row_problems.h"
#include "trace/trace.h"

namespace gputrace::trace {

class KinetoMemory {
 public:
  explicit KinetoMemory(Trace& trace) : trace_(trace) {}

  static bool is_memory_event(std::string_view name) { return name == "\"[memory]\""; }  // as JSON

  // `args`: the JSON object, "Device Type" 0 being the host; "Bytes" is negative where a block is freed.
  void add(std::int64_t time_ns, ProcessIndex process, std::string_view args);

  // Once, after the last event. Totals are PyTorch's where its version writes them (from 1.12 on): "memory allocated" and "memory
  // reserved"; else "memory allocated since the trace began", the running sum, which may be negative.
  void finish();

 private:
  struct Block {
    std::int64_t time_ns, bytes;
  };
  using Owner = std::pair<ProcessIndex, DeviceId>;

  void add_sample(std::int64_t time_ns, const Owner& owner, std::string_view what, std::int64_t bytes);

  Trace& trace_;
  std::map<Owner, std::vector<Block>> without_totals_;  // in the order of the file, which need not be that of time
  RowProblems problems_{"memory events"};
};

}  // namespace gputrace::trace
