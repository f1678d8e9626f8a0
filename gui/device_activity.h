// What a GPU does over time, from the spans of its kernels, copies and fills: one kernel, several, only copies,
// both, only fills. A CUDA graph recorded as a whole counts as a kernel, as in analyzer/metrics.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/event_row.h"

namespace gputrace::gui {

class DeviceActivity {
 public:
  enum class Work : std::uint8_t { kernel, copy, fill };
  void expect_one() { ++expected_; }      // before the first add(): room for that many is made at once
  void add(Work work, trace::Span span);  // in order of start
  bool empty() const { return !now_ns_; }
  EventRow build();  // no add() afterwards; times in which nothing runs are the gaps of the row

 private:
  struct Running {
    std::int64_t end_ns;
    Work work;
    friend bool operator<(const Running& a, const Running& b) { return a.end_ns > b.end_ns; }  // a heap's top ends first
  };
  void end_all_at(std::int64_t time_ns);
  std::optional<Category> state() const;
  void settle();  // what runs at now_ns_ is known

  std::size_t expected_ = 0;
  std::vector<Running> running_;       // a heap
  std::array<std::size_t, 3> count_{};  // of what runs, by work
  std::optional<std::int64_t> now_ns_;
  std::optional<Category> state_;  // since since_ns_
  std::int64_t since_ns_ = 0;
  EventRow row_;
};

}  // namespace gputrace::gui
