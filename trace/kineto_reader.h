// Events of a PyTorch (Kineto) or other Chrome trace as rows: GPU work and API calls go to their tables;
// other spans (operators, annotations, Python functions) become ranges in a domain named as their category.
#pragma once

#include <memory>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::trace {

class KinetoReader {
 public:
  explicit KinetoReader(Trace& trace);
  ~KinetoReader();
  KinetoReader(const KinetoReader&) = delete;
  KinetoReader& operator=(const KinetoReader&) = delete;

  void add_event(std::string_view object);  // JSON, as is `value`
  void add_metadata(std::string_view key, std::string_view value);
  // Once, after the last event: names, processes, what was captured, and what was wrong. The rows are not
  // sorted yet.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gputrace::trace
