// gputrace-view FILE: the viewer's window (GLFW, OpenGL 3.2). Started by `gputrace view`.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "gui/image.h"
#include "gui/quantity_text.h"
#include "gui/app/app.h"
#include "gui/window/pinch_source.h"

namespace gputrace::gui {
namespace {

struct Arguments {
  std::vector<std::string> files;  // the second is shown below the first
  std::string names;
  std::string picture;  // write what the window shows there and leave; for the test of the window
  FirstView first;
  std::optional<bool> dark;
  std::optional<float> scale;
  std::optional<int> width, height;
};

std::optional<float> parse_scale(const std::string& text) {
  float scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error != std::errc{} || end != text.data() + text.size() || !(scale >= 1 && scale <= 2))
    return std::nullopt;
  return scale;
}

constexpr const char* kUsage =
    "usage: gputrace-view [FILE [FILE]] [--at TIME] [--span TIME] [--theme dark|light] [--scale 1..2] [--size WxH] "
    "[--finding N] [--names FILE] [--picture OUT.png]";

std::optional<Arguments> parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string option = values[i];
    if (option.rfind("--", 0) != 0) {
      arguments.files.push_back(option);
      continue;
    }
    if (++i == count) return std::nullopt;
    const std::string value = values[i];
    double number = 0;
    int width = 0, height = 0;
    if (option == "--at" && parse_duration(value, number))
      arguments.first.at_ns = number;
    else if (option == "--span" && parse_duration(value, number))
      arguments.first.span_ns = number;
    else if (option == "--theme" && (value == "dark" || value == "light"))
      arguments.dark = value == "dark";
    else if (option == "--scale" && parse_scale(value))
      arguments.scale = parse_scale(value);
    else if (option == "--size" && std::sscanf(value.c_str(), "%dx%d", &width, &height) == 2) {
      arguments.width = width;
      arguments.height = height;
    } else if (option == "--finding" && std::sscanf(value.c_str(), "%d", &width) == 1 && width > 0)
      arguments.first.finding = static_cast<std::size_t>(width - 1);
    else if (option == "--names")
      arguments.names = value;
    else if (option == "--picture")
      arguments.picture = value;
    else
      return std::nullopt;
  }
  if (arguments.files.size() > 2) return std::nullopt;
  return arguments;
}

// GLFW and the window; both end with it.
class Window {
 public:
  explicit Window(const Settings& settings) {
    glfwSetErrorCallback([](int, const char* text) { last_error() = text; });
    if (glfwInit() == GLFW_FALSE) return;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_MAXIMIZED, settings.maximized ? GLFW_TRUE : GLFW_FALSE);
    window_ = glfwCreateWindow(settings.width, settings.height, "gputrace", nullptr, nullptr);
    if (window_ == nullptr) return;
    if (settings.x && settings.y && !settings.maximized) glfwSetWindowPos(window_, *settings.x, *settings.y);
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
  }
  ~Window() {
    if (window_ != nullptr) glfwDestroyWindow(window_);
    glfwTerminate();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  GLFWwindow* get() const { return window_; }
  static std::string& last_error() {
    static std::string text;
    return text;
  }

 private:
  GLFWwindow* window_ = nullptr;
};

class ImGuiForWindow {
 public:
  explicit ImGuiForWindow(GLFWwindow* window) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 150");
  }
  ~ImGuiForWindow() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  ImGuiForWindow(const ImGuiForWindow&) = delete;
  ImGuiForWindow& operator=(const ImGuiForWindow&) = delete;
};

void draw_frame(GLFWwindow* window, App& app, const Look& look, bool ignore_mouse) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  if (ignore_mouse)
    ImGui::GetIO().MousePos = {-1e9F, -1e9F};  // a virtual display parks the pointer on the picture
  ImGui::NewFrame();
  app.draw();
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  glViewport(0, 0, width, height);
  const ImVec4 background = ImGui::ColorConvertU32ToFloat4(look.theme->background);
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

Image read_back(GLFWwindow* window) {
  Image image;
  glfwGetFramebufferSize(window, &image.width, &image.height);
  const std::size_t row = static_cast<std::size_t>(image.width) * 4;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(image.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  for (int y = image.height - 1; y >= 0; --y) {
    const auto from = upside_down.begin() + static_cast<std::ptrdiff_t>(row) * y;
    image.rgba.insert(image.rgba.end(), from, from + static_cast<std::ptrdiff_t>(row));
  }
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
  return image;
}

Result<void> write_picture(GLFWwindow* window, App& app, const Look& look, const std::string& path) {
  while (app.busy()) {
    glfwWaitEventsTimeout(0.02);
    draw_frame(window, app, look, true);
  }
  if (!app.problem().empty()) return fail(app.problem());
  for (int frame = 0; frame < 3; ++frame) draw_frame(window, app, look, true);
  const auto png = encode_png(read_back(window));
  if (!png) return tl::unexpected(png.error());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return fail(std::strerror(errno), path);
  const bool written = std::fwrite(png->data(), 1, png->size(), file) == png->size();
  if (std::fclose(file) != 0 || !written) return fail("cannot write the picture", path);
  return {};
}

// Whether there was a pinch to follow.
bool follow_pinches(PinchSource* pinches, App& app) {
  if (pinches == nullptr) return false;
  const std::vector<PinchStep> steps = pinches->take();
  for (const PinchStep& step : steps) app.pinch(step);
  return !steps.empty();
}

// Draws only when something happens, and a little longer, because ImGui settles over a few frames.
void run(GLFWwindow* window, App& app, const Look& look) {
  const auto pinches = watch_pinches(window, [] { glfwPostEmptyEvent(); });
  constexpr int kSettlingFrames = 4;
  constexpr double kBlinkSeconds = 0.5;      // a text cursor blinks
  constexpr double kProgressSeconds = 0.03;  // a bar moves on; not faster, because reading needs the cores
  int frames = kSettlingFrames;
  while (glfwWindowShouldClose(window) == GLFW_FALSE) {
    const bool was_busy = app.busy();
    if (frames > 0) {
      glfwPollEvents();
      --frames;
    } else {
      const double before = glfwGetTime(), longest = was_busy ? kProgressSeconds : ImGui::GetIO().WantTextInput ? kBlinkSeconds : 1e6;
      glfwWaitEventsTimeout(longest);
      if (glfwGetTime() - before < longest) frames = kSettlingFrames;
    }
    bool key_held = false;
    for (const char key : {'W', 'A', 'S', 'D'}) key_held = key_held || glfwGetKey(window, key) == GLFW_PRESS;
    if (follow_pinches(pinches.get(), app) || key_held) frames = kSettlingFrames;
    draw_frame(window, app, look, false);
    glfwSwapBuffers(window);
    if (was_busy && !app.busy()) frames = kSettlingFrames;
  }
}

void keep_place(GLFWwindow* window, Settings& settings) {
  settings.maximized = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) == GLFW_TRUE;
  if (settings.maximized) return;  // its place and size are then the screen's
  glfwGetWindowSize(window, &settings.width, &settings.height);
  int x = 0, y = 0;
  glfwGetWindowPos(window, &x, &y);
  settings.x = x;
  settings.y = y;
}

int report(const Error& error) {
  std::fprintf(stderr, "gputrace view: %s\n", error.line().c_str());
  return 1;
}

int main_with(const Arguments& arguments) {
  Settings settings = load_settings();
  settings.dark = arguments.dark.value_or(settings.dark);
  settings.scale = arguments.scale.value_or(settings.scale);
  settings.width = arguments.width.value_or(settings.width);
  settings.height = arguments.height.value_or(settings.height);
  const Window window{settings};
  if (window.get() == nullptr)
    return report({"cannot open a window: " + Window::last_error(), "",
                   "use 'gputrace view FILE --screenshot OUT.png', or 'gputrace report --format html'"});
  const ImGuiForWindow imgui{window.get()};
  Look look = make_look(settings.dark, settings.scale);
  App app{look, settings, arguments.names};
  app.start_at(arguments.first);
  if (!arguments.files.empty()) app.open(arguments.files[0]);
  if (arguments.files.size() > 1) app.open_below(arguments.files[1]);
  glfwSetWindowUserPointer(window.get(), &app);
  glfwSetDropCallback(window.get(), [](GLFWwindow* w, int count, const char** files) {
    App& dropped_on = *static_cast<App*>(glfwGetWindowUserPointer(w));
    if (count > 0) dropped_on.open(files[0]);
    if (count > 1) dropped_on.open_below(files[1]);
  });
  if (!arguments.picture.empty()) {
    const auto written = write_picture(window.get(), app, look, arguments.picture);
    return written ? 0 : report(written.error());
  }
  run(window.get(), app, look);
  keep_place(window.get(), app.settings());
  glfwHideWindow(window.get());  // an analysis that still runs holds the end up
  const auto saved = save_settings(app.settings());
  return saved ? 0 : report(saved.error());
}

}  // namespace
}  // namespace gputrace::gui

int main(int count, char** values) {
  const auto arguments = gputrace::gui::parse(count, values);
  if (!arguments) {
    std::fprintf(stderr, "%s\n", gputrace::gui::kUsage);
    return 2;
  }
  return gputrace::gui::main_with(*arguments);
}
