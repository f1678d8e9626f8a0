// The parts of a frame, one file each. A panel shows what the session and the viewer hold and computes
// nothing of its own.
#pragma once

#include "gui/viewer.h"

namespace gputrace::gui::panels {

void draw_top_bar(Viewer& viewer);
void draw_timeline(Viewer& viewer);
void draw_side_panel(Viewer& viewer);  // tabs: the next six
void draw_findings(Viewer& viewer);
void draw_details(Viewer& viewer);
void draw_search(Viewer& viewer);
void draw_statistics(Viewer& viewer);
void draw_marks(Viewer& viewer);
void draw_compare(Viewer& viewer);
void draw_status_bar(Viewer& viewer);
void draw_help(Viewer& viewer);
void draw_go_to(Viewer& viewer);
void draw_mark_note(Viewer& viewer);
void copy_details(const Viewer& viewer);  // to the clipboard
void handle_keys(Viewer& viewer);

}  // namespace gputrace::gui::panels
