// `gputrace record` and `recover` as programs.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "trace/trace_reader.h"

namespace {

const std::string kProgram = GPUTRACE_BINARY_DIR "/bin/gputrace";
const std::string kChild = GPUTRACE_BINARY_DIR "/tests/collector_child";
const std::string kFakeCupti = GPUTRACE_BINARY_DIR "/tests/fake_cupti/libcupti.so.13";

bool built() {
  for (const std::string& file : {kProgram, kChild, kFakeCupti}) {
    if (std::filesystem::exists(file)) continue;
    WARN(file << " is not built: skipped");
    return false;
  }
  return true;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A folder to run in, and what the last command said.
struct Shell {
  std::filesystem::path folder;
  std::string out, err;
  Shell() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gputrace-record-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;
  ~Shell() { std::filesystem::remove_all(folder); }

  int operator()(const std::string& command) {
    const std::string line = "cd " + folder.string() + " && exec 3>&- && { " + command + " ; } >" +
                             (folder / ".out").string() + " 2>" + (folder / ".err").string();
    const int status = std::system(line.c_str());
    out = contents(folder / ".out");
    err = contents(folder / ".err");
    return WEXITSTATUS(status);
  }
  gputrace::trace::Trace trace(const std::string& name) {
    auto read = gputrace::trace::read_trace(folder / name);
    if (!read) FAIL(read.error().line());
    return std::move(*read);
  }
  bool has_spools() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().string().find(".spool-") != std::string::npos) return true;
    }
    return false;
  }
};

}  // namespace

TEST_CASE("record writes the first free trace, passes status and output through, and cleans up") {
  if (!built()) return;
  Shell shell;
  CHECK(shell(kProgram + " record --no-report -- " + kChild + " print 3") == 7);
  CHECK(shell.out == "line 0 of output\nline 1 of output\nline 2 of output\n");
  CHECK_THAT(shell.err, Catch::StartsWith("error line 0\nerror line 1\nerror line 2\n"));
  CHECK_THAT(shell.err, Catch::Contains("wrote trace1.sqlite"));
  CHECK(shell.trace("trace1.sqlite").nvtx.size() == 1);
  CHECK_FALSE(shell.has_spools());
  CHECK(shell(kProgram + " record --no-report -- " + kChild + " print 1") == 7);
  CHECK(std::filesystem::exists(shell.folder / "trace2.sqlite"));
}

TEST_CASE("record makes one trace of GPU work, API calls and NVTX") {
  if (!built()) return;
  Shell shell;
  CHECK(shell("FAKE_CUPTI=" + kFakeCupti + " " + kProgram + " record --no-report -o a.sqlite -- " + kChild +
              " kernels 400") == 0);
  const auto trace = shell.trace("a.sqlite");
  CHECK(trace.kernels.size() == 400);
  CHECK(trace.metadata.simulated);
  CHECK(trace.metadata.complete);
}

TEST_CASE("record -t leaves out what is not asked for") {
  if (!built()) return;
  Shell shell;
  const std::string cuda = "FAKE_CUPTI=" + kFakeCupti + " ";
  CHECK(shell(cuda + kProgram + " record --no-report -t nvtx -o n.sqlite -- " + kChild + " kernels 4") == 0);
  CHECK_FALSE(shell.trace("n.sqlite").has(gputrace::trace::Table::kernels));
  CHECK(shell(cuda + kProgram + " record --no-report -t cuda -o c.sqlite -- " + kChild + " kernels 4") == 0);
  CHECK_FALSE(shell.trace("c.sqlite").has(gputrace::trace::Table::nvtx));
  CHECK(shell.trace("c.sqlite").kernels.size() == 4);
}

TEST_CASE("record keeps what a killed program had flushed, and gives its signal") {
  if (!built()) return;
  Shell shell;
  CHECK(shell("FAKE_CUPTI=" + kFakeCupti + " " + kProgram + " record --no-report --flush-period 100 -o k.sqlite -- " +
              kChild + " kill 100") == 128 + 9);
  CHECK(shell.trace("k.sqlite").kernels.size() == 100);
  CHECK_THAT(shell.err, Catch::Contains("the recording is not complete"));
}

TEST_CASE("What cannot work is one line and status 1, before the program runs") {
  if (!built()) return;
  Shell shell;
  std::ofstream(shell.folder / "there.sqlite") << "x";
  const std::string touch = " -- /bin/sh -c 'touch ran'";
  for (const std::string& options :
       {std::string("-o /nonexistent/t.sqlite" + touch), std::string("-o there.sqlite" + touch),
        std::string("-o a%z" + touch), std::string("-- ./no-such-program")}) {
    INFO(options);
    CHECK(shell(kProgram + " record " + options) == 1);
    CHECK(shell.out.empty());
    CHECK(std::count(shell.err.begin(), shell.err.end(), '\n') == 1);
    CHECK_THAT(shell.err, Catch::StartsWith("gputrace: "));
  }
  CHECK_FALSE(std::filesystem::exists(shell.folder / "ran"));
  CHECK(contents(shell.folder / "there.sqlite") == "x");
  CHECK(shell(kProgram + " record") == 2);
}

TEST_CASE("record says so where nothing was recorded, and keeps the program's status") {
  if (!built()) return;
  Shell shell;
  CHECK(shell(kProgram + " record -- /bin/sh -c 'exit 5'") == 5);
  CHECK_THAT(shell.err, Catch::Contains("used neither CUDA nor NVTX"));
  CHECK_FALSE(shell.has_spools());
}

TEST_CASE("recover makes the trace of a spool folder that was left over") {
  if (!built()) return;
  Shell shell;
  CHECK(shell(kProgram + " record --no-report --keep-spool -o a.sqlite -- " + kChild + " nvtx") == 0);
  CHECK(shell.has_spools());
  CHECK(shell("rm a.sqlite && " + kProgram + " recover a.sqlite.spool-*") == 0);
  CHECK(shell.trace("a.sqlite").nvtx.size() > 0);
  CHECK(shell(kProgram + " recover a.sqlite.spool-*") == 1);  // exists
  CHECK(shell(kProgram + " recover --force -o b.sqlite a.sqlite.spool-*") == 0);
  CHECK(shell(kProgram + " recover /nonexistent") == 1);
}
