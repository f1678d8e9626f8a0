// Pinches on a touchpad, which GLFW does not deliver: taken from the window system itself, where that has them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gui/pinch.h"

struct GLFWwindow;

namespace gputrace::gui {

class PinchSource {
 public:
  virtual ~PinchSource() = default;
  virtual std::vector<PinchStep> take() = 0;  // what came since the last call, in order
};

// Null where there are none to be had: an X server without XInput 2.4 (xorg-server has it from 21.1 on), a window that another
// client has taken them of, no X11. wake: called on a thread of the source's own when there is something to take. The source must
// end before the window does.
std::unique_ptr<PinchSource> watch_pinches(GLFWwindow* window, std::function<void()> wake);

}  // namespace gputrace::gui
