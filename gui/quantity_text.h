// Quantities as people read them: three or four significant digits and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace gputrace::gui {

std::string duration_text(std::uint64_t ns);                  // "999 ns", "1.234 ms", "12.34 s"
std::string bytes_text(std::int64_t bytes);                   // "1.50 MB": 1e6 bytes
std::string rate_text(std::int64_t bytes, std::uint64_t ns);  // "11.9 GB/s"; "" for no time
std::string count_text(std::uint64_t count);                  // "12 345"
// A time after the start of the trace with as many digits as steps of `resolution_ns` need: "1.234 567 s".
std::string time_text(double offset_ns, double resolution_ns);
// "12.5ms", "3s", "800us", "42" (seconds): nanoseconds, or false where it is none of these.
bool parse_duration(const std::string& text, double& ns);

}  // namespace gputrace::gui
