// What the window remembers between runs: its place, size, theme, scale and the files opened last. A text file of
// "key value" lines in $XDG_CONFIG_HOME/gputrace (else ~/.config/gputrace); a missing or odd file means the
// defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/result.h"

namespace gputrace::gui {

struct Settings {
  int width = 1600, height = 900;  // pixels
  std::optional<int> x = {}, y = {};  // of the window on the desktop; not set: where the desktop puts it
  bool maximized = false;
  bool dark = true;
  float scale = 1;                  // 1 to 2
  std::vector<std::string> recent;  // the last first, at most kMaxRecent
};
inline constexpr std::size_t kMaxRecent = 12;

Settings load_settings();
Result<void> save_settings(const Settings& settings);
void remember_file(Settings& settings, const std::string& file);

}  // namespace gputrace::gui
