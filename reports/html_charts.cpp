#include "reports/html_charts.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/device_table.h"
#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using kainjow::mustache::data;

constexpr std::size_t kPartColors = 8, kIdleColors = 6;
constexpr int kLaneHeight = 28, kMarkHeight = 20;
constexpr std::size_t kStepsDrawn = 1000;
constexpr std::size_t kBars = 300, kFewestBars = 20;  // few steps leave room at the right instead of becoming walls
constexpr double kChartWidth = 1000;
constexpr int kTitleCharacters = 300;

double ns(std::int64_t value) { return static_cast<double>(value); }

bool is_idle(const std::string& key) { return key.rfind("idle", 0) == 0; }

std::string unit(double value) { return fmt::format("{:.4f}", value); }

// Lanes from top to bottom: steps, the host, then each GPU that is used or that evidence names.
struct Lanes {
  std::map<std::int32_t, std::size_t> of_gpu;
  std::vector<std::string> names{"steps", "host"};
};

Lanes lanes_of(const Diagnosis& diagnosis) {
  Lanes lanes;
  for (const auto* device : used_devices(diagnosis)) lanes.of_gpu[device->device.value] = 0;
  for (const auto& finding : diagnosis.findings) {
    for (const auto& evidence : finding.evidence) {
      if (evidence.device) lanes.of_gpu[evidence.device->value] = 0;
    }
  }
  for (auto& [id, lane] : lanes.of_gpu) {
    lane = lanes.names.size();
    lanes.names.push_back(fmt::format("GPU {}", id));
  }
  return lanes;
}

// The drawing's x for times of the trace; what lies outside is cut off at the edge.
class Axis {
 public:
  explicit Axis(trace::Span span) : start_(ns(span.start_ns)), span_(std::max(1.0, ns(span.end_ns) - ns(span.start_ns))) {}
  double x(std::int64_t time_ns) const { return std::clamp((ns(time_ns) - start_) / span_, 0.0, 1.0) * kChartWidth; }
  double span_ns() const { return span_; }

 private:
  double start_, span_;
};

data mark(const Axis& axis, trace::Span span, std::size_t lane, const std::string& classes, const std::string& text) {
  const double x = axis.x(span.start_ns);
  data item;
  item.set("classes", classes);
  item.set("x", unit(x));
  item.set("width", unit(std::max(0.0, axis.x(span.end_ns) - x)));
  item.set("y", std::to_string(static_cast<int>(lane) * kLaneHeight + (kLaneHeight - kMarkHeight) / 2));
  item.set("height", std::to_string(kMarkHeight));
  item.set("text", cut_to_width(one_line(text), kTitleCharacters));
  return item;
}

void add_steps(data& marks, const Axis& axis, const analyzer::Steps& steps) {
  if (steps.spans.size() > kStepsDrawn) return;  // they would be a solid bar
  for (std::size_t i = 0; i < steps.spans.size(); ++i) {
    const char* classes = i < steps.warm_up ? "step warmup" : (i % 2 == 0 ? "step" : "step odd");
    marks.push_back(mark(axis, steps.spans[i], 0, classes,
                         fmt::format("step {}: {}", i, duration(ns(steps.spans[i].duration_ns())))));
  }
}

void add_evidence(data& marks, const Axis& axis, const Diagnosis& diagnosis, const Lanes& lanes) {
  for (const auto* finding : with_verdict(diagnosis, analyzer::Verdict::found)) {
    for (const auto& evidence : finding->evidence) {
      const std::size_t lane = evidence.device ? lanes.of_gpu.at(evidence.device->value) : 1;
      marks.push_back(mark(axis, evidence.span, lane, std::string("mark ") + name(finding->severity),
                           finding->rule + ", " + evidence_place(diagnosis, evidence) + ": " + evidence.text));
    }
  }
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
  std::string text = fmt::format("{} steps from {} to {}; the dashed line is the median, {}", steps.size(),
                                 duration(ns(least->duration_ns())), duration(ns(most->duration_ns())),
                                 duration(ns(median_ns)));
  if (bars < steps.size()) text += "; each bar is the longest of several steps";
  return text;
}

}  // namespace

std::string part_color(const std::vector<std::string>& keys, std::size_t index) {
  const bool idle = is_idle(keys[index]);
  std::size_t before = 0;
  for (std::size_t i = 0; i < index; ++i) before += is_idle(keys[i]) == idle ? 1 : 0;
  return idle ? fmt::format("i{}", before % kIdleColors) : fmt::format("p{}", before % kPartColors);
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

void set_timeline(data& page, const Diagnosis& diagnosis) {
  const Axis axis(diagnosis.trace_span);
  const Lanes lanes = lanes_of(diagnosis);
  data marks{data::type::list}, rows{data::type::list};
  add_steps(marks, axis, diagnosis.steps);
  add_evidence(marks, axis, diagnosis, lanes);
  for (std::size_t i = 0; i < lanes.names.size(); ++i) {
    data row;
    row.set("name", lanes.names[i]);
    row.set("bottom", std::to_string(static_cast<int>(i + 1) * kLaneHeight));
    rows.push_back(std::move(row));
  }
  page.set("has_timeline", !marks.list_value().empty());
  page.set("timeline_height", std::to_string(static_cast<int>(lanes.names.size()) * kLaneHeight));
  page.set("timeline_span_ns", fmt::format("{:.0f}", axis.span_ns()));
  page.set("timeline_range", "0 ns to " + duration(axis.span_ns()));
  page.set("lanes", std::move(rows));
  page.set("marks", std::move(marks));
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
