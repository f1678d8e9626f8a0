#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "cli/trace_name.h"

using namespace gputrace::cli;

namespace {

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gputrace-name-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

std::string expanded(const std::string& pattern) {
  const auto name = expand_trace_name(pattern);
  return name ? name->string() : "error: " + name.error().line();
}

}  // namespace

TEST_CASE("%n is the first number whose file is not there") {
  const Folder folder;
  CHECK(expanded(folder / "trace%n.sqlite") == folder / "trace1.sqlite");
  std::ofstream(folder / "trace1.sqlite") << "x";
  CHECK(expanded(folder / "trace%n.sqlite") == folder / "trace2.sqlite");
}

TEST_CASE("Process, host, environment and percent signs expand; an extension is added") {
  setenv("GPUTRACE_TEST_RANK", "3", 1);
  CHECK(expanded("run-%q{GPUTRACE_TEST_RANK}-%p.db") == "run-3-" + std::to_string(getpid()) + ".db");
  CHECK(expanded("100%%.sqlite") == "100%.sqlite");
  CHECK(expanded("plain") == "plain.sqlite");
  CHECK(expanded("%h.sqlite") != "%h.sqlite");
}

TEST_CASE("A pattern that cannot be expanded says why") {
  unsetenv("GPUTRACE_TEST_ABSENT");
  CHECK_THAT(expanded("a%q{GPUTRACE_TEST_ABSENT}"), Catch::Contains("no variable GPUTRACE_TEST_ABSENT"));
  for (const char* pattern : {"a%", "a%z", "a%q", "a%q{X"}) CHECK_THAT(expanded(pattern), Catch::Contains("unknown %"));
}

TEST_CASE("A spool folder stands beside its trace, and leads back to it") {
  const Folder folder;
  const auto spools = make_spool_folder(folder / "t.sqlite", false);
  REQUIRE(spools);
  CHECK(std::filesystem::is_directory(*spools));
  CHECK(trace_of_spool_folder(*spools) == folder / "t.sqlite");
  CHECK(trace_of_spool_folder(spools->string() + "/") == folder / "t.sqlite");
  CHECK(trace_of_spool_folder("/some/where").empty());
}

TEST_CASE("A trace that exists, is a folder or cannot be written is refused") {
  const Folder folder;
  std::ofstream(folder / "t.sqlite") << "x";
  CHECK_THAT(make_spool_folder(folder / "t.sqlite", false).error().line(), Catch::Contains("exists already"));
  CHECK(make_spool_folder(folder / "t.sqlite", true));
  CHECK_THAT(make_spool_folder(folder.path, false).error().line(), Catch::Contains("is a folder"));
  CHECK_THAT(make_spool_folder("/nonexistent/t.sqlite", false).error().line(), Catch::Contains("cannot be written"));
}
