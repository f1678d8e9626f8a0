// Which part of the program is kept. Without rules all is; with rules, what starts while a window is open: the times between
// --delay and --duration, the ranges of one NVTX name, between the program's own cuProfilerStart and cuProfilerStop, or as the
// switch of --capture-signal stands.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::guest {

struct CaptureRules {
  enum class Trigger { none, nvtx_range, profiler_api, by_switch };
  std::int64_t from_realtime_ns = 0;  // CLOCK_REALTIME; 0: from the beginning
  std::int64_t duration_ns = 0;       // from there, or from the trigger's first window; 0: to the end
  Trigger trigger = Trigger::none;
  std::string range, domain;          // of the trigger; domain "": NVTX's default, "*": any
  std::uint32_t until_steps = 0;      // ends for good with this many steps; 0: does not
  std::string step_range;             // what a step's range is called; "": step, iteration and the like

  bool limit_anything() const {
    return from_realtime_ns != 0 || duration_ns != 0 || trigger != Trigger::none || until_steps != 0;
  }
  // "nvtx:NAME", "nvtx:NAME@DOMAIN" or "profiler-api". A text that is none of these is no trigger: `record` has checked it.
  void set_trigger(std::string_view text);
};

// Start times that are kept, as they stood when this was made: half-open spans in ascending order.
class KeptTimes {
 public:
  struct Span {
    std::int64_t start_ns = 0, end_ns = INT64_MAX;
  };
  explicit KeptTimes(std::vector<Span> spans) : spans_(std::move(spans)) {}
  // A record without a time (0) is kept while a window is open.
  bool keep(std::int64_t start_ns) const noexcept;

 private:
  std::vector<Span> spans_;
};

// Thread-safe. Nothing waits under its lock.
class CaptureWindow {
 public:
  using Clock = std::function<std::int64_t()>;  // the clock of the records
  CaptureWindow(CaptureRules rules, Clock clock);

  const CaptureRules& rules() const { return rules_; }
  bool limited() const noexcept { return limited_; }
  bool is_open() const noexcept { return open_.load(std::memory_order_relaxed); }
  bool is_over() const noexcept { return over_.load(std::memory_order_relaxed); }  // will not open again
  std::uint64_t windows() const noexcept { return windows_.load(std::memory_order_relaxed); }

  bool is_trigger(std::string_view range, std::string_view domain) const noexcept;
  void trigger_begins();  // they nest
  void trigger_ends();
  void set_switch(bool on);  // of the program's profiler calls, or of `record`; it does not nest

  bool is_step(std::string_view range) const;
  // `thread` is any number: steps are those of the thread that ended the first one.
  void step_ends(std::uint32_t thread);

  // Opens and closes what time alone decides, and gives the time of the next such edge, INT64_MAX where there is none.
  std::int64_t keep_time(std::int64_t realtime_ns);

  KeptTimes kept_times() const;
  // The clock of the records becomes another, by `ahead_ns` ahead of the one up to now.
  void change_clock(std::int64_t ahead_ns, const std::function<void()>& change);

 private:
  void update_locked(bool triggered);
  void end_locked();

  const CaptureRules rules_;
  const Clock clock_;
  const bool limited_;
  mutable std::mutex lock_;  // of what follows
  std::vector<KeptTimes::Span> spans_;
  std::uint32_t open_triggers_ = 0, steps_ = 0, step_thread_ = 0;
  bool time_has_come_ = false;
  std::int64_t until_realtime_ns_ = INT64_MAX;
  std::atomic<bool> open_{false}, over_{false};
  std::atomic<std::uint64_t> windows_{0};
};

}  // namespace gputrace::guest
