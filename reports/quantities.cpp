#include "reports/quantities.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gputrace::reports {
namespace {

struct Unit {
  double size;
  const char* name;
};

std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
}

// The largest unit in which the rounded value is at least 1; the smallest unit counts whole things.
template <std::size_t n>
std::string with_unit(double value, const std::array<Unit, n>& largest_first) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  const char* sign = value < 0 ? "-" : "";
  for (const Unit& unit : largest_first) {
    if (&unit == &largest_first.back()) return fmt::format("{}{:.0f} {}", sign, size / unit.size, unit.name);
    if (size >= unit.size * 0.9995) return fmt::format("{}{} {}", sign, three_digits(size / unit.size), unit.name);
  }
  return "-";
}

constexpr std::array kTimes{Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}, Unit{1, "ns"}};
constexpr std::array kSizes{Unit{1e12, "TB"}, Unit{1e9, "GB"}, Unit{1e6, "MB"}, Unit{1e3, "kB"}, Unit{1, "B"}};
constexpr double kHourNs = 3600e9;

}  // namespace

std::string duration(double ns) {
  if (!(std::abs(ns) >= 2 * kHourNs)) return with_unit(ns, kTimes);
  const double minutes = std::round(std::abs(ns) / 60e9);
  return fmt::format("{}{:.0f} h {:02.0f} min", ns < 0 ? "-" : "", std::floor(minutes / 60), std::fmod(minutes, 60));
}

std::string byte_count(double bytes) { return with_unit(bytes, kSizes); }

std::string rate(double gigabytes_per_s) {
  if (gigabytes_per_s > 0 && gigabytes_per_s < 0.1) return byte_count(gigabytes_per_s * 1e9) + "/s";
  return std::isfinite(gigabytes_per_s) ? three_digits(gigabytes_per_s) + " GB/s" : "-";
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", share * 100);
}

std::string percent(std::optional<double> share) { return share ? percent(*share) : "-"; }

std::string count(std::int64_t n) {
  std::string digits = std::to_string(n);
  const std::ptrdiff_t first = n < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string factor(double ratio) { return std::isfinite(ratio) ? three_digits(ratio) + "x" : "-"; }

}  // namespace gputrace::reports
