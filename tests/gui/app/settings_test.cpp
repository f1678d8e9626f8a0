#include "gui/app/settings.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/gui/temporary_folder.h"

namespace gputrace::gui {
namespace {

TEST_CASE("What the window was like is kept in the user's config folder") {
  const tests::TemporaryFolder folder;
  setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  Settings settings{.width = 1234, .height = 800, .x = -5, .y = 40, .maximized = true, .dark = false, .scale = 1.5F,
                    .recent = {}};
  remember_file(settings, "/traces/a b.sqlite");
  REQUIRE(save_settings(settings));
  const Settings read = load_settings();
  CHECK(read.width == 1234);
  CHECK(read.height == 800);
  CHECK(read.x == -5);
  CHECK(read.y == 40);
  CHECK(read.maximized);
  CHECK_FALSE(read.dark);
  CHECK(read.scale == 1.5F);
  CHECK(read.recent == std::vector<std::string>{"/traces/a b.sqlite"});
  unsetenv("XDG_CONFIG_HOME");
}

TEST_CASE("An odd file of settings means the defaults") {
  const tests::TemporaryFolder folder;
  setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  std::filesystem::create_directory(folder / "gputrace");
  std::ofstream{folder / "gputrace/view.conf"} << "width 1\nheight x\nscale 99\nx 1e9\n\xff\n";
  const Settings read = load_settings();
  CHECK(read.width == Settings{}.width);
  CHECK(read.height == Settings{}.height);
  CHECK(read.scale == 1);
  CHECK_FALSE(read.x);
  unsetenv("XDG_CONFIG_HOME");
}

TEST_CASE("A file opened again moves to the front, and the list stays short") {
  Settings settings;
  for (int i = 0; i < 20; ++i) remember_file(settings, std::to_string(i));
  remember_file(settings, "15");
  CHECK(settings.recent.size() == kMaxRecent);
  CHECK(settings.recent[0] == "15");
  CHECK(settings.recent[1] == "19");
}

}  // namespace
}  // namespace gputrace::gui
