// Runs programs that open a window on a virtual display of their own.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace gputrace::gui {

struct Folder {  // removed at the end
  std::filesystem::path path;
  Folder() {  // tests run side by side, each in a process of its own
    std::string name = (std::filesystem::temp_directory_path() / "gputrace-window-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

// Runs the command in the folder and gives its exit status.
inline int on_virtual_display(const std::filesystem::path& folder, const std::string& command) {
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

// Whether this build has the program, and this machine a virtual display.
inline bool can_show(const std::filesystem::path& program) {
  std::error_code error;
  if (std::filesystem::exists(program, error) && std::system("command -v Xvfb >/dev/null 2>&1") == 0) return true;
  std::cout << "skipped: no " << program.filename() << " in this build, or no Xvfb\n";
  return false;
}

}  // namespace gputrace::gui
