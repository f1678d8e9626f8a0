// Asks the display for the pinches of a window, then once more as another client would, and says whether the answers are what the
// server's XInput allows: from 2.4 on the first gets them and the second does not; before that neither does. Takes them up again
// after the first has let go. Never sees a pinch: no virtual display can make one.
#include <GLFW/glfw3.h>
#include <X11/Xlib.h>
#include <X11/extensions/XInput2.h>

#include <cstdio>
#include <utility>

#include "gui/window/pinch_source.h"

namespace {

bool server_has_gestures() {
  Display* display = XOpenDisplay(nullptr);
  if (display == nullptr) return false;
  int opcode = 0, event = 0, error = 0, major = 2, minor = 4;
  const bool has = XQueryExtension(display, "XInputExtension", &opcode, &event, &error) == True &&
                   XIQueryVersion(display, &major, &minor) == Success && std::pair{major, minor} >= std::pair{2, 4};
  XCloseDisplay(display);
  return has;
}

}  // namespace

int main() {
  if (glfwInit() == GLFW_FALSE) return 2;
  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  GLFWwindow* window = glfwCreateWindow(300, 200, "pinch", nullptr, nullptr);
  if (window == nullptr) return 2;
  const bool expected = server_has_gestures();
  auto first = gputrace::gui::watch_pinches(window, [] {});
  const auto second = gputrace::gui::watch_pinches(window, [] {});
  const bool untouched = first == nullptr || first->take().empty();
  const bool right = (first != nullptr) == expected && second == nullptr && untouched;
  first.reset();
  const bool again = (gputrace::gui::watch_pinches(window, [] {}) != nullptr) == expected;
  std::puts(right && again ? "as the server says" : "not as the server says");
  glfwDestroyWindow(window);
  glfwTerminate();
  return right && again ? 0 : 1;
}
