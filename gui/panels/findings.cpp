#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "gui/panels/panels.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

using analyzer::Finding;
using analyzer::Verdict;

std::uint32_t color_of(const Theme& theme, const Finding& finding) {
  if (finding.verdict != Verdict::found) return theme.text_dim;
  if (finding.severity == analyzer::Severity::critical) return theme.critical;
  return finding.severity == analyzer::Severity::warning ? theme.warning : theme.good;
}

std::string gain(const Finding& finding) {
  if (finding.recoverable_ns_per_step <= 0) return "";
  return fmt::format("recovers {} a step, {:.2f}x faster",
                     duration_text(static_cast<std::uint64_t>(finding.recoverable_ns_per_step)),
                     finding.predicted_speedup);
}

void draw_evidence_list(Viewer& viewer, std::size_t index) {
  const Finding& finding = viewer.session.diagnosis.findings[index];
  for (std::size_t e = 0; e < finding.evidence.size(); ++e) {
    const analyzer::Evidence& evidence = finding.evidence[e];
    const double at_ns = offset_ns(viewer.session.timeline.span.start_ns, evidence.span.start_ns);
    const std::string text =
        fmt::format("{}  {}{}", time_text(at_ns, 1e3),
                    evidence.device ? fmt::format("GPU {}: ", evidence.device->value) : "", evidence.text);
    ImGui::PushID(static_cast<int>(e));
    if (ImGui::Selectable(text.c_str(), viewer.finding == index && viewer.evidence == e))
      show_finding(viewer, index, e);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
    ImGui::PopID();
  }
}

void draw_open_finding(Viewer& viewer, std::size_t index) {
  const Finding& finding = viewer.session.diagnosis.findings[index];
  ImGui::Indent(viewer.look.px(12));
  ImGui::TextWrapped("%s", finding.why.c_str());
  for (const std::string& advice : finding.advice) {
    ImGui::Bullet();
    ImGui::SameLine();
    ImGui::TextWrapped("%s", advice.c_str());
  }
  draw_evidence_list(viewer, index);
  ImGui::Unindent(viewer.look.px(12));
  ImGui::Separator();
}

void draw_finding(Viewer& viewer, std::size_t index) {
  const Finding& finding = viewer.session.diagnosis.findings[index];
  const Look& look = viewer.look;
  ImGui::PushID(static_cast<int>(index));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x, at.y + look.px(3)}, {at.x + look.px(4), at.y + look.px(17)}, color_of(*look.theme, finding));
  ImGui::Indent(look.px(10));
  ImGui::PushTextWrapPos(0);
  const bool open = viewer.finding == index;
  const float wrap = ImGui::GetContentRegionAvail().x;
  const ImVec2 size = ImGui::CalcTextSize(finding.title.c_str(), nullptr, false, wrap);
  if (ImGui::Selectable("##finding", open, 0, {wrap, size.y}))
    open ? void(viewer.finding.reset()) : show_finding(viewer, index, 0);
  ImGui::SetCursorScreenPos({at.x + look.px(10), at.y});
  ImGui::TextWrapped("%s", finding.title.c_str());
  if (const std::string text = gain(finding); !text.empty())
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(look.theme->good), "%s", text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::Unindent(look.px(10));
  if (viewer.finding == index) draw_open_finding(viewer, index);
  ImGui::Spacing();
  ImGui::PopID();
}

void draw_others(const Viewer& viewer, Verdict verdict, const char* heading) {
  bool first = true;
  for (const Finding& finding : viewer.session.diagnosis.findings) {
    if (finding.verdict != verdict) continue;
    if (std::exchange(first, false)) ImGui::TextDisabled("%s", heading);
    ImGui::TextWrapped("%s", (finding.title.empty() ? finding.rule : finding.title).c_str());
    if (ImGui::IsItemHovered() && !finding.why.empty()) {
      ImGui::BeginTooltip();
      ImGui::PushTextWrapPos(viewer.look.px(420));
      ImGui::TextUnformatted(finding.why.c_str());
      ImGui::PopTextWrapPos();
      ImGui::EndTooltip();
    }
  }
  if (!first) ImGui::Spacing();
}

// A click goes to the longest such gap.
void draw_idle_reasons(Viewer& viewer, const analyzer::DeviceReport& device) {
  if (device.idle.empty()) return;
  ImGui::TextDisabled("What GPU %d waited for while it ran nothing", device.device.value);
  for (const analyzer::IdlePart& part : device.idle) {
    const std::string text = fmt::format("{}  {}{}", duration_text(static_cast<std::uint64_t>(part.ns)), part.reason,
                                         part.where.empty() ? "" : " in " + part.where);
    ImGui::PushID(&part);
    if (ImGui::Selectable(text.c_str()) && part.longest.end_ns > part.longest.start_ns) go_to(viewer, part.longest);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\n%s gaps; click: go to the longest", text.c_str(),
                        count_text(static_cast<std::uint64_t>(part.gaps)).c_str());
    ImGui::PopID();
  }
  ImGui::Spacing();
}

void draw_critical_path(const analyzer::Diagnosis& diagnosis) {
  constexpr std::size_t kMostParts = 8;
  if (!diagnosis.critical_path || diagnosis.critical_path->parts.empty()) return;
  ImGui::TextDisabled("Critical path: only what is on it can shorten a step");
  const auto& parts = diagnosis.critical_path->parts;
  for (std::size_t p = 0; p < std::min(parts.size(), kMostParts); ++p)
    ImGui::TextWrapped("%s  %s", duration_text(static_cast<std::uint64_t>(parts[p].ns)).c_str(), parts[p].what.c_str());
  ImGui::Spacing();
}

}  // namespace

void draw_findings(Viewer& viewer) {
  if (!viewer.session.is_analysed) return ImGui::TextWrapped("Looking for bottlenecks ...");
  const analyzer::Diagnosis& diagnosis = viewer.session.diagnosis;
  if (diagnosis.steps.median_ns > 0)
    ImGui::TextDisabled("%zu steps, median %s", diagnosis.steps.spans.size(),
                        duration_text(static_cast<std::uint64_t>(diagnosis.steps.median_ns)).c_str());
  std::size_t found = 0;
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    if (diagnosis.findings[i].verdict != Verdict::found) continue;
    draw_finding(viewer, i);
    ++found;
  }
  if (found == 0) ImGui::TextWrapped("No bottleneck found in what was captured.");
  ImGui::Spacing();
  draw_critical_path(diagnosis);
  for (const analyzer::DeviceReport& device : diagnosis.devices) draw_idle_reasons(viewer, device);
  draw_others(viewer, Verdict::could_not_look, "Could not look");
  draw_others(viewer, Verdict::nothing, "Looked, nothing found");
}

}  // namespace gputrace::gui::panels
