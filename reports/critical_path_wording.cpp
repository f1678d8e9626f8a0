#include "reports/critical_path_wording.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/api_name.h"
#include "reports/quantities.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::IdlePart;

constexpr std::size_t kShown = 5;
constexpr double kShownIdle = 0.01;  // of the window

double ratio(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

std::string short_place(std::string_view where) {
  constexpr std::size_t kMost = 60;
  const std::string_view name = without_api_version(where);
  return name.size() <= kMost ? std::string(name) : std::string(name.substr(0, kMost)) + "...";
}

struct Reason {
  std::string text, where;
  std::int64_t ns = 0, where_ns = 0;
};

// By reason, with the place in which most of it passed.
std::vector<Reason> reasons_of(const std::vector<IdlePart>& parts) {
  std::vector<Reason> reasons;
  for (const IdlePart& part : parts) {
    auto known = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& reason) { return reason.text == part.reason; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {part.reason, "", 0, 0});
    known->ns += part.ns;
    if (!part.where.empty() && part.ns > known->where_ns) known->where = part.where, known->where_ns = part.ns;
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) { return a.ns > b.ns; });
  return reasons;
}

}  // namespace

std::string critical_path_line(const Diagnosis& diagnosis) {
  std::string line;
  if (!diagnosis.critical_path) return line;
  std::int64_t total_ns = 0;
  for (const analyzer::PathPart& part : diagnosis.critical_path->parts) total_ns += part.ns;
  for (std::size_t i = 0; i < std::min(kShown, diagnosis.critical_path->parts.size()); ++i) {
    const analyzer::PathPart& part = diagnosis.critical_path->parts[i];
    line += fmt::format("{}{} {}", i == 0 ? "" : ", ", part.what, percent(ratio(part.ns, total_ns)));
  }
  return line;
}

std::string near_paths_line(const Diagnosis& diagnosis) {
  std::string line;
  if (!diagnosis.critical_path) return line;
  std::size_t shown = 0;
  for (const auto& near : diagnosis.critical_path->near) {
    if (near.float_ns == 0 || !near.who.starts_with("GPU") || shown == kShown) continue;
    line += fmt::format("{}{} {}{}", shown == 0 ? "" : ", ", near.who, shown == 0 ? "could end " : "", duration(static_cast<double>(near.float_ns)));
    line += shown++ == 0 ? " later" : "";
  }
  return line;
}

std::vector<std::string> idle_lines(const Diagnosis& diagnosis) {
  std::vector<std::string> lines;
  const std::int64_t window_ns = diagnosis.window.duration_ns();
  for (const analyzer::DeviceReport& device : diagnosis.devices) {
    std::int64_t idle_ns = 0;
    for (const IdlePart& part : device.idle) idle_ns += part.ns;
    if (!device.used || ratio(idle_ns, window_ns) < kShownIdle) continue;
    std::string line = fmt::format("GPU {}, idle {} of the window:", device.device.value, percent(ratio(idle_ns, window_ns)));
    const std::vector<Reason> reasons = reasons_of(device.idle);
    for (std::size_t i = 0; i < std::min(kShown, reasons.size()); ++i) {
      const Reason& reason = reasons[i];
      line += fmt::format("{} {} {}", i == 0 ? "" : ",", reason.text, percent(ratio(reason.ns, window_ns)));
      if (!reason.where.empty() && 2 * reason.where_ns > reason.ns) line += fmt::format(" (most in {})", short_place(reason.where));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gputrace::reports
