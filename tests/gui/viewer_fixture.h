// A viewer on a canvas, driven as a user would: one frame per action.
#pragma once

#include "gui/canvas.h"
#include "gui/viewer.h"
#include "gui/viewer_draw.h"

namespace gputrace::gui {

class DrivenViewer {
 public:
  explicit DrivenViewer(trace::Trace trace)
      : session{std::move(trace)}, canvas{CanvasOptions{}}, viewer{session, canvas.look()} {
    frame();
    frame();
  }

  void frame() {
    canvas.frame([this] { draw_viewer(viewer); });
  }
  void move_to(float x, float y) {
    canvas.mouse_to(x, y);
    frame();
  }
  void click(float x, float y) {
    move_to(x, y);
    canvas.button(0, true);
    frame();
    canvas.button(0, false);
    frame();
    frame();
  }
  void drag(float x0, float y0, float x1, float y1) {
    move_to(x0, y0);
    canvas.button(0, true);
    frame();
    move_to(x1, y1);
    canvas.button(0, false);
    frame();
  }
  void press(int key) {
    canvas.key(key, true);
    frame();
    canvas.key(key, false);
    frame();
  }

  // The screen: labels to 210, timeline to 1200; the top bar 36, minimap 44, ruler 24, steps 18 where there
  // are steps.
  static constexpr float kLeft = 210, kRight = 1200, kTop = 36 + 44 + 24;
  float x_of(std::int64_t time_ns) const {
    return kLeft + static_cast<float>(viewer.view.x_of(time_ns, kRight - kLeft));
  }

  Session session;
  Canvas canvas;
  Viewer viewer;
};

}  // namespace gputrace::gui
