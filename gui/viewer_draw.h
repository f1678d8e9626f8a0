// Draws one frame of the viewer into the current ImGui context, and takes in what the user did since the
// last.
#pragma once

#include "gui/viewer.h"

namespace gputrace::gui {

void draw_viewer(Viewer& viewer);

}  // namespace gputrace::gui
