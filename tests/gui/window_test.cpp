// The real window, on a virtual display.
#include <stb_image.h>

#include <algorithm>

#include "gui/screenshot.h"
#include "tests/gui/virtual_display.h"

namespace gputrace::gui {
namespace {

namespace fs = std::filesystem;

const fs::path kWindow = fs::path{GPUTRACE_BINARY_DIR} / "bin" / "gputrace-view";
const fs::path kTrace = fs::path{GPUTRACE_SOURCE_DIR} / "../shared/data/nsys/nsysai_h100_2gpu_1s.sqlite";

bool can_run() { return can_show(kWindow); }

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

TEST_CASE("A window is watched for pinches where the X server knows them, by one client") {
  const fs::path probe = fs::path{GPUTRACE_BINARY_DIR} / "tests" / "pinch_probe";
  if (!can_show(probe)) return;
  const Folder folder;
  CHECK(on_virtual_display(folder.path, "'" + probe.string() + "' >out 2>&1") == 0);
  std::ifstream out{folder.path / "out"};
  std::string line;
  std::getline(out, line);
  CHECK(line == "as the server says");
}

}  // namespace
}  // namespace gputrace::gui
