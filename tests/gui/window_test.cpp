// The real window, on a virtual display.
#include <stb_image.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "gui/screenshot.h"

namespace gputrace::gui {
namespace {

namespace fs = std::filesystem;

const fs::path kWindow = fs::path{GPUTRACE_BINARY_DIR} / "bin" / "gputrace-view";
const fs::path kTrace = fs::path{GPUTRACE_SOURCE_DIR} / "../shared/data/nsys/nsysai_h100_2gpu_1s.sqlite";

struct Folder {  // removed at the end
  fs::path path;
  Folder() {  // tests run side by side, each in a process of its own
    std::string name = (fs::temp_directory_path() / "gputrace-window-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

// Runs the command on a virtual display of its own and gives its exit status.
int on_virtual_display(const fs::path& folder, const std::string& command) {
  const std::string script = "cd '" + folder.string() + R"(' || exit 99
    mkfifo display
    Xvfb -displayfd 3 -screen 0 1700x1000x24 -nolisten tcp 3>display 2>/dev/null &
    server=$!
    read number <display || { wait $server; exit 98; }
    export DISPLAY=:$number XDG_CONFIG_HOME="$PWD/config"
    )" + command + R"(
    status=$?
    kill $server; wait $server 2>/dev/null
    exit $status)";
  std::ofstream{folder / "run.sh"} << script;
  const int status = std::system(("timeout 120 sh '" + (folder / "run.sh").string() + "'").c_str());
  return status < 0 ? status : status >> 8;
}

bool can_run() {
  std::error_code error;
  if (fs::exists(kWindow, error) && std::system("command -v Xvfb >/dev/null 2>&1") == 0) return true;
  std::cout << "skipped: no window in this build, or no Xvfb\n";
  return false;
}

TEST_CASE("The window shows what the picture without a display shows") {
  std::error_code error;
  if (!can_run()) return;
  if (!fs::exists(kTrace, error)) {
    std::cout << "skipped: no trace " << kTrace << '\n';
    return;
  }
  const Folder folder;
  const fs::path png = folder.path / "window.png";
  REQUIRE(on_virtual_display(folder.path, "'" + kWindow.string() + "' '" + kTrace.string() +
                                              "' --theme dark --size 1600x900 --picture '" + png.string() +
                                              "'") == 0);
  int width = 0, height = 0, channels = 0;
  stbi_uc* pixels = stbi_load(png.c_str(), &width, &height, &channels, 4);
  REQUIRE(pixels != nullptr);
  const auto session = open_session(kTrace);
  REQUIRE(session);
  const Image expected = screenshot(**session, {});
  REQUIRE(width == expected.width);
  REQUIRE(height == expected.height);
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.rgba.size(); ++i)
    different += std::abs(int{expected.rgba[i]} - int{pixels[i]}) > 24;
  stbi_image_free(pixels);
  CHECK(static_cast<double>(different) / static_cast<double>(expected.rgba.size()) <
        0.005);  // the hint in the status bar
}

TEST_CASE("A file that is no trace ends the window with a line that says so") {
  if (!can_run()) return;
  const Folder folder;
  CHECK(on_virtual_display(folder.path, "'" + kWindow.string() + "' no-such-file --picture out.png 2>err") ==
        1);
  std::ifstream err{folder.path / "err"};
  std::string line;
  std::getline(err, line);
  CHECK(line.find("no-such-file") != std::string::npos);
}

TEST_CASE("Without a display the window says what to use instead") {
  if (!can_run()) return;
  const Folder folder;
  std::ofstream{folder.path / "run.sh"} << "env -u DISPLAY -u WAYLAND_DISPLAY '" << kWindow.string()
                                        << "' x 2>'" << (folder.path / "err").string() << "'";
  CHECK(std::system(("sh '" + (folder.path / "run.sh").string() + "'").c_str()) != 0);
  std::ifstream err{folder.path / "err"};
  std::string line;
  std::getline(err, line);
  CHECK(line.find("--screenshot") != std::string::npos);
}

}  // namespace
}  // namespace gputrace::gui
