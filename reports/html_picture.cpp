#include "reports/html_picture.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "reports/html_drawing.h"
#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Lane;
using analyzer::LaneKind;
using analyzer::LaneSpan;
using analyzer::StepPicture;
using kainjow::mustache::data;

constexpr std::size_t kClassColors = 6;
constexpr int kGap = 4, kGroupGap = 12;  // between lanes, and between GPUs
constexpr int kLabelCharacters = 18;
constexpr int kSpanCharacters = 80;
constexpr std::size_t kSparse = 600;  // spans of a lane: of fewer each keeps a width that can be seen

double ns(std::int64_t value) { return static_cast<double>(value); }

int height_of(LaneKind kind) {
  if (kind == LaneKind::compute) return 26;
  return kind == LaneKind::host ? 20 : 14;
}

std::string label_of(const Lane& lane) {
  switch (lane.kind) {
    case LaneKind::host: return cut_to_width(one_line(lane.name), kLabelCharacters);
    case LaneKind::compute: return fmt::format("GPU {}", lane.device->value);
    case LaneKind::communication: return "collectives";
    case LaneKind::copy: break;
  }
  return "copies";
}

// Colours for the classes of kernels with most time in the picture; the others share one.
std::map<std::string, std::string> class_colors(const StepPicture& picture) {
  std::map<std::string, std::int64_t> time_ns;
  for (const Lane& lane : picture.lanes) {
    if (lane.kind != LaneKind::compute) continue;
    for (const LaneSpan& span : lane.spans) time_ns[span.op_class] += span.busy_ns;
  }
  std::vector<std::pair<std::int64_t, std::string>> largest;
  for (const auto& [op_class, ns_of] : time_ns) largest.emplace_back(-ns_of, op_class);
  std::sort(largest.begin(), largest.end());
  std::map<std::string, std::string> colors;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    colors[largest[i].second] = i < kClassColors ? fmt::format("k{}", i) : "k-rest";
  }
  return colors;
}

std::string color_of(const Lane& lane, const LaneSpan& span, const std::map<std::string, std::string>& colors) {
  switch (lane.kind) {
    case LaneKind::host: return "k-host";
    case LaneKind::communication: return "k-communication";
    case LaneKind::copy: return "k-copy";
    case LaneKind::compute: break;
  }
  const auto color = colors.find(span.op_class);
  return color == colors.end() ? "k-rest" : color->second;
}

std::string title_of(const StepPicture& picture, const LaneSpan& span) {
  const std::string at = "at " + duration(ns(span.span.start_ns) - ns(picture.span.start_ns));
  const std::string text = cut_to_width(one_line(span.text), kSpanCharacters);
  if (span.events == 1) return fmt::format("{} · {} · {}", text, duration(ns(span.span.duration_ns())), at);
  return fmt::format("{} events, {} of {} · {} · the longest is {}", count(span.events), duration(ns(span.busy_ns)),
                     duration(ns(span.span.duration_ns())), at, text);
}

// Several events drawn as one fill the lane by the share of the time that they run: idle time between them stays visible.
data drawn_span(const StepPicture& picture, const Lane& lane, const LaneSpan& span, int top, const Axis& axis, const std::string& color) {
  const int height = height_of(lane.kind);
  const double busy = ns(span.busy_ns) / std::max(1.0, ns(span.span.duration_ns()));
  const int filled = span.events == 1 ? height : std::clamp(static_cast<int>(std::lround(height * busy)), 2, height);
  return rectangle(axis, span.span, top + height - filled, filled, color, title_of(picture, span));
}

data legend_entry(const std::string& color, const std::string& text) {
  data item;
  item.set("color", color);
  item.set("text", one_line(text));
  return item;
}

data legend(const StepPicture& picture, const std::map<std::string, std::string>& colors) {
  const auto has = [&](LaneKind kind) {
    return std::any_of(picture.lanes.begin(), picture.lanes.end(),
                       [=](const Lane& lane) { return lane.kind == kind && !lane.spans.empty(); });
  };
  data entries{data::type::list};
  std::vector<std::pair<std::string, std::string>> by_color;
  bool rest = false;
  for (const auto& [op_class, color] : colors) {
    if (color == "k-rest") rest = true;
    else by_color.emplace_back(color, op_class);
  }
  std::sort(by_color.begin(), by_color.end());
  for (const auto& [color, op_class] : by_color) entries.push_back(legend_entry(color, op_class));
  if (rest) entries.push_back(legend_entry("k-rest", "other kernels"));
  if (has(LaneKind::communication)) entries.push_back(legend_entry("k-communication", "collectives"));
  if (has(LaneKind::copy)) entries.push_back(legend_entry("k-copy", "copies"));
  if (has(LaneKind::host)) entries.push_back(legend_entry("k-host", "host"));
  return entries;
}

// From top to bottom: where each lane is, and where each GPU's lanes (or the host's) begin and end.
struct Layout {
  std::vector<int> top;
  std::map<std::optional<trace::DeviceId>, std::pair<int, int>> group;
  int height = 0;
};

Layout lay_out(const StepPicture& picture) {
  Layout layout;
  int y = kGap;
  for (std::size_t i = 0; i < picture.lanes.size(); ++i) {
    const Lane& lane = picture.lanes[i];
    if (i > 0) y += lane.device == picture.lanes[i - 1].device ? kGap : kGroupGap;
    layout.top.push_back(y);
    const auto group = layout.group.try_emplace(lane.device, y, y).first;
    y += height_of(lane.kind);
    group->second.second = y;
  }
  layout.height = y + kGap;
  return layout;
}

bool in_picture(const StepPicture& picture, trace::Span span) {
  return span.end_ns > picture.span.start_ns && span.start_ns < picture.span.end_ns;
}

// Behind the spans, so that an idle GPU's evidence shows in its gap and a kernel's as a frame around it.
data marks_of(const Diagnosis& diagnosis, const Layout& layout, const Axis& axis) {
  data marks{data::type::list};
  auto found = with_verdict(diagnosis, analyzer::Verdict::found);
  std::reverse(found.begin(), found.end());  // the first finding's on top of the others
  for (const auto* finding : found) {
    for (const auto& evidence : finding->evidence) {
      if (!in_picture(diagnosis.charts.step, evidence.span)) continue;
      const auto group = layout.group.find(evidence.device);
      const auto [top, bottom] = group == layout.group.end() ? std::pair{kGap, layout.height - kGap} : group->second;
      marks.push_back(rectangle(axis, evidence.span, top - 3, bottom - top + 6, std::string("mark ") + name(finding->severity),
                                finding->title + ": " + evidence.text));
    }
  }
  return marks;
}

std::string title(const Diagnosis& diagnosis) {
  const StepPicture& picture = diagnosis.charts.step;
  const std::string length = duration(ns(picture.span.duration_ns()));
  if (!picture.step) return "What ran when, over " + length;
  return fmt::format("One step as it ran: step {}, {}", *picture.step, length);
}

std::string caption(const StepPicture& picture, bool has_marks) {
  std::string text = "Point at a bar, or tap it, to read what it is.";
  if (has_marks) text += " Framed: the evidence of the findings.";
  return text + fmt::format(" Events shorter and closer together than {} are one bar, as high as the share of the time that they run.",
                            duration(ns(picture.merged_below_ns)));
}

}  // namespace

void set_picture(data& page, const Diagnosis& diagnosis) {
  const StepPicture& picture = diagnosis.charts.step;
  page.set("has_picture", !picture.lanes.empty());
  if (picture.lanes.empty()) return;
  const Axis axis(picture.span);
  const Layout layout = lay_out(picture);
  const auto colors = class_colors(picture);
  data lanes{data::type::list}, spans{data::type::list};
  for (std::size_t i = 0; i < picture.lanes.size(); ++i) {
    const Lane& lane = picture.lanes[i];
    data row;
    row.set("name", label_of(lane));
    row.set("minor", lane.kind == LaneKind::copy || lane.kind == LaneKind::communication);
    row.set("y", std::to_string(layout.top[i]));
    row.set("height", std::to_string(height_of(lane.kind)));
    lanes.push_back(std::move(row));
    for (const LaneSpan& span : lane.spans) {
      const std::string color = color_of(lane, span, colors) + (lane.spans.size() < kSparse ? " thin" : "");
      spans.push_back(drawn_span(picture, lane, span, layout.top[i], axis, color));
    }
  }
  data drawing;
  data marks = marks_of(diagnosis, layout, axis);
  drawing.set("caption", caption(picture, !marks.list_value().empty()));
  drawing.set("title", title(diagnosis));
  drawing.set("height", std::to_string(layout.height));
  drawing.set("span_ns", fmt::format("{:.0f}", axis.span_ns()));
  drawing.set("lanes", std::move(lanes));
  drawing.set("spans", std::move(spans));
  drawing.set("marks", std::move(marks));
  drawing.set("legend", legend(picture, colors));
  set_ticks(drawing, axis.span_ns());
  page.set("picture", std::move(drawing));
}

bool set_place_in_picture(data& item, const Diagnosis& diagnosis, const analyzer::Evidence& evidence) {
  const StepPicture& picture = diagnosis.charts.step;
  if (picture.lanes.empty() || !in_picture(picture, evidence.span)) return false;
  const Axis axis(picture.span);
  item.set("from", drawn(axis.x(evidence.span.start_ns)));
  item.set("to", drawn(axis.x(evidence.span.end_ns)));
  return true;
}

}  // namespace gputrace::reports
