// A profiler that CUDA_INJECTION64_PATH names, in a program of its own on the modelled machine.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

fs::path tests_folder() { return fs::path(GPUTRACE_BINARY_DIR) / "tests"; }

struct Run {
  int status;
  std::string output, trace;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs the test program as a user's shell would, with these variables set.
Run run_program(const std::string& variables, const std::string& arguments) {
  const fs::path folder = fs::temp_directory_path() / ("virtual_cupti_test." + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path out = folder / "out", trace = folder / "trace";
  const std::string command = "env -u CUDA_INJECTION64_PATH TEST_COLLECTOR_OUT=" + trace.string() + ' ' + variables + ' ' +
                              (tests_folder() / "virtual_box_test_program").string() + ' ' + arguments + " >" + out.string() + " 2>&1";
  const int status = std::system(command.c_str());
  Run run{status, contents(out), contents(trace)};
  fs::remove_all(folder);
  return run;
}

std::string injected() { return "CUDA_INJECTION64_PATH=" + (tests_folder() / "virtual_box_test_collector.so").string(); }

std::map<std::string, int> count_first_words(const std::string& text) {
  std::map<std::string, int> counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) ++counts[line.substr(0, line.find_first_of(" ="))];
  return counts;
}

}  // namespace

TEST_CASE("an injected profiler gets every record of a run, and the same on every run") {
  const Run calm = run_program(injected(), "4x-titan-x");
  INFO(calm.output);
  REQUIRE(calm.status == 0);
  auto counts = count_first_words(calm.trace);
  CHECK(counts["simulated"] == 1);
  CHECK(counts["DEVICE"] == 4);
  CHECK(counts["PCIE"] == 6);
  CHECK(counts["NVLINK"] == 0);
  CHECK(counts["CONTEXT"] == 2);
  CHECK(counts["STREAM"] == 4);
  CHECK(counts["KERNEL"] == 100);
  CHECK(counts["MEMCPY"] == 20);
  CHECK(counts["MEMCPY2"] == 10);
  CHECK(counts["MEMSET"] == 10);
  CHECK(counts["CUDA_EVENT"] == 10);
  CHECK(counts["SYNCHRONIZATION"] == 32);
  CHECK(counts["walk"] == 0);
  CHECK(calm.trace.find("dropped=0 end=") != std::string::npos);
  for (int i = 0; i < 5; ++i) {
    const Run other = run_program(injected(), "4x-titan-x with-sleeps");
    REQUIRE(other.status == 0);
    REQUIRE(other.trace == calm.trace);
    CHECK(other.output == calm.output);
  }
}

TEST_CASE("records that find no buffer are dropped and counted") {
  const Run all = run_program(injected(), "4x-titan-x"), few = run_program(injected() + " TEST_COLLECTOR_BUFFERS=3", "4x-titan-x");
  REQUIRE(few.status == 0);
  const auto records = [](const std::string& trace) {
    const auto counts = count_first_words(trace);
    int sum = 0;
    for (const auto& [word, count] : counts)
      if (std::isupper(static_cast<unsigned char>(word[0]))) sum += count;
    return sum;
  };
  const auto dropped_at = few.trace.find("dropped=");
  REQUIRE(dropped_at != std::string::npos);
  CHECK(std::atoi(few.trace.c_str() + dropped_at + 8) > 0);
  CHECK(records(few.trace) + std::atoi(few.trace.c_str() + dropped_at + 8) == records(all.trace));
}

TEST_CASE("without injection, and where it fails, the program runs the same") {
  const Run plain = run_program("", "2x-gtx-1060");
  REQUIRE(plain.status == 0);
  CHECK(plain.trace.empty());
  const Run absent = run_program("CUDA_INJECTION64_PATH=/no/such/library.so", "2x-gtx-1060");
  CHECK(absent.status == 0);
  CHECK(absent.output.find("virtual_box: cannot load CUDA_INJECTION64_PATH: ") == 0);
  CHECK(absent.output.find(plain.output) != std::string::npos);
  CHECK(std::count(absent.output.begin(), absent.output.end(), '\n') == 2);
  const Run wrong = run_program("CUDA_INJECTION64_PATH=" + (fs::path(GPUTRACE_BINARY_DIR) / "lib/virtual_box/libcupti.so.13").string(), "2x-gtx-1060");
  CHECK(wrong.status == 0);
  CHECK(wrong.output.find("has no InitializeInjection") != std::string::npos);
  const Run refused = run_program(injected() + " TEST_COLLECTOR_OUT=/no/such/folder/file", "2x-gtx-1060");
  CHECK(refused.status == 0);
  CHECK(refused.output.find("failed; running on without a profiler") != std::string::npos);
  CHECK(run_program(injected(), "2x-gtx-1060").output == plain.output);
}

#if defined(NVIDIA_CUPTI_LIBRARY) && !defined(__SANITIZE_ADDRESS__)  // whose own library must be the first one loaded
TEST_CASE("where another libcupti is loaded already, the profiler would find that one, so there is none") {
  const Run run = run_program(injected() + " LD_PRELOAD=" NVIDIA_CUPTI_LIBRARY, "2x-gtx-1060");
  CHECK(run.status == 0);
  CHECK(run.output.find("another libcupti.so.13 is loaded already; running on without a profiler") != std::string::npos);
  CHECK(run.trace.empty());
}
#endif
