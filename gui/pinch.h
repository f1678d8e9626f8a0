// A pinch on a touchpad: fingers that move apart zoom in about the pointer. Pure; who delivers the steps is the window's affair.
#pragma once

#include <cstdint>
#include <optional>

#include "gui/view.h"

namespace gputrace::gui {

struct PinchStep {
  enum class Phase : std::uint8_t { begin, update, end, cancel };
  Phase phase{};
  double scale = 1;  // the distance of the fingers over that at the begin
  float x_px = 0;    // of the pointer, from the left edge of the window
};

class Pinch {
 public:
  // Zooms the view, which is drawn from left_px to right_px. The scale counts from the view at the begin, so that fingers which
  // come back bring the view back, and a cancelled pinch leaves it as it was. What began outside the timeline does nothing, nor
  // does a scale that is not a positive number.
  void follow(const PinchStep& step, float left_px, float right_px, View& view);

 private:
  struct Begun {
    View view;
    double x_share = 0;
  };
  std::optional<Begun> begun_;
};

}  // namespace gputrace::gui
