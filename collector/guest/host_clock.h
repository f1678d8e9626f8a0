// The host's clocks, in nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace gputrace::guest {

inline std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline std::int64_t realtime_ns() noexcept { return clock_ns(CLOCK_REALTIME); }

}  // namespace gputrace::guest
