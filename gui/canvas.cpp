#include "gui/canvas.h"

#include <imgui.h>

#include <cfloat>

#include "gui/keys.h"
#include "gui/rasterizer.h"

namespace gputrace::gui {
namespace {

constexpr float kFrameSeconds = 1.0F / 60;

}  // namespace

void map_keys() {
  ImGuiIO& io = ImGui::GetIO();
  const auto set = [&](ImGuiKey key, int code) { io.KeyMap[key] = code; };
  set(ImGuiKey_Tab, keys::kTab);
  set(ImGuiKey_LeftArrow, keys::kLeft);
  set(ImGuiKey_RightArrow, keys::kRight);
  set(ImGuiKey_UpArrow, keys::kUp);
  set(ImGuiKey_DownArrow, keys::kDown);
  set(ImGuiKey_PageUp, keys::kPageUp);
  set(ImGuiKey_PageDown, keys::kPageDown);
  set(ImGuiKey_Home, keys::kHome);
  set(ImGuiKey_End, keys::kEnd);
  set(ImGuiKey_Insert, keys::kInsert);
  set(ImGuiKey_Delete, keys::kDelete);
  set(ImGuiKey_Backspace, keys::kBackspace);
  set(ImGuiKey_Space, keys::kSpace);
  set(ImGuiKey_Enter, keys::kEnter);
  set(ImGuiKey_Escape, keys::kEscape);
  set(ImGuiKey_A, 'A');
  set(ImGuiKey_C, 'C');
  set(ImGuiKey_V, 'V');
  set(ImGuiKey_X, 'X');
  set(ImGuiKey_Y, 'Y');
  set(ImGuiKey_Z, 'Z');
}

Canvas::Canvas(const CanvasOptions& options) : context_{ImGui::CreateContext()} {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
  io.DeltaTime = kFrameSeconds;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  map_keys();
  look_ = make_look(options.dark, options.scale);
  mouse_away();
}

Canvas::~Canvas() { ImGui::DestroyContext(context_); }

void Canvas::frame(const std::function<void()>& draw) {
  ImGui::SetCurrentContext(context_);
  ImGui::NewFrame();
  draw();
  ImGui::Render();
  ImGui::GetIO().MouseWheel = 0;
}

Image Canvas::picture(const std::function<void()>& draw) {
  frame(draw);
  Atlas atlas;
  unsigned char* rgba = nullptr;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&rgba, &atlas.width, &atlas.height);
  atlas.rgba = rgba;
  return rasterize(*ImGui::GetDrawData(), atlas, look_.theme->background);
}

std::size_t Canvas::vertex_count() const {
  return static_cast<std::size_t>(ImGui::GetDrawData()->TotalVtxCount);
}

void Canvas::mouse_to(float x, float y) { ImGui::GetIO().MousePos = {x, y}; }
void Canvas::mouse_away() { ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX}; }
void Canvas::button(int button, bool down) { ImGui::GetIO().MouseDown[button] = down; }
void Canvas::wheel(float notches) { ImGui::GetIO().MouseWheel = notches; }
void Canvas::key(int code, bool down) { ImGui::GetIO().KeysDown[code] = down; }
void Canvas::type(const char* text) { ImGui::GetIO().AddInputCharactersUTF8(text); }

void Canvas::modifiers(bool shift, bool control) {
  ImGui::GetIO().KeyShift = shift;
  ImGui::GetIO().KeyCtrl = control;
}

}  // namespace gputrace::gui
