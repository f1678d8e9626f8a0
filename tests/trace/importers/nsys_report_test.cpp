// Neither nsys nor a report of it is at hand: a script stands in for the program.
#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

namespace fs = std::filesystem;
using namespace tests;

// PATH for one test.
class Path {
 public:
  explicit Path(const std::string& value) : before_(std::getenv("PATH")) { setenv("PATH", value.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  ~Path() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

void write_nsys(const fs::path& folder, const std::string& script) {
  write_file(folder / "nsys", "#!/bin/sh\n" + script);
  fs::permissions(folder / "nsys", fs::perms::owner_all);
}

TEST_CASE("without nsys, a report leads to the command that exports it") {
  const TemporaryFolder folder;
  write_file(folder.path() / "run.nsys-rep", "anything");
  write_file(folder.path() / "old.qdrep", "anything");
  const Path path(folder.path().string());
  for (const char* name : {"run.nsys-rep", "old.qdrep"}) {
    const fs::path report = folder.path() / name;
    const auto trace = read_trace(report);
    REQUIRE_FALSE(trace);
    CHECK(trace.error().next_step == "export it: nsys export --type sqlite --output " + fs::path(report).replace_extension(".sqlite").string() + " " + report.string());
  }
}

TEST_CASE("with nsys on the PATH, a report is read by way of its export") {
  const SqlFile exported("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1, 5, 0);"
                         "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);");
  const TemporaryFolder folder;
  // nsys export --type sqlite --force-overwrite true --output OUT FILE
  write_nsys(folder.path(), "[ \"$1 $2 $3\" = 'export --type sqlite' ] && [ -f \"$8\" ] && /bin/cp '" + exported.path().string() + "' \"$7\"\n");
  const Path path(folder.path().string());
  write_file(folder.path() / "run.nsys-rep", "anything");
  const auto trace = read_trace(folder.path() / "run.nsys-rep");
  if (!trace) FAIL(trace.error().line());
  CHECK(trace->kernels.size() == 1);
  CHECK(trace->metadata.file == (folder.path() / "run.nsys-rep").string());
  CHECK(folder.names() == std::vector<std::string>{"nsys", "run.nsys-rep"});
}

TEST_CASE("an nsys that fails is named with its status and the command to see why") {
  const TemporaryFolder folder;
  write_nsys(folder.path(), "exit 3\n");
  const Path path(folder.path().string());
  write_file(folder.path() / "run.nsys-rep", "anything");
  const auto trace = read_trace(folder.path() / "run.nsys-rep");
  REQUIRE_FALSE(trace);
  CHECK(trace.error().what == "a Nsight Systems report that nsys could not export (exit status 3)");
  CHECK(trace.error().next_step.starts_with("see why: nsys export "));
}

}  // namespace
}  // namespace gputrace::trace
