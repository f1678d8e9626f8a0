// Times of Perfetto packets on one axis: that of the trace's default clock (BOOTTIME), from whatever clock a packet uses.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace gputrace::trace {

class PerfettoClocks {
 public:
  // A ClockSnapshot message: what the clocks read at one moment. Throws protozero::exception.
  void add_snapshot(std::uint64_t sequence, std::string_view bytes);

  // `time` as a packet of the sequence gives it, in ns of the default clock. Incremental clocks move on with each call. A clock that
  // no snapshot has told is taken for the default one, and counted.
  std::int64_t to_default(std::uint64_t sequence, std::uint64_t clock, std::uint64_t time);
  std::int64_t unknown_clock_packets() const { return unknown_; }

 private:
  static constexpr std::uint64_t kDefaultClock = 6, kFirstOfSequence = 64, kLastOfSequence = 127;
  struct Clock {
    std::uint64_t time = 0, unit_ns = 1;
    std::int64_t default_ns = 0;  // what the default clock read then
    bool is_incremental = false;
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // sequence (0 for clocks of all) and clock
  static Key key(std::uint64_t sequence, std::uint64_t clock) {
    return {clock >= kFirstOfSequence && clock <= kLastOfSequence ? sequence : 0, clock};
  }

  std::map<Key, Clock> clocks_;
  std::int64_t unknown_ = 0;
};

}  // namespace gputrace::trace
