#include "gui/screenshot.h"

#include "gui/comparison.h"
#include "gui/viewer_draw.h"

namespace gputrace::gui {

Image screenshot(const Session& session, const ScreenshotOptions& options) {
  Canvas canvas{options.canvas};
  Viewer viewer{session, canvas.look()};
  viewer.interactive = false;
  viewer.lane_filter = options.lane_filter;
  if (options.below != nullptr) {
    viewer.comparison = std::make_unique<Comparison>(
        viewer, *options.below, analyzer::diff_traces(session.trace, options.below->trace, session.name_rules));
    viewer.side_panel = SidePanel::compare;
  }
  if (options.finding) show_finding(viewer, *options.finding, 0);
  show_stretch(viewer, options.at_ns, options.span_ns);
  const auto draw = [&] { draw_viewer(viewer); };
  canvas.frame(draw);  // ImGui knows the sizes of what it lays out after a frame or two
  canvas.frame(draw);
  return canvas.picture(draw);
}

}  // namespace gputrace::gui
