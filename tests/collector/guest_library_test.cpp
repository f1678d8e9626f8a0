// The shared library as a file: what a host sees of it.
#include <sstream>

#include <catch2/catch.hpp>

#include "tests/collector/recorded_child.h"

using namespace gputrace::tests;

namespace {

std::vector<std::string> lines_with(const std::string& text, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(word) != line.npos) found.push_back(line);
  }
  return found;
}

}  // namespace

TEST_CASE("Only the entry points are exported") {
  const auto symbols = run_program({"readelf", "--dyn-syms", "-W", collector_library()});
  REQUIRE(symbols.status == 0);
  int entry_points = 0;
  for (const std::string& line : lines_with(symbols.out, " DEFAULT ")) {
    if (line.find(" UND ") != line.npos || line.find("GLOBAL") == line.npos) continue;
    INFO(line);
    CHECK(line.find(" InitializeInjection") != line.npos);
    ++entry_points;
  }
  CHECK(entry_points == 3);
  CHECK(lines_with(symbols.out, " WEAK   DEFAULT").size() == lines_with(symbols.out, " WEAK   DEFAULT  UND").size());
}

TEST_CASE("Nothing beyond the C library is needed, and no search path is set") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("built with a sanitizer, which needs its own runtime: skipped");
#else
  const auto dynamic = run_program({"readelf", "-d", "-W", collector_library()});
  REQUIRE(dynamic.status == 0);
  for (const std::string& line : lines_with(dynamic.out, "(NEEDED)")) {
    INFO(line);
    bool allowed = false;
    for (const char* name : {"[libc.so.6]", "[libm.so.6]", "[libdl.so.2]", "[libpthread.so.0]", "[ld-linux"}) {
      allowed = allowed || line.find(name) != line.npos;
    }
    CHECK(allowed);
  }
  CHECK(lines_with(dynamic.out, "RPATH").empty());
  CHECK(lines_with(dynamic.out, "RUNPATH").empty());
  CHECK(lines_with(dynamic.out, "NODELETE").size() == 1);
#endif
}
