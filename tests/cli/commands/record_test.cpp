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

#include "tests/cli/child_process.h"
#include "trace/trace_reader.h"

namespace {

const std::string kProgram = GPUTRACE_BINARY_DIR "/bin/gputrace";
const std::string kChild = GPUTRACE_BINARY_DIR "/tests/collector_child";
const std::string kCollector = GPUTRACE_BINARY_DIR "/lib/libgputrace_collector.so";
const std::string kFakeCupti = GPUTRACE_BINARY_DIR "/tests/fake_cupti/libcupti.so.13";

bool built() {
  for (const std::string& file : {kProgram, kChild, kCollector, kFakeCupti}) {
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

TEST_CASE("record ends with five lines that name the finding, its gain, the data, the file and the next command") {
  if (!built()) return;
  Shell shell;
  CHECK(shell("FAKE_CUPTI=" + kFakeCupti + " " + kProgram + " record -o s.sqlite -- " + kChild + " kernels 40") == 0);
  const auto summary = shell.err.find("finding: ");
  REQUIRE(summary != std::string::npos);
  CHECK(std::count(shell.err.begin() + static_cast<std::ptrdiff_t>(summary), shell.err.end(), '\n') == 5);
  for (const char* line : {"\ngain:    ", "\ndata:    simulated", "\ntrace:   s.sqlite\n",
                           "\nnext:    gputrace report s.sqlite\n"}) {
    CHECK_THAT(shell.err, Catch::Contains(line));
  }
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
  CHECK(shell(kProgram + " record -- /bin/true") == 0);
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

TEST_CASE("record keeps to a capture range, and says how much was left out") {
  if (!built()) return;
  Shell shell;
  const std::string cuda = "FAKE_CUPTI=" + kFakeCupti + " ";
  CHECK(shell(cuda + kProgram + " record --no-report --capture-range nvtx:chosen@library -o r.sqlite -- " + kChild +
              " steps 4") == 0);
  CHECK(shell.trace("r.sqlite").kernels.size() == 40);
  CHECK_THAT(shell.err, Catch::Contains("outside the capture window were left out, as asked"));
  CHECK(shell.trace("r.sqlite").metadata.complete);
  CHECK(shell(cuda + kProgram + " record --no-report --until-steps 1 --step-range 'step 1' -o s.sqlite -- " + kChild +
              " steps 4") == 0);
  CHECK(shell.trace("s.sqlite").kernels.size() == 7 + 13 + 10);
  CHECK(shell(cuda + kProgram + " record --no-report --delay 3600 -o d.sqlite -- " + kChild + " steps 4") == 0);
  CHECK(shell.trace("d.sqlite").kernels.size() == 0);
  CHECK_THAT(shell.err, Catch::Contains("never opened"));
  CHECK(shell(cuda + kProgram + " record --no-report --duration 3600 -o e.sqlite -- " + kChild + " steps 4") == 0);
  CHECK(shell.trace("e.sqlite").kernels.size() == 7 + 4 * 13);
}

TEST_CASE("A signal to record starts and stops the capture in each process, and none of them sees it") {
  if (!built()) return;
  Shell shell;
  std::ofstream(shell.folder / "job.sh") << kChild + " for-ms 100\nkill -USR1 $PPID\n" + kChild + " for-ms 400\n" +
                                                "kill -USR1 $PPID\n" + kChild + " for-ms 100\necho done\n";
  const std::string record = "FAKE_CUPTI=" + kFakeCupti + " " + kProgram + " record --no-report --capture-signal USR1 ";
  CHECK(shell(record + "-o s.sqlite -- /bin/sh job.sh") == 0);
  CHECK(shell.out == "done\n");
  CHECK_THAT(shell.err, Catch::Contains("kill -USR1 "));
  const auto trace = shell.trace("s.sqlite");
  CHECK(trace.processes.size() == 3);
  REQUIRE(trace.kernels.size() > 0);
  for (const auto process : trace.kernels.process) CHECK(process == trace.kernels.process[0]);
  CHECK(trace.metadata.complete);
  CHECK_FALSE(shell.has_spools());
}

TEST_CASE("While a process runs, the signal opens its window and closes it; the program's own signals stay its own") {
  if (!built()) return;
  Shell shell;
  std::ofstream(shell.folder / "job.sh") << "trap 'echo mine' USR1\nkill -USR1 $$\n" + kChild +
                                                " for-ms 900 &\nsleep 0.3\nkill -USR1 $PPID\nsleep 0.3\nkill -USR1 $PPID\nwait\n";
  CHECK(shell("FAKE_CUPTI=" + kFakeCupti + " " + kProgram +
              " record --no-report --capture-signal USR1 -o s.sqlite -- /bin/sh job.sh") == 0);
  CHECK(shell.out == "mine\n");
  const auto trace = shell.trace("s.sqlite");
  REQUIRE(trace.kernels.size() > 0);
  CHECK_THAT(shell.err, Catch::Contains("outside the capture window were left out, as asked"));
}

TEST_CASE("record --keep lets the oldest go, and the trace says so") {
  if (!built()) return;
  Shell shell;
  CHECK(shell("FAKE_CUPTI=" + kFakeCupti + " " + kProgram + " record --no-report --keep 4MB -o k.sqlite -- " + kChild +
              " kernels 200000") == 0);
  const auto trace = shell.trace("k.sqlite");
  CHECK(trace.kernels.size() > 0);
  CHECK(trace.kernels.size() < 200000);
  CHECK_FALSE(trace.metadata.complete);
  CHECK_THAT(trace.metadata.incomplete_why, Catch::Contains("were let go, as record --keep asks"));
}

TEST_CASE("Wrong capture options are usage errors") {
  if (!built()) return;
  Shell shell;
  for (const char* options : {"--keep 3MB", "--keep 30", "--keep s", "--keep -1s", "--keep 30sx", "--capture-range nvtx:",
                              "--capture-range nvtx:@d", "--capture-range other", "--capture-signal KILL", "--capture-signal USR1 --capture-range profiler-api", "--until-steps 0", "--delay -1",
                              "--duration 0"}) {
    INFO(options);
    CHECK(shell(kProgram + " record " + options + " -- /bin/sh -c 'touch ran'") == 2);
  }
  CHECK_FALSE(std::filesystem::exists(shell.folder / "ran"));
}

TEST_CASE("A process that cannot create its spool is counted") {
  if (!built()) return;
  Shell shell;
  CHECK(shell(kProgram + " record --no-report -o a.sqlite -- /bin/sh -c 'GPUTRACE_SPOOL_DIR=/nonexistent " + kChild +
              " nvtx; GPUTRACE_SPOOL_DIR=/nonexistent " + kChild + " nvtx; " + kChild + " nvtx'") == 0);
  CHECK_THAT(shell.err, Catch::Contains("2 processes could not create a spool: No such file or directory"));
  const auto trace = shell.trace("a.sqlite");
  CHECK(trace.nvtx.size() > 0);
  CHECK_FALSE(trace.metadata.complete);
  CHECK(shell(kProgram + " record --no-report -o b.sqlite -- /bin/sh -c 'GPUTRACE_SPOOL_DIR=/nonexistent " + kChild +
              " nvtx'") == 1);
  CHECK_THAT(shell.err, Catch::Contains("nothing was recorded: 1 process could not create a spool"));
}

TEST_CASE("A spool folder that the program removes is one line, and the program's own status") {
  if (!built()) return;
  Shell shell;
  CHECK(shell("FAKE_CUPTI=" + kFakeCupti + " " + kProgram + " record --no-report --flush-period 50 -o g.sqlite -- " + kChild +
              " remove-folder 50") == 6);
  CHECK(std::count(shell.err.begin(), shell.err.end(), '\n') == 1);
  CHECK_THAT(shell.err, Catch::Contains("the folder of the recording was removed while the program ran"));
  CHECK_FALSE(std::filesystem::exists(shell.folder / "g.sqlite"));
}

TEST_CASE("A process is named with its rank") {
  if (!built()) return;
  Shell shell;
  const auto name = [&](const std::string& variables) {
    REQUIRE(shell("env -u RANK -u SLURM_PROCID " + variables + " " + kProgram + " record --no-report --force -o r.sqlite -- " +
                  kChild + " nvtx") == 0);
    return shell.trace("r.sqlite").processes.at(0).name;
  };
  CHECK(name("") == "collector_child");
  CHECK(name("OMPI_COMM_WORLD_RANK=3") == "collector_child rank 3");
  CHECK(name("PMI_RANK=2") == "collector_child rank 2");
  CHECK(name("RANK=5 SLURM_PROCID=1") == "collector_child rank 5");
}

TEST_CASE("On a terminal a line tells how the recording goes; elsewhere, or unwanted, there is none") {
  if (!built()) return;
  Shell shell;
  const std::string output = (shell.folder / "t.sqlite").string();
  const auto run = [&](int columns, const char* option) {
    return gputrace::tests::run_child({kProgram, "record", "--force", "--no-report", option, "--flush-period", "50", "-o",
                                       output, "--", kChild, "for-ms", "1200"},
                                      {.environment = {"FAKE_CUPTI=" + kFakeCupti}, .terminal_columns = columns});
  };
  CHECK_THAT(run(100, "--keep-spool").out, Catch::Contains(" records/s, 0 dropped, "));
  CHECK_THAT(run(100, "--no-live").out, !Catch::Contains("records/s"));
  CHECK_THAT(run(0, "--keep-spool").err, !Catch::Contains("records/s"));
}
