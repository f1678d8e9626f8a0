#include "gui/pinch.h"

#include <cmath>

namespace gputrace::gui {

void Pinch::follow(const PinchStep& step, float left_px, float right_px, View& view) {
  using Phase = PinchStep::Phase;
  if (step.phase == Phase::begin) {
    begun_.reset();
    if (step.x_px >= left_px && step.x_px < right_px)
      begun_ = {view, static_cast<double>((step.x_px - left_px) / (right_px - left_px))};
    return;
  }
  if (!begun_) return;
  if (step.phase == Phase::cancel) {
    view = begun_->view;
  } else if (std::isfinite(step.scale) && step.scale > 0) {
    view = begun_->view;
    view.zoom(1 / step.scale, begun_->x_share);
  }
  if (step.phase != Phase::update) begun_.reset();
}

}  // namespace gputrace::gui
