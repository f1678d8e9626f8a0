// What the design says of folders and includes, checked on every source file.
#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "tests/structure/source_files.h"

using namespace gputrace::tests;

namespace {

// The stages that a stage's files may include, besides their own.
const std::map<std::string, std::set<std::string>> kArrows{
    {"trace", {}},
    {"collector", {"trace"}},
    {"analyzer", {"trace"}},
    {"reports", {"trace", "analyzer"}},
    {"gui", {"trace", "analyzer"}},
    {"cli", {"trace", "collector", "analyzer", "reports", "gui"}},
    {"trainer", {}}};

// Headers of libraries that would tie each user of ours to them.
const std::set<std::string> kOnlyInSources{"cupti.h", "sqlite3.h", "imgui.h", "imgui_internal.h", "nlohmann/json.hpp",
                                           "nlohmann/json_fwd.hpp", "simdjson.h", "GLFW/glfw3.h"};

bool is_stage(const std::string& stage) { return kArrows.count(stage) > 0; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The include that breaks the arrows, or "".
std::string forbidden_include(const SourceFile& file) {
  const auto arrows = kArrows.find(stage_of(file.path));
  if (arrows == kArrows.end()) return "";
  for (const std::string& include : includes(file)) {
    const std::string stage = stage_of(include);
    if (stage == "tests") return include;
    if (is_stage(stage) && stage != arrows->first && arrows->second.count(stage) == 0) return include;
    if (include.find("../") != std::string::npos) return include;  // the way around this test
  }
  return "";
}

// The library header that a stage's header shows to its users, or "". Two may: the virtual machine's CUPTI folder is
// NVIDIA's interface itself, and what tests share among themselves ties nobody.
std::string library_header(const SourceFile& file) {
  if (!is_stage(stage_of(file.path)) || file.path.rfind("trainer/virtual_box/cupti/", 0) == 0) return "";
  for (const std::string& include : includes(file)) {
    if (kOnlyInSources.count(include) > 0) return include;
  }
  return "";
}

// The first line with a path of the machine it was written on, or "". System paths of the code's own concern are fine.
std::string machine_path(const SourceFile& file) {
  static const std::string kBefore = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.}-/";
  // Put together from halves, or this file would find itself.
  static const std::vector<std::string> kPaths{"/wo" "rk/", "/ro" "ot/", "/tmp" "/h_", "/ho" "me/"};
  for (const std::string& line : file.lines) {
    for (const std::string& path : kPaths) {
      const std::size_t at = line.find(path);
      if (at == std::string::npos || (at > 0 && kBefore.find(line[at - 1]) != std::string::npos)) continue;
      return line;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("the sources are found") {
  const auto count_of = [](const std::string& stage) {
    return std::count_if(source_files().begin(), source_files().end(),
                         [&stage](const SourceFile& file) { return stage_of(file.path) == stage; });
  };
  for (const char* stage : {"trace", "analyzer", "reports", "cli", "tests"}) CHECK(count_of(stage) > 3);
}

TEST_CASE("includes follow the arrows between the stages") {
  for (const SourceFile& file : source_files()) {
    INFO(file.path);
    CHECK(forbidden_include(file) == "");
  }
}

TEST_CASE("an include against the arrows is noticed") {
  CHECK(forbidden_include({"trace/a.cpp", {"#include \"analyzer/rule.h\""}}) == "analyzer/rule.h");
  CHECK(forbidden_include({"reports/a.cpp", {" #  include <gui/view.h>"}}) == "gui/view.h");
  CHECK(forbidden_include({"trainer/a.cpp", {"#include \"trace/trace.h\""}}) == "trace/trace.h");
  CHECK(forbidden_include({"trainer/a.cpp", {"#include \"trainer/../trace/trace.h\""}}) != "");
  CHECK(forbidden_include({"collector/a.cpp", {"#include \"analyzer/rule.h\""}}) == "analyzer/rule.h");
  CHECK(forbidden_include({"analyzer/a.cpp", {"#include \"tests/support/golden.h\""}}) == "tests/support/golden.h");
  CHECK(forbidden_include({"cli/a.cpp", {"#include \"collector/a.h\"", "#include <vector>"}}) == "");
  CHECK(forbidden_include({"gui/a.cpp", {"#include \"analyzer/rule.h\"", "#include \"trace/trace.h\""}}) == "");
}

TEST_CASE("headers have their guard, and keep libraries out of their users") {
  for (const SourceFile& file : source_files()) {
    if (!ends_with(file.path, ".h") && !ends_with(file.path, ".hpp")) continue;
    INFO(file.path);
    CHECK(std::count(file.lines.begin(), file.lines.end(), "#pragma once") == 1);
    CHECK(library_header(file) == "");
    if (!is_stage(stage_of(file.path))) continue;  // a test's header has its test alone for a user
    const bool uses_namespace = std::any_of(file.lines.begin(), file.lines.end(), [](const std::string& line) {
      return line.rfind("using namespace", 0) == 0;
    });
    CHECK_FALSE(uses_namespace);
  }
  CHECK(library_header({"gui/view.h", {"#include <imgui.h>"}}) == "imgui.h");
  CHECK(library_header({"trainer/virtual_box/link.h", {"#include <cupti.h>"}}) == "cupti.h");
}

TEST_CASE("no file holds a path of the machine it was written on") {
  for (const SourceFile& file : source_files()) {
    INFO(file.path);
    CHECK(machine_path(file) == "");
  }
  CHECK(machine_path({"a.cpp", {"open(\"/wo" "rk/shared/data\")"}}) != "");
  CHECK(machine_path({"a.cpp", {"open(\"/ro" "ot/x\")"}}) != "");
  CHECK(machine_path({"a.cpp", {"${dir}/wo" "rk/x"}}) == "");
}

TEST_CASE("a folder is a stage, and none is a drawer for odds and ends") {
  for (const SourceFile& file : source_files()) {
    for (const char* drawer : {"util", "utils", "common", "misc", "helpers"}) {
      INFO(file.path);
      CHECK(file.path.find(std::string("/") + drawer) == std::string::npos);
    }
  }
}
