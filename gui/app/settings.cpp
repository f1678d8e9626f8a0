#include "gui/app/settings.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace gputrace::gui {
namespace {

namespace fs = std::filesystem;

fs::path settings_file() {
  const auto folder = [](const char* name) { return std::getenv(name) == nullptr ? "" : std::getenv(name); };
  if (const std::string config = folder("XDG_CONFIG_HOME"); !config.empty())
    return fs::path{config} / "gputrace" / "view.conf";
  if (const std::string home = folder("HOME"); !home.empty())
    return fs::path{home} / ".config" / "gputrace" / "view.conf";
  return {};
}

template <class Number>
void read_number(const std::string& text, Number low, Number high, Number& value) {
  Number read{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  const bool whole = end == text.data() + text.size();
  if (error == std::errc{} && whole && read >= low && read <= high) value = read;
}

void read_place(const std::string& text, std::optional<int>& place) {
  constexpr int kFarthest = 32'000;
  int value = INT_MIN;
  read_number(text, -kFarthest, kFarthest, value);
  if (value != INT_MIN) place = value;
}

}  // namespace

Settings load_settings() {
  Settings settings;
  std::ifstream in{settings_file()};
  for (std::string key, value; in >> key && std::getline(in >> std::ws, value);) {
    if (key == "width") read_number(value, 400, 16384, settings.width);
    if (key == "height") read_number(value, 300, 16384, settings.height);
    if (key == "x") read_place(value, settings.x);
    if (key == "y") read_place(value, settings.y);
    if (key == "maximized") settings.maximized = value == "yes";
    if (key == "scale") read_number(value, 1.0F, 2.0F, settings.scale);
    if (key == "theme") settings.dark = value != "light";
    if (key == "recent" && settings.recent.size() < kMaxRecent) settings.recent.push_back(value);
  }
  return settings;
}

Result<void> save_settings(const Settings& settings) {
  const fs::path file = settings_file();
  if (file.empty()) return {};  // no home: nothing is remembered
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out{file, std::ios::trunc};
  out << "width " << settings.width << "\nheight " << settings.height << "\nscale " << settings.scale
      << "\ntheme " << (settings.dark ? "dark" : "light") << "\nmaximized "
      << (settings.maximized ? "yes" : "no") << '\n';
  if (settings.x && settings.y) out << "x " << *settings.x << "\ny " << *settings.y << '\n';
  for (const std::string& recent : settings.recent) out << "recent " << recent << '\n';
  out.close();
  if (!out)
    return fail("cannot keep the window's settings", file.string(), "check that the folder can be written");
  return {};
}

void remember_file(Settings& settings, const std::string& file) {
  auto& recent = settings.recent;
  recent.erase(std::remove(recent.begin(), recent.end(), file), recent.end());
  recent.insert(recent.begin(), file);
  if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
}

}  // namespace gputrace::gui
