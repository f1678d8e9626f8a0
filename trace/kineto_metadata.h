// What a PyTorch (Kineto) trace says of itself beside its events: GPUs, rank, clock; and what gputrace's own Chrome export adds.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::trace {

class KinetoMetadata {
 public:
  explicit KinetoMetadata(Trace& trace) : trace_(trace) {}

  void add(std::string_view key, std::string_view value);  // a field of the file; the value as JSON

  const std::string& rank_text() const { return rank_text_; }        // " (rank 3 of 8)"; "" where it is not told
  const std::string& own_producer() const { return own_producer_; }  // of the trace that gputrace exported; "" for others' files

 private:
  void add_gpus(std::string_view array);
  void keep_rank(std::string_view object);
  void keep_own(std::string_view object);

  Trace& trace_;
  std::string rank_text_, own_producer_;
};

}  // namespace gputrace::trace
