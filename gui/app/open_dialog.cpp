#include "gui/app/open_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <system_error>

#include "gui/quantity_text.h"

namespace gputrace::gui {

namespace fs = std::filesystem;

void OpenDialog::go_to(fs::path folder) {
  std::error_code error;
  if (const fs::path whole = fs::absolute(folder, error).lexically_normal(); !error) folder = whole;
  auto entries = list_folder(folder);
  problem_ = entries ? "" : entries.error().line();
  if (!entries) return;
  folder_ = std::move(folder);
  entries_ = std::move(*entries);
}

std::optional<std::string> OpenDialog::draw_folder(const Look& look) {
  std::optional<std::string> chosen;
  std::optional<fs::path> entered;
  ImGui::TextDisabled("%s", folder_.c_str());
  ImGui::BeginChild("folder", {0, look.px(280)}, true);
  if (folder_.has_parent_path() && folder_ != folder_.root_path() && ImGui::Selectable("..  (the folder above)"))
    entered = folder_.parent_path();
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const FolderEntry& entry = entries_[e];
    ImGui::PushID(static_cast<int>(e));
    if (ImGui::Selectable((entry.name + (entry.is_folder ? "/" : "")).c_str()))
      entry.is_folder ? void(entered = folder_ / entry.name) : void(chosen = (folder_ / entry.name).string());
    ImGui::PopID();
    if (entry.is_folder) continue;
    const std::string size = bytes_text(static_cast<std::int64_t>(entry.size_bytes));
    ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::CalcTextSize(size.c_str()).x - look.px(24));
    ImGui::TextDisabled("%s", size.c_str());
  }
  if (entries_.empty()) ImGui::TextDisabled("no folders and no traces here");
  ImGui::EndChild();
  if (entered) go_to(*entered);
  return chosen;
}

std::optional<std::string> OpenDialog::draw(const Look& look, const std::vector<std::string>& recent) {
  std::optional<std::string> chosen;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##path", "path of a trace or a folder, then Enter", &typed_,
                               ImGuiInputTextFlags_EnterReturnsTrue)) {
    std::error_code error;
    fs::is_directory(typed_, error) ? go_to(typed_) : void(chosen = typed_);
  }
  if (!problem_.empty())
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(look.theme->critical), "%s", problem_.c_str());
  if (!recent.empty()) ImGui::TextDisabled("Opened last");
  for (const std::string& file : recent)
    if (ImGui::Selectable(file.c_str())) chosen = file;
  if (const auto file = draw_folder(look)) chosen = file;
  return chosen;
}

}  // namespace gputrace::gui
