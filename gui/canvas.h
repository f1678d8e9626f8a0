// An ImGui context without a window: draws frames into memory, and is driven by hand. Screenshots and tests
// use it.
#pragma once

#include <functional>

#include "gui/image.h"
#include "gui/look.h"

struct ImGuiContext;

namespace gputrace::gui {

struct CanvasOptions {
  int width = 1600, height = 900;  // pixels
  bool dark = true;
  float scale = 1;
};

class Canvas {
 public:
  explicit Canvas(const CanvasOptions& options);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  Look& look() { return look_; }

  void frame(const std::function<void()>& draw);
  Image picture(const std::function<void()>& draw);  // draws a frame and what ImGui asked for in it
  std::size_t vertex_count() const;                  // of the last frame

  // Input for the frames that follow. Keys are GLFW's codes.
  void mouse_to(float x, float y);
  void mouse_away();
  void button(int button, bool down);
  void wheel(float notches);  // for one frame
  void key(int code, bool down);
  void type(const char* text);
  void modifiers(bool shift, bool control);

 private:
  ImGuiContext* context_;
  Look look_;
};

// Tells the current context which key codes mean what: those of GLFW.
void map_keys();

}  // namespace gputrace::gui
