// A picture of the viewer without a display, drawn by the code that draws the window.
#pragma once

#include <optional>

#include "gui/canvas.h"
#include "gui/session.h"

namespace gputrace::gui {

struct ScreenshotOptions {
  CanvasOptions canvas = {};
  std::optional<double> at_ns = {};         // start of the shown stretch, from the start of the trace
  std::optional<double> span_ns = {};       // its length; without at_ns: about the middle of the trace
  std::optional<std::size_t> finding = {};  // shows the evidence of that finding; 0 is the first
  std::string lane_filter = {};
  const Session* below = nullptr;  // a second trace, to compare
};

Image screenshot(const Session& session, const ScreenshotOptions& options);

}  // namespace gputrace::gui
