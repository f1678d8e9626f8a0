// What the window shows: the open dialog, progress while a trace loads, the trace. Needs ImGui, no window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/loader.h"
#include "gui/app/open_dialog.h"
#include "gui/app/settings.h"
#include "gui/comparison.h"

namespace gputrace::gui {

struct FirstView {  // of the first trace that opens
  std::optional<double> at_ns = {}, span_ns = {};
  std::optional<std::size_t> finding = {};
};

class App {
 public:
  App(Look& look, Settings settings, std::filesystem::path names = {});

  void open(const std::string& file);
  void open_below(const std::string& file);  // a second trace, to compare; at once, or when the first is analysed
  void start_at(FirstView first) { first_view_ = first; }
  void draw();
  void pinch(const PinchStep& step);  // passed over while no trace is drawn
  bool busy() const;  // something moves without the user: draw on
  bool trace_shown() const { return current_ && current_->viewer; }
  Viewer* viewer() { return current_ ? current_->viewer.get() : nullptr; }
  const std::string& problem() const { return problem_; }
  Settings& settings() { return settings_; }

 private:
  struct Opened {  // in this order, so that threads end first and the sessions that they read last
    std::unique_ptr<Session> session, below;
    std::unique_ptr<Viewer> viewer;
    std::unique_ptr<Loader> loader, below_loader;
    bool is_loading() const;
  };

  void poll();
  void poll_first_look();
  void poll_session();
  void poll_below();
  void show(std::unique_ptr<Session> session);
  void retire(std::unique_ptr<Opened> opened);
  bool draws_trace() const { return !next_ && trace_shown() && !choosing_ && problem_.empty(); }
  void draw_page();
  void draw_progress(Loader& loader, bool over_trace);
  void draw_open_page();

  Look& look_;
  Settings settings_;
  std::filesystem::path names_;
  FirstView first_view_;
  std::string below_file_;  // to open when the first trace is analysed
  std::unique_ptr<Opened> current_, next_;         // next_: nothing of it to show yet
  std::vector<std::unique_ptr<Opened>> retired_;   // until their threads have ended
  OpenDialog dialog_;
  std::string problem_;
  bool choosing_ = false, choosing_below_ = false;  // the open page over a trace
};

}  // namespace gputrace::gui
