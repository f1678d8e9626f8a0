// Makes ranges of NVTX's begins and ends. A push carries its depth, so a record that was dropped costs its own range
// only and never shifts the ends of those around it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/rows.h"

namespace gputrace::collector {

class NvtxPairing {
 public:
  using Emit = std::function<void(const trace::NvtxRow&)>;
  explicit NvtxPairing(Emit emit) : emit_(std::move(emit)) {}

  // The row's thread and domain say which stack; `level` is the depth in it.
  void push(const trace::NvtxRow& row, std::uint16_t level);
  void pop(std::uint64_t global_tid, std::int64_t domain, std::uint16_t level, std::int64_t time_ns,
           std::string_view payload = {});  // appended to the range's
  void start(const trace::NvtxRow& row);  // its range_id names it in this process
  void end(std::uint64_t range, std::uint64_t global_tid, std::int64_t time_ns, std::string_view payload = {});
  // A new thread has got this id: what the old one left open stays open.
  void thread_begins(std::uint64_t global_tid);
  void finish();  // emits what is still open, without an end

  std::int64_t ends_without_begin() const {
    return ends_without_begin_ + static_cast<std::int64_t>(early_ends_.size());
  }
  std::int64_t begins_without_end() const {
    return begins_without_end_;
  }  // pops that were dropped: ended at the next event

 private:
  struct Open {
    trace::NvtxRow row;
    std::uint16_t level = 0;
  };
  struct End {
    std::uint64_t global_tid = 0;
    std::int64_t time_ns = 0;
    std::string payload{};
  };
  using Stack = std::vector<Open>;
  Stack& stack_of(std::uint64_t global_tid, std::int64_t domain);
  void close_from(Stack& stack, std::uint16_t level, std::int64_t time_ns);
  void close(trace::NvtxRow row, const End& end);

  Emit emit_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::int64_t, Stack>> stacks_;  // by thread, domain
  std::unordered_map<std::uint64_t, trace::NvtxRow> started_;
  std::unordered_map<std::uint64_t, End> early_ends_;  // lanes are written in turn: an end may come before its start
  std::int64_t ends_without_begin_ = 0, begins_without_end_ = 0;
};

}  // namespace gputrace::collector
