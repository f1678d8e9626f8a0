// For builds without X11 and libXi.
#include "gui/window/pinch_source.h"

namespace gputrace::gui {

std::unique_ptr<PinchSource> watch_pinches(GLFWwindow*, std::function<void()>) { return nullptr; }

}  // namespace gputrace::gui
