// The key codes the viewer asks for: GLFW's, which for letters and digits are ASCII.
#pragma once

namespace gputrace::gui::keys {

inline constexpr int kSpace = 32, kEscape = 256, kEnter = 257, kTab = 258, kBackspace = 259, kInsert = 260,
                     kDelete = 261, kRight = 262, kLeft = 263, kDown = 264, kUp = 265, kPageUp = 266,
                     kPageDown = 267, kHome = 268, kEnd = 269, kF11 = 300;

}  // namespace gputrace::gui::keys
