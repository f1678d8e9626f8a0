#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "gui/comparison.h"
#include "gui/panels/panels.h"
#include "gui/quantity_text.h"

namespace gputrace::gui::panels {
namespace {

std::string time_of(double ns) { return duration_text(static_cast<std::uint64_t>(std::max(0.0, std::round(ns)))); }

std::string difference(double ns) { return fmt::format("{}{}", ns < 0 ? "-" : "+", time_of(std::abs(ns))); }

void cell(const std::string& text) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(text.c_str());
}

void draw_kernel(Viewer& viewer, const analyzer::KernelChange& change) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(&change);
  if (ImGui::Selectable(change.label.c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
    select_kernel_named(change.fate == analyzer::KernelFate::came ? viewer.comparison->below : viewer, change.name);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s\n%s: %.1f calls, then %.1f", change.name.substr(0, 1000).c_str(), name(change.fate),
                      change.calls.before, change.calls.after);
  ImGui::PopID();
  cell(time_of(change.ns.before));
  cell(time_of(change.ns.after));
  ImGui::TableNextColumn();
  const Theme& theme = *viewer.look.theme;
  const bool less = change.ns.difference() < 0;
  const bool same = change.fate == analyzer::KernelFate::same;
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(same ? theme.text_dim : less ? theme.good : theme.critical), "%s",
                     difference(change.ns.difference()).c_str());
}

void draw_step_change(const analyzer::TraceDiff& diff) {
  const analyzer::StepComparison& steps = diff.steps;
  if (steps.verdict == analyzer::StepVerdict::not_aligned) return ImGui::TextWrapped("%s", steps.why.c_str());
  const auto share = steps.median_ns.relative();
  ImGui::TextWrapped("A step takes %s above and %s below%s.", time_of(steps.median_ns.before).c_str(),
                     time_of(steps.median_ns.after).c_str(),
                     share ? fmt::format(" ({:+.1f} %)", *share * 100).c_str() : "");
  if (steps.verdict == analyzer::StepVerdict::no_change) ImGui::TextWrapped("That is no change beyond the noise.");
  if (steps.verdict == analyzer::StepVerdict::cannot_judge) ImGui::TextWrapped("%s", steps.why.c_str());
}

}  // namespace

void draw_compare(Viewer& viewer) {
  constexpr std::size_t kMaxShown = 300;
  if (!viewer.comparison) return;
  const analyzer::TraceDiff& diff = viewer.comparison->diff;
  draw_step_change(diff);
  for (const std::string& caveat : diff.caveats) ImGui::TextWrapped("%s", caveat.c_str());
  ImGui::Spacing();
  ImGui::TextDisabled("Time of kernels %s and GPU", diff.per_step ? "per step" : "in the window");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("kernels", 4, kFlags)) return;
  ImGui::TableSetupColumn("kernel", ImGuiTableColumnFlags_WidthStretch);
  for (const char* column : {"above", "below", "change"})
    ImGui::TableSetupColumn(column, ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableHeadersRow();
  for (std::size_t k = 0; k < std::min(diff.kernels.size(), kMaxShown); ++k) draw_kernel(viewer, diff.kernels[k]);
  ImGui::EndTable();
  if (diff.kernels.size() > kMaxShown) ImGui::TextDisabled("and %zu more", diff.kernels.size() - kMaxShown);
}

}  // namespace gputrace::gui::panels
