// Packets of a Perfetto trace as rows: slices of the categories that profilers use for GPU work and API calls go to their tables,
// other slices become ranges on the thread of their track, or on a thread of the track's own.
#pragma once

#include <memory>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::trace {

class PerfettoReader {
 public:
  explicit PerfettoReader(Trace& trace);
  ~PerfettoReader();
  PerfettoReader(const PerfettoReader&) = delete;
  PerfettoReader& operator=(const PerfettoReader&) = delete;

  void add_packet(std::string_view bytes);  // throws protozero::exception where they are malformed
  void count_damaged_packet();
  // Once, after the last packet. The rows are not sorted yet.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gputrace::trace
