#include "gui/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gputrace::gui {
namespace {

struct Unit {
  double size;
  const char* name;
};

std::string scaled(double value, const Unit& unit) {
  const double v = value / unit.size;
  const int decimals = v < 10 ? 3 : v < 100 ? 2 : v < 1000 ? 1 : 0;
  return fmt::format("{:.{}f} {}", v, decimals, unit.name);
}

}  // namespace

std::string duration_text(std::uint64_t ns) {
  const double value = static_cast<double>(ns);
  if (ns < 1000) return fmt::format("{} ns", ns);
  if (value < 999.95e3) return scaled(value, {1e3, "µs"});
  if (value < 999.95e6) return scaled(value, {1e6, "ms"});
  return scaled(value, {1e9, "s"});
}

std::string bytes_text(std::int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (std::abs(value) < 1e3) return fmt::format("{} B", bytes);
  const Unit unit = std::abs(value) < 1e6   ? Unit{1e3, "kB"}
                    : std::abs(value) < 1e9 ? Unit{1e6, "MB"}
                                            : Unit{1e9, "GB"};
  const double v = value / unit.size;
  return fmt::format("{:.{}f} {}", v, std::abs(v) < 10 ? 2 : std::abs(v) < 100 ? 1 : 0, unit.name);
}

std::string rate_text(std::int64_t bytes, std::uint64_t ns) {
  if (ns == 0) return "";
  const double rate = static_cast<double>(bytes) / static_cast<double>(ns);
  return rate < 0.1 ? fmt::format("{:.1f} MB/s", rate * 1e3)
                    : fmt::format("{:.{}f} GB/s", rate, rate < 10 ? 2 : 1);
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ' ');
  return text;
}

std::string time_text(double offset_ns, double resolution_ns) {
  int decimals = 0;
  while (decimals < 9 && resolution_ns < std::pow(10.0, 9 - decimals) * 0.9999) ++decimals;
  std::string text = fmt::format("{:.{}f}", offset_ns / 1e9, decimals);
  if (decimals > 3) {
    const std::size_t point = text.find('.');
    for (std::size_t i = point + 4; i < text.size(); i += 4) text.insert(i, 1, ' ');
  }
  return text + " s";
}

bool parse_duration(const std::string& text, double& ns) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return false;
  std::string unit{end, text.data() + text.size()};
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  constexpr std::array<Unit, 6> kUnits{
      {{1, "ns"}, {1e3, "us"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {1e9, ""}}};
  for (const Unit& known : kUnits)
    if (unit == known.name) {
      ns = value * known.size;
      return true;
    }
  return false;
}

}  // namespace gputrace::gui
