// Arithmetic on times that may lie anywhere in int64: differences are unsigned and sums stop at the limits.
#pragma once

#include <cstdint>

namespace gputrace::gui {

// end_ns - start_ns for end_ns >= start_ns; a whole int64 range fits.
constexpr std::uint64_t distance_ns(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<std::uint64_t>(end_ns) - static_cast<std::uint64_t>(start_ns);
}

constexpr std::int64_t add_ns(std::int64_t time_ns, std::uint64_t distance) {
  return distance > distance_ns(time_ns, INT64_MAX)
             ? INT64_MAX
             : static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) + distance);
}

// time_ns - origin_ns as a double, for positions on the screen; exact below 2^53 ns (104 days).
constexpr double offset_ns(std::int64_t origin_ns, std::int64_t time_ns) {
  return time_ns >= origin_ns ? static_cast<double>(distance_ns(origin_ns, time_ns))
                              : -static_cast<double>(distance_ns(time_ns, origin_ns));
}

// The inverse of offset_ns, rounded to the nearest nanosecond and kept inside int64.
constexpr std::int64_t time_at(std::int64_t origin_ns, double offset) {
  constexpr double kLimit = 1.8e19;  // below 2^64
  if (offset >= 0)
    return add_ns(origin_ns, static_cast<std::uint64_t>((offset < kLimit ? offset : kLimit) + 0.5));
  const double back = -offset < kLimit ? -offset : kLimit;
  const std::uint64_t distance = static_cast<std::uint64_t>(back + 0.5);
  return distance > distance_ns(INT64_MIN, origin_ns)
             ? INT64_MIN
             : static_cast<std::int64_t>(static_cast<std::uint64_t>(origin_ns) - distance);
}

}  // namespace gputrace::gui
