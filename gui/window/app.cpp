#include "gui/window/app.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "gui/viewer_draw.h"

namespace gputrace::gui {
namespace {

// A window without decoration in the middle of the screen.
void begin_page(const Look& look, const char* id) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(look.px(640), size.x), 0});
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
}

}  // namespace

void App::open(const std::string& file) {
  problem_.clear();
  choosing_ = false;
  loader_ = std::make_unique<Loader>(file);
}

void App::start_at(std::optional<double> at_ns, std::optional<double> span_ns) {
  at_ns_ = at_ns;
  span_ns_ = span_ns;
}

void App::take_loaded() {
  auto loaded = loader_->take();
  if (!loaded) return;
  const std::string file = loader_->file().string();
  loader_.reset();
  if (!*loaded) {
    problem_ = loaded->error().line();
    return;
  }
  viewer_.reset();
  session_ = std::move(**loaded);
  viewer_ = std::make_unique<Viewer>(*session_, look_);
  show_stretch(*viewer_, at_ns_, span_ns_);
  start_at(std::nullopt, std::nullopt);
  remember_file(settings_, file);
}

void App::draw() {
  if (loader_) take_loaded();
  ImGui::PushFont(look_.text);
  if (loader_)
    draw_loading();
  else if (viewer_ && problem_.empty() && !choosing_)
    draw_viewer(*viewer_);
  else
    draw_start_page();
  ImGui::PopFont();
  if (ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed('O', false)) choosing_ = !choosing_;
  settings_.dark = look_.theme->dark;
}

void App::draw_loading() {
  begin_page(look_, "loading");
  ImGui::TextWrapped("%s", loader_->file().c_str());
  ImGui::ProgressBar(loader_->share_done(), {-1, 0}, loader_->stage());
  if (ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false))
    loader_->cancel();
  ImGui::End();
}

void App::draw_start_page() {
  begin_page(look_, "start");
  if (!problem_.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, look_.theme->critical);
    ImGui::TextWrapped("%s", problem_.c_str());
    ImGui::PopStyleColor();
  }
  if (viewer_ && ImGui::Button("Back to the trace")) {
    problem_.clear();
    choosing_ = false;
  }
  ImGui::TextUnformatted("Open a trace: drop a file here, type its path, or choose one.");
  ImGui::SetNextItemWidth(-1);
  const bool enter = ImGui::InputTextWithHint("##path", "path of a trace", &path_to_open_,
                                              ImGuiInputTextFlags_EnterReturnsTrue);
  std::string chosen = enter ? path_to_open_ : "";
  for (const std::string& file : settings_.recent)
    if (ImGui::Selectable(file.c_str())) chosen = file;
  ImGui::End();
  if (!chosen.empty()) open(chosen);
}

}  // namespace gputrace::gui
