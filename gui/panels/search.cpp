#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "gui/event_text.h"
#include "gui/panels/panels.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

void draw_match(Viewer& viewer, const NameMatch& match) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(match.name.value) * 16 + static_cast<int>(match.table));
  if (ImGui::Selectable(match.label.c_str(), false, ImGuiSelectableFlags_SpanAllColumns)) {
    NameSearch only = viewer.search;
    only.matches = {match};
    const EventRef first = next_match(viewer.session, only, viewer.view.span().start_ns, +1);
    const EventRef found = first.valid() ? first : next_match(viewer.session, only, INT64_MAX, -1);
    select_event(viewer, found);
    viewer.statistics = name_statistics(viewer.session, found);
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%.*s", 1000, viewer.session.trace.text(match.name).data());
  ImGui::PopID();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(count_text(match.count).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(duration_text(match.total_ns).c_str());
}

void draw_occurrence(Viewer& viewer, EventRef event) {
  const trace::Span span = event_span(viewer.session.trace, event);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(event.packed));
  const std::string at = time_text(offset_ns(viewer.session.timeline.span.start_ns, span.start_ns), 1e3);
  const bool selected = viewer.selected && viewer.selected->event == event;
  if (ImGui::Selectable(at.c_str(), selected, ImGuiSelectableFlags_SpanAllColumns)) {
    select_event(viewer, event);
    viewer.side_panel = SidePanel::search;
  }
  ImGui::PopID();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(duration_text(distance_ns(span.start_ns, span.end_ns)).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(event_label(viewer.session, event).c_str());
}

// The events themselves, a page in order of time.
void draw_occurrences(Viewer& viewer) {
  ImGui::Spacing();
  ImGui::TextDisabled("In order of time");
  ImGui::SameLine();
  if (ImGui::SmallButton("Earlier")) turn_page(viewer, -1);
  ImGui::SameLine();
  if (ImGui::SmallButton("Later")) turn_page(viewer, +1);
  if (!ImGui::BeginTable("occurrences", 3, ImGuiTableFlags_RowBg)) return;
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("duration", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  const std::vector<EventRef> page = viewer.occurrences;  // a click may change it
  for (const EventRef event : page) draw_occurrence(viewer, event);
  ImGui::EndTable();
}

}  // namespace

void draw_search(Viewer& viewer) {
  constexpr std::size_t kMaxShown = 60;
  if (std::exchange(viewer.focus_search, false)) ImGui::SetKeyboardFocusHere();
  std::string pattern = viewer.search.pattern;
  ImGui::SetNextItemWidth(-1);
  const bool enter = ImGui::InputTextWithHint("##pattern", "regular expression, in explained and raw names",
                                              &pattern, ImGuiInputTextFlags_EnterReturnsTrue);
  if (pattern != viewer.search.pattern) search_for(viewer, pattern);
  if (enter) show_match(viewer, +1);
  if (!viewer.search.problem.empty()) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(viewer.look.theme->warning), "%s",
                       viewer.search.problem.c_str());
    return;
  }
  if (viewer.search.pattern.empty()) return ImGui::TextDisabled("N: next match, Shift+N: the one before");
  ImGui::TextDisabled("%s events of %zu names", count_text(viewer.search.events).c_str(),
                      viewer.search.matches.size());
  if (ImGui::Button("Previous")) show_match(viewer, -1);
  ImGui::SameLine();
  if (ImGui::Button("Next  N")) show_match(viewer, +1);
  if (!ImGui::BeginTable("matches", 3, ImGuiTableFlags_RowBg)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("count", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("total", ImGuiTableColumnFlags_WidthFixed);
  const auto& matches = viewer.search.matches;
  for (std::size_t m = 0; m < std::min(matches.size(), kMaxShown); ++m) draw_match(viewer, matches[m]);
  ImGui::EndTable();
  if (matches.size() > kMaxShown) ImGui::TextDisabled("and %zu more names", matches.size() - kMaxShown);
  draw_occurrences(viewer);
}

}  // namespace gputrace::gui::panels
