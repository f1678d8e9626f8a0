// What the user sees and has done: everything that changes while the viewer runs. The functions here are what
// keys, mouse and panels do; they need no window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/event_text.h"
#include "gui/lane_layout.h"
#include "gui/look.h"
#include "gui/marks.h"
#include "gui/name_search.h"
#include "gui/pinch.h"
#include "gui/session.h"
#include "gui/statistics.h"
#include "gui/view.h"

namespace gputrace::gui {

struct Selected {
  EventPlace place;
  EventRef event;               // not valid for a stretch of a GPU's summary
  std::vector<EventRef> links;  // its launch, or what it launched
  std::vector<EventPlace> link_places;  // those of the links that are drawn
  std::vector<Property> properties;
  std::string label, full_name, explanation, op_tree;
};

// The rows of all GPUs over the whole trace: what the minimap draws. Made anew only where its width changes.
struct Minimap {
  double width_px = 0;
  std::vector<std::vector<RowItem>> gpus;
};

enum class SidePanel { findings, details, search, statistics, marks, compare };

struct Comparison;  // comparison.h

struct Viewer {
  Viewer(const Session& opened, Look& drawn_with);
  ~Viewer();

  const Session& session;
  Look& look;
  View view;
  ViewHistory history;
  Pinch pinch;
  std::vector<LaneState> lanes;
  std::string lane_filter;
  float scroll_px = 0;
  float timeline_left_px = 0, timeline_right_px = 1;  // where the last frame drew the lanes
  std::optional<std::string> go_to_text;              // being typed
  std::optional<Mark> mark;                           // being written
  std::optional<Selected> selected;
  std::optional<trace::Span> measured;  // what the user drew with Shift
  std::optional<AreaTotals> totals;     // of `measured`
  std::optional<std::size_t> finding;   // whose evidence is highlighted
  std::size_t evidence = 0;
  NameSearch search;
  std::vector<EventRef> occurrences;        // of the search, a page in order of time
  std::vector<MatchCursor> pages;           // where the pages up to this one begin
  MatchCursor next_page{};                  // where the next begins
  std::vector<Mark> marks;                  // in order of time
  std::string message;                      // what went wrong, for the status bar
  std::unique_ptr<Comparison> comparison;   // with a second trace, shown below
  Viewer* leader = nullptr;                 // of the trace below: the viewer above, whose view it follows
  double ahead_ns = 0;                      // of the trace below: its offsets less those of the view above
  bool below_is_active = false;             // the last click was in the trace below
  std::optional<NameStatistics> statistics;
  SidePanel side_panel = SidePanel::findings;
  bool side_panel_requested = true;  // the tab is to be brought to the front
  bool show_help = false;
  bool focus_search = false;
  Minimap minimap;
  bool interactive = true;  // false in a picture: nothing that only a mouse could use
};

void select_event(Viewer& viewer, EventPlace place);
void select_event(Viewer& viewer, EventRef event);  // also brings it into view
void select_kernel_named(Viewer& viewer, const std::string& demangled);  // the first; nothing where there is none
void clear_selection(Viewer& viewer);
void go_to(Viewer& viewer, trace::Span span, double margin = 0.3);  // remembers where the view was
void show_whole_trace(Viewer& viewer);
// A stretch given in ns from the start of the trace. Without a start: about the middle; without a length: to
// the end.
void show_stretch(Viewer& viewer, std::optional<double> at_ns, std::optional<double> span_ns);
void fit_selection(Viewer& viewer);  // the selected event, else what is measured, else nothing
void select_neighbour(Viewer& viewer, int direction);  // +1: the next event of the row, -1: the one before
void show_finding(Viewer& viewer, std::size_t finding, std::size_t evidence);
void show_match(Viewer& viewer, int direction);  // the next or previous event that the search found
void measure(Viewer& viewer, trace::Span span);
void finish_measure(Viewer& viewer);  // adds what takes longer to sum than a frame may
void search_for(Viewer& viewer, const std::string& pattern);
void turn_page(Viewer& viewer, int direction);  // of the occurrences
void begin_mark(Viewer& viewer, std::int64_t time_ns);
void keep_mark(Viewer& viewer);  // the one being written, which may replace one at the same time
void remove_mark(Viewer& viewer, std::size_t mark);
View& steered_view(Viewer& viewer);    // what zooming and moving change: for a trace below, the view above
Viewer& active_viewer(Viewer& viewer);  // what keys and details are about: this one, or the trace below
void prepare_minimap(Viewer& viewer, double width_px);

}  // namespace gputrace::gui
