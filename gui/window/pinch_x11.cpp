// Touchpad gestures of XInput 2.4. They come on a connection of their own, because GLFW reads all events of its connection and drops
// those that it does not know; and on a thread of their own, because GLFW sleeps on its connection alone.
#include <GLFW/glfw3.h>
#include <X11/Xlib.h>
#include <X11/extensions/XInput2.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "gui/window/pinch_source.h"

// As in glfw3native.h, which would need the headers of Xrandr besides.
extern "C" {
Display* glfwGetX11Display();
Window glfwGetX11Window(GLFWwindow* window);
}

namespace gputrace::gui {
namespace {

struct CloseDisplay {
  void operator()(Display* display) const { XCloseDisplay(display); }
};
using Connection = std::unique_ptr<Display, CloseDisplay>;

std::optional<int> opcode_of_gestures(Display* display) {
  int opcode = 0, first_event = 0, first_error = 0;
  if (XQueryExtension(display, "XInputExtension", &opcode, &first_event, &first_error) == False) return std::nullopt;
  int major = 2, minor = 4;
  if (XIQueryVersion(display, &major, &minor) != Success) return std::nullopt;
  return std::pair{major, minor} >= std::pair{2, 4} ? std::optional{opcode} : std::nullopt;
}

// Xlib ends the process on an error unless someone takes it, and the handler is one for the process: nothing else may talk to X
// meanwhile.
bool select_pinches(Display* display, Window window) {
  static bool refused;
  refused = false;
  std::array<unsigned char, XIMaskLen(XI_LASTEVENT)> bits{};
  for (const int event : {XI_GesturePinchBegin, XI_GesturePinchUpdate, XI_GesturePinchEnd}) XISetMask(bits.data(), event);
  XIEventMask mask{.deviceid = XIAllMasterDevices, .mask_len = static_cast<int>(bits.size()), .mask = bits.data()};
  XErrorHandler before = XSetErrorHandler([](Display*, XErrorEvent*) {
    refused = true;
    return 0;
  });
  const bool sent = XISelectEvents(display, window, &mask, 1) == Success;
  XSync(display, False);
  XSetErrorHandler(before);
  return sent && !refused;
}

std::optional<PinchStep> step_of(const XIGesturePinchEvent& event) {
  using Phase = PinchStep::Phase;
  PinchStep step{.scale = event.scale, .x_px = static_cast<float>(event.event_x)};
  if (event.evtype == XI_GesturePinchBegin)
    step.phase = Phase::begin;
  else if (event.evtype == XI_GesturePinchUpdate)
    step.phase = Phase::update;
  else if (event.evtype == XI_GesturePinchEnd)
    step.phase = (event.flags & XIGesturePinchEventCancelled) != 0 ? Phase::cancel : Phase::end;
  else
    return std::nullopt;
  return step;
}

class X11Pinches : public PinchSource {
 public:
  X11Pinches(Connection connection, int opcode, std::function<void()> wake)
      : connection_{std::move(connection)}, opcode_{opcode}, wake_{std::move(wake)} {
    if (pipe(stop_.data()) == 0) thread_ = std::thread{[this] { listen(); }};
  }
  ~X11Pinches() override {
    if (!thread_.joinable()) return;
    close(stop_[1]);  // wakes the thread
    thread_.join();
    close(stop_[0]);
  }

  std::vector<PinchStep> take() override {
    const std::lock_guard held{lock_};
    return std::exchange(steps_, {});
  }

 private:
  // Until it is stopped, or the server is gone.
  void listen() {
    std::array<pollfd, 2> sources{{{.fd = ConnectionNumber(connection_.get()), .events = POLLIN, .revents = 0},
                                   {.fd = stop_[0], .events = POLLIN, .revents = 0}}};
    for (;;) {
      while (XPending(connection_.get()) > 0) read_event();
      if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return;
      if (sources[1].revents != 0 || (sources[0].revents & ~POLLIN) != 0) return;
    }
  }

  void read_event() {
    XEvent event;
    XNextEvent(connection_.get(), &event);
    XGenericEventCookie& cookie = event.xcookie;
    if (event.type != GenericEvent || cookie.extension != opcode_ || XGetEventData(connection_.get(), &cookie) == False) return;
    std::optional<PinchStep> step;
    if (cookie.evtype >= XI_GesturePinchBegin && cookie.evtype <= XI_GesturePinchEnd)
      step = step_of(*static_cast<const XIGesturePinchEvent*>(cookie.data));
    XFreeEventData(connection_.get(), &cookie);
    if (!step) return;
    {
      const std::lock_guard held{lock_};
      steps_.push_back(*step);
    }
    wake_();
  }

  Connection connection_;  // the thread's alone, once that runs
  int opcode_;
  std::function<void()> wake_;
  std::array<int, 2> stop_{};  // a pipe; its end stops the thread
  std::mutex lock_;            // of steps_
  std::vector<PinchStep> steps_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<PinchSource> watch_pinches(GLFWwindow* window, std::function<void()> wake) {
  Connection connection{XOpenDisplay(DisplayString(glfwGetX11Display()))};
  if (!connection) return nullptr;
  const auto opcode = opcode_of_gestures(connection.get());
  if (!opcode || !select_pinches(connection.get(), glfwGetX11Window(window))) return nullptr;
  return std::make_unique<X11Pinches>(std::move(connection), *opcode, std::move(wake));
}

}  // namespace gputrace::gui
