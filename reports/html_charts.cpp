#include "reports/html_charts.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/device_table.h"
#include "reports/html_drawing.h"
#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using kainjow::mustache::data;

constexpr std::size_t kIdleColors = 6;
constexpr std::size_t kStepsDrawn = 1000;
constexpr std::size_t kBars = 300, kFewestBars = 20;  // few steps leave room at the right instead of becoming walls

// Of a lane of the overview, from its top: the evidence, kernels, copies.
constexpr int kStepsHeight = 16, kHostHeight = 12, kEvidenceHeight = 8, kKernelsHeight = 26, kCopiesHeight = 8, kLaneGap = 10;

double ns(std::int64_t value) { return static_cast<double>(value); }

bool is_idle(const std::string& key) { return key.rfind("idle", 0) == 0; }

std::string unit(double value) { return fmt::format("{:.4f}", value); }

// Lanes from top to bottom: steps, the host where evidence is of it, then each GPU that is used or that evidence names.
struct OverviewLane {
  std::string name;
  int top = 0, height = 0;
};

struct OverviewLanes {
  std::vector<OverviewLane> all;
  std::map<std::int32_t, int> top_of_gpu;
  int host_top = 0, height = 0;
};

bool any_host_evidence(const Diagnosis& diagnosis) {
  for (const auto* finding : with_verdict(diagnosis, analyzer::Verdict::found)) {
    for (const auto& evidence : finding->evidence) {
      if (!evidence.device) return true;
    }
  }
  return false;
}

OverviewLanes lanes_of(const Diagnosis& diagnosis) {
  OverviewLanes lanes;
  for (const auto& strip : diagnosis.charts.activity) lanes.top_of_gpu[strip.device.value] = 0;
  for (const auto* device : used_devices(diagnosis)) lanes.top_of_gpu[device->device.value] = 0;
  for (const auto& finding : diagnosis.findings) {
    for (const auto& evidence : finding.evidence) {
      if (evidence.device) lanes.top_of_gpu[evidence.device->value] = 0;
    }
  }
  int y = 4;
  const auto add = [&](const std::string& name, int height) {
    lanes.all.push_back({name, y, height});
    y += height + kLaneGap;
    return lanes.all.back().top;
  };
  if (!diagnosis.steps.spans.empty()) add("steps", kStepsHeight);
  if (any_host_evidence(diagnosis)) lanes.host_top = add("host", kHostHeight);
  for (auto& [id, top] : lanes.top_of_gpu) {
    top = add(fmt::format("GPU {}", id), kEvidenceHeight + kKernelsHeight + kCopiesHeight);
  }
  lanes.height = y;
  return lanes;
}

void add_steps(data& marks, const Axis& axis, const analyzer::Steps& steps) {
  if (steps.spans.size() > kStepsDrawn) return;  // they would be a solid bar
  for (std::size_t i = 0; i < steps.spans.size(); ++i) {
    const char* classes = i < steps.warm_up ? "step warmup" : (i % 2 == 0 ? "step" : "step odd");
    marks.push_back(rectangle(axis, steps.spans[i], 4, kStepsHeight, classes,
                              fmt::format("step {}: {}", i, duration(ns(steps.spans[i].duration_ns())))));
  }
}

void add_evidence(data& marks, const Axis& axis, const Diagnosis& diagnosis, const OverviewLanes& lanes) {
  auto found = with_verdict(diagnosis, analyzer::Verdict::found);
  std::reverse(found.begin(), found.end());  // the first finding's on top of the others
  for (const auto* finding : found) {
    for (const auto& evidence : finding->evidence) {
      const int top = evidence.device ? lanes.top_of_gpu.at(evidence.device->value) : lanes.host_top;
      const int height = evidence.device ? kEvidenceHeight - 2 : kHostHeight;
      marks.push_back(rectangle(axis, evidence.span, top, height, std::string("evidence ") + name(finding->severity),
                                finding->title + ", " + evidence_place(diagnosis, evidence) + ": " + evidence.text));
    }
  }
}

// A staircase over the stretches between `low` and `high` shares of a row, as an SVG path.
template <class Low, class High>
data area(const analyzer::ActivityStrip& strip, int top, int height, const char* classes, Low low, High high) {
  const double step = kDrawingWidth / static_cast<double>(strip.stretches.size());
  const auto y = [&](double share) { return drawn(top + height * (1 - std::clamp(share, 0.0, 1.0))); };
  std::string upper, lower;
  for (std::size_t i = 0; i < strip.stretches.size(); ++i) {
    upper += fmt::format("{}{} V{}H{}", i == 0 ? "M0 " : "", i == 0 ? y(0) : "", y(high(strip.stretches[i])),
                         drawn(step * static_cast<double>(i + 1)));
  }
  for (std::size_t i = strip.stretches.size(); i-- > 0;) {
    lower += fmt::format("V{}H{}", y(low(strip.stretches[i])), drawn(step * static_cast<double>(i)));
  }
  data path;
  path.set("classes", classes);
  path.set("d", upper + lower + "Z");
  return path;
}

void add_activity(data& paths, const analyzer::ActivityStrip& strip, int lane_top) {
  using analyzer::ActivityShares;
  const int top = lane_top + kEvidenceHeight;
  const auto nothing = [](const ActivityShares&) { return 0.0; };
  const auto compute = [](const ActivityShares& s) { return double{s.compute}; };
  const auto both = [](const ActivityShares& s) { return double{s.compute} + double{s.communication}; };
  const auto copy = [](const ActivityShares& s) { return double{s.copy}; };
  paths.push_back(area(strip, top, kKernelsHeight, "k-compute", nothing, compute));
  paths.push_back(area(strip, top, kKernelsHeight, "k-communication", compute, both));
  paths.push_back(area(strip, top + kKernelsHeight, kCopiesHeight, "k-copy", nothing, copy));
}

struct Bar {
  std::size_t first = 0, last = 0;
  std::int64_t longest_ns = 0;
};

std::vector<Bar> bars_of(const std::vector<trace::Span>& steps) {
  const std::size_t per_bar = (steps.size() + kBars - 1) / kBars;
  std::vector<Bar> bars;
  for (std::size_t first = 0; first < steps.size(); first += per_bar) {
    Bar bar{.first = first, .last = std::min(steps.size(), first + per_bar) - 1};
    for (std::size_t i = bar.first; i <= bar.last; ++i) bar.longest_ns = std::max(bar.longest_ns, steps[i].duration_ns());
    bars.push_back(bar);
  }
  return bars;
}

std::string step_caption(const std::vector<trace::Span>& steps, std::int64_t median_ns, std::size_t bars) {
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return a.duration_ns() < b.duration_ns();
  });
  const std::string fastest = duration(ns(least->duration_ns())), slowest = duration(ns(most->duration_ns()));
  std::string text = fmt::format("{} steps, numbered from 0, take {}", steps.size(), fastest);
  if (slowest != fastest) text += " to " + slowest;
  text += "; the dashed line is the median, " + duration(ns(median_ns));
  if (bars < steps.size()) text += "; each bar is the longest of several steps";
  return text;
}

}  // namespace

std::string part_color(const std::vector<std::string>& keys, std::size_t index) {
  // The same as in the pictures below: kernels, copies, collectives, fills. Mixtures get what is left, in order.
  static const std::map<std::string, std::string> kOwn{{"compute", "p0"}, {"copy", "p1"}, {"communication", "p2"}, {"fill", "p5"}};
  static const std::vector<std::string> kMixed{"p3", "p4", "p6", "p7"};
  const bool idle = is_idle(keys[index]);
  if (const auto own = kOwn.find(keys[index]); own != kOwn.end()) return own->second;
  std::size_t before = 0;
  for (std::size_t i = 0; i < index; ++i) before += is_idle(keys[i]) == idle && kOwn.count(keys[i]) == 0 ? 1 : 0;
  return idle ? fmt::format("i{}", before % kIdleColors) : kMixed[before % kMixed.size()];
}

data device_bar(const analyzer::DeviceReport& device, const std::vector<std::string>& keys) {
  data bar, parts{data::type::list};
  bar.set("name", fmt::format("GPU {}", device.device.value));
  const double whole_ns = ns(sum_ns(device.parts));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const double time_ns = ns(part_ns(device, keys[i]));
    if (!(time_ns > 0) || !(whole_ns > 0)) continue;
    data part;
    part.set("color", part_color(keys, i));
    part.set("percent", unit(100 * time_ns / whole_ns));
    part.set("label", cut_to_width(one_line(part_label(keys[i])), kTitleCharacters));
    part.set("share", percent(time_ns / whole_ns));
    part.set("time", duration(time_ns));
    parts.push_back(std::move(part));
  }
  bar.set("parts", std::move(parts));
  return bar;
}

void set_overview(data& page, const Diagnosis& diagnosis) {
  const Axis axis(diagnosis.trace_span);
  const OverviewLanes lanes = lanes_of(diagnosis);
  data marks{data::type::list}, rows{data::type::list}, paths{data::type::list};
  add_steps(marks, axis, diagnosis.steps);
  add_evidence(marks, axis, diagnosis, lanes);
  for (const auto& strip : diagnosis.charts.activity) {
    if (!strip.stretches.empty()) add_activity(paths, strip, lanes.top_of_gpu.at(strip.device.value));
  }
  for (const OverviewLane& lane : lanes.all) {
    data row;
    row.set("name", lane.name);
    row.set("y", std::to_string(lane.top));
    row.set("height", std::to_string(lane.height));
    row.set("bottom", std::to_string(lane.top + lane.height));
    rows.push_back(std::move(row));
  }
  data drawing;
  drawing.set("height", std::to_string(lanes.height));
  drawing.set("span_ns", fmt::format("{:.0f}", axis.span_ns()));
  const auto runs = [&](float analyzer::ActivityShares::*kind) {
    return std::any_of(diagnosis.charts.activity.begin(), diagnosis.charts.activity.end(), [=](const auto& strip) {
      return std::any_of(strip.stretches.begin(), strip.stretches.end(), [=](const auto& stretch) { return stretch.*kind > 0; });
    });
  };
  drawing.set("has_activity", !paths.list_value().empty());
  drawing.set("has_compute", runs(&analyzer::ActivityShares::compute));
  drawing.set("has_communication", runs(&analyzer::ActivityShares::communication));
  drawing.set("has_copy", runs(&analyzer::ActivityShares::copy));
  const bool drawn_at_all = !marks.list_value().empty() || !paths.list_value().empty();
  drawing.set("lanes", std::move(rows));
  drawing.set("marks", std::move(marks));
  drawing.set("paths", std::move(paths));
  set_ticks(drawing, axis.span_ns());
  page.set("has_overview", drawn_at_all);
  page.set("overview", std::move(drawing));
}

void set_step_chart(data& page, const Diagnosis& diagnosis) {
  const analyzer::Steps& steps = diagnosis.steps;
  page.set("has_steps", steps.spans.size() > 1);
  if (steps.spans.size() <= 1) return;
  const auto bars = bars_of(steps.spans);
  std::int64_t longest_ns = 1;
  for (const Bar& bar : bars) longest_ns = std::max(longest_ns, bar.longest_ns);
  const auto height = [longest_ns](std::int64_t time_ns) { return 95 * ns(time_ns) / ns(longest_ns); };
  data chart{data::type::list};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    data item;
    item.set("classes", bar.last < steps.warm_up ? "warmup" : "time");
    item.set("x", unit(static_cast<double>(i) + 0.1));
    item.set("y", unit(100 - height(bar.longest_ns)));
    item.set("height", unit(height(bar.longest_ns)));
    const std::string which = bar.first == bar.last ? fmt::format("step {}", bar.first)
                                                    : fmt::format("steps {} to {}, the longest", bar.first, bar.last);
    item.set("text", which + ": " + duration(ns(bar.longest_ns)));
    chart.push_back(std::move(item));
  }
  page.set("step_chart", std::move(chart));
  page.set("step_bars", std::to_string(std::max(kFewestBars, bars.size())));
  page.set("median_y", unit(100 - height(steps.median_ns)));
  page.set("step_caption", step_caption(steps.spans, steps.median_ns, bars.size()));
}

}  // namespace gputrace::reports
