// Numbers for people: three significant digits and the unit that fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gputrace::reports {

std::string duration(double ns);             // "870 ns", "12.3 us", "4.88 s", "2 h 05 min"
std::string byte_count(double bytes);        // decimal units: "25.5 GB"
std::string rate(double gigabytes_per_s);    // "27.7 GB/s"
std::string percent(double share);           // 0.349 is "34.9 %"; above zero and too small to show: "<0.1 %"
std::string percent(std::optional<double> share);  // "-" where not captured
std::string count(std::int64_t n);           // "4,097"
std::string factor(double ratio);            // "5.63x"

}  // namespace gputrace::reports
