#include "gui/app/app.h"

#include <imgui.h>

#include <algorithm>
#include <map>

#include "gui/keys.h"
#include "gui/viewer_draw.h"

namespace gputrace::gui {
namespace {

std::filesystem::path folder_to_begin_in(const Settings& settings) {
  return settings.recent.empty() ? std::filesystem::path{"."}
                                 : std::filesystem::path{settings.recent.front()}.parent_path();
}

// Labels from the lane up to its root: what a lane is called in another reading of the same trace.
std::string path_of(const Timeline& timeline, std::size_t lane) {
  std::string path;
  for (int l = static_cast<int>(lane); l >= 0; l = timeline.lanes[static_cast<std::size_t>(l)].parent)
    path.append(timeline.lanes[static_cast<std::size_t>(l)].label).append("\n");
  return path;
}

// The whole trace takes the place of the first look: what the user has done stays.
void carry_over(const Viewer& from, Viewer& to) {
  if (!(from.view == View::whole(from.session.timeline.span))) to.view.show(from.view.span(), 0);
  to.lane_filter = from.lane_filter;
  to.scroll_px = from.scroll_px;
  to.show_help = from.show_help;
  std::map<std::string, LaneState> states;
  for (std::size_t l = 0; l < from.lanes.size(); ++l) states[path_of(from.session.timeline, l)] = from.lanes[l];
  for (std::size_t l = 0; l < to.lanes.size(); ++l)
    if (const auto state = states.find(path_of(to.session.timeline, l)); state != states.end())
      to.lanes[l] = state->second;
}

}  // namespace

bool App::Opened::is_loading() const {
  return (loader && !loader->has_ended()) || (below_loader && !below_loader->has_ended());
}

App::App(Look& look, Settings settings, std::filesystem::path names)
    : look_{look}, settings_{std::move(settings)}, names_{std::move(names)}, dialog_{folder_to_begin_in(settings_)} {}

bool App::busy() const {
  return next_ || (current_ && (current_->loader || current_->below_loader)) || !retired_.empty();
}

void App::retire(std::unique_ptr<Opened> opened) {
  if (!opened) return;
  if (opened->loader) opened->loader->cancel();
  if (opened->below_loader) opened->below_loader->cancel();
  opened->viewer.reset();
  if (opened->is_loading()) retired_.push_back(std::move(opened));
}

void App::open(const std::string& file) {
  problem_.clear();
  choosing_ = choosing_below_ = false;
  retire(std::move(next_));
  next_ = std::make_unique<Opened>();
  next_->loader = std::make_unique<Loader>(file, names_);
}

void App::open_below(const std::string& file) {
  problem_.clear();
  choosing_ = choosing_below_ = false;
  below_file_ = file;
}

void App::show(std::unique_ptr<Session> session) {
  if (next_) {
    retire(std::move(current_));
    current_ = std::move(next_);
  }
  auto viewer = std::make_unique<Viewer>(*session, look_);
  if (current_->viewer)
    carry_over(*current_->viewer, *viewer);
  else
    show_stretch(*viewer, first_view_.at_ns, first_view_.span_ns);
  current_->viewer = std::move(viewer);  // before the session that the old one refers to goes
  current_->session = std::move(session);
}

void App::poll_first_look() {
  Loader* loader = next_ ? next_->loader.get() : nullptr;
  if (loader == nullptr) return;
  if (auto look = loader->take_first_look()) show(std::move(look));
}

void App::poll_session() {
  Opened* loading = next_ ? next_.get() : current_.get();
  if (loading == nullptr || !loading->loader) return;
  if (auto session = loading->loader->take_session()) {
    const std::string file = loading->loader->file().string();
    if (!*session) {
      problem_ = session->error().line();
      retire(std::move(loading == next_.get() ? next_ : current_));  // a first look alone is not kept
      return;
    }
    show(std::move(**session));
    remember_file(settings_, file);
  }
  if (!current_ || !current_->loader) return;
  if (auto findings = current_->loader->take_findings()) {
    current_->session->take(std::move(findings->analysis));
    current_->viewer->side_panel_requested = true;
    if (first_view_.finding) show_finding(*current_->viewer, *first_view_.finding, 0);
    first_view_ = {};
  }
  if (current_->loader->has_ended()) current_->loader.reset();
}

void App::poll_below() {
  if (!current_ || !current_->session || !current_->session->is_analysed) return;
  if (!below_file_.empty()) {
    current_->viewer->comparison.reset();
    current_->below_loader = std::make_unique<Loader>(below_file_, names_, current_->session.get());
    below_file_.clear();
  }
  if (!current_->below_loader) return;
  auto session = current_->below_loader->take_session();
  if (!session) return;
  if (!*session) {
    problem_ = session->error().line();
  } else if (auto findings = current_->below_loader->take_findings()) {
    remember_file(settings_, current_->below_loader->file().string());
    current_->below = std::move(**session);
    current_->below->take(std::move(findings->analysis));
    current_->viewer->comparison =
        std::make_unique<Comparison>(*current_->viewer, *current_->below, std::move(*findings->diff));
    current_->viewer->side_panel = SidePanel::compare;
    current_->viewer->side_panel_requested = true;
  }
  current_->below_loader.reset();
}

void App::poll() {
  poll_first_look();
  poll_session();
  poll_below();
  retired_.erase(std::remove_if(retired_.begin(), retired_.end(), [](const auto& o) { return !o->is_loading(); }),
                 retired_.end());
}

void App::draw() {
  poll();
  ImGui::PushFont(look_.text);
  draw_page();
  ImGui::PopFont();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && ImGui::IsKeyPressed('O', false)) {
    choosing_below_ = io.KeyShift && trace_shown();
    choosing_ = !choosing_;
  }
  if (choosing_ && ImGui::IsKeyPressed(keys::kEscape, false)) choosing_ = false;
  settings_.dark = look_.theme->dark;
}

void App::draw_page() {
  if (next_) return draw_progress(*next_->loader, false);
  if (!draws_trace()) return draw_open_page();
  draw_viewer(*current_->viewer);
  if (current_->below_loader)
    draw_progress(*current_->below_loader, true);
  else if (current_->loader)
    draw_progress(*current_->loader, true);
}

void App::pinch(const PinchStep& step) {
  if (!draws_trace()) return;
  Viewer& viewer = *current_->viewer;
  viewer.pinch.follow(step, viewer.timeline_left_px, viewer.timeline_right_px, viewer.view);
}

// In the middle of the window, or small in a corner where a trace is shown already.
void App::draw_progress(Loader& loader, bool over_trace) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float width = std::min(look_.px(over_trace ? 330 : 640), size.x);
  if (over_trace)
    ImGui::SetNextWindowPos({look_.px(12), size.y - look_.px(36)}, ImGuiCond_Always, {0, 1});
  else
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, over_trace ? 1.0F : 0.0F);
  ImGui::Begin("loading", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  if (!over_trace) ImGui::TextWrapped("%s", loader.file().c_str());
  ImGui::ProgressBar(loader.share_done(), {over_trace ? width - look_.px(90) : -1, 0}, loader.stage());
  if (over_trace) ImGui::SameLine();
  const bool escape = !over_trace && ImGui::IsKeyPressed(keys::kEscape, false);
  if (ImGui::Button("Cancel") || escape) loader.cancel();
  ImGui::End();
  ImGui::PopStyleVar();
}

void App::draw_open_page() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(look_.px(700), size.x), 0});
  ImGui::Begin("open", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  if (!problem_.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, look_.theme->critical);
    ImGui::TextWrapped("%s", problem_.c_str());
    ImGui::PopStyleColor();
  }
  if (trace_shown() && ImGui::Button("Back to the trace")) {
    problem_.clear();
    choosing_ = choosing_below_ = false;
  }
  ImGui::PushFont(look_.strong);
  ImGui::TextUnformatted(choosing_below_ ? "Open a second trace below" : "Open a trace");
  ImGui::PopFont();
  ImGui::TextDisabled("Drop a file here, type its path, or choose one.");
  const auto chosen = dialog_.draw(look_, settings_.recent);
  ImGui::End();
  if (chosen) choosing_below_ ? open_below(*chosen) : open(*chosen);
}

}  // namespace gputrace::gui
