// What the window shows over time: a start page, a trace being opened, an error, a trace. Needs ImGui, no
// window.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gui/viewer.h"
#include "gui/window/loader.h"
#include "gui/window/settings.h"

namespace gputrace::gui {

class App {
 public:
  App(Look& look, Settings settings) : look_{look}, settings_{std::move(settings)} {}

  void open(const std::string& file);
  void start_at(std::optional<double> at_ns, std::optional<double> span_ns);  // of the first trace that opens
  void draw();
  bool busy() const { return loader_ != nullptr; }  // something moves without the user: draw on
  bool trace_shown() const { return viewer_ != nullptr; }
  const std::string& problem() const { return problem_; }
  Settings& settings() { return settings_; }

 private:
  void take_loaded();
  void draw_loading();
  void draw_start_page();

  Look& look_;
  Settings settings_;
  std::optional<double> at_ns_, span_ns_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Viewer> viewer_;  // refers to session_
  std::string problem_, path_to_open_;
  bool choosing_ = false;  // the start page over an open trace
};

}  // namespace gputrace::gui
