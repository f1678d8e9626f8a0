#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "recorded_run.h"

using namespace trainer;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Ended {
  int exit_status;
  std::string output, errors;
};

// Tests run side by side, each a process.
fs::path scratch_file(const std::string& ending) {
  return fs::path(GPUTRACE_BINARY_DIR) / "tests" / ("trainer_program_" + std::to_string(getpid()) + ending);
}

// The program itself, in a process of its own; on a machine with GPUs too it sees none.
Ended run_program(const std::string& arguments) {
  const fs::path out = scratch_file(".out"), err = scratch_file(".err");
  const std::string command =
      std::string("CUDA_VISIBLE_DEVICES= ") + TRAINER_PROGRAM + " " + arguments + " >" + out.string() + " 2>" + err.string();
  const int status = std::system(command.c_str());
  const Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
  fs::remove(out);
  fs::remove(err);
  return ended;
}

}  // namespace

TEST_CASE("the median leaves out at most two warm-up steps, and never all") {
  CHECK(median_after_warm_up_ns({}) == 0);
  CHECK(median_after_warm_up_ns({5}) == 5);
  CHECK(median_after_warm_up_ns({90, 5}) == 5);
  CHECK(median_after_warm_up_ns({90, 80, 5}) == 5);
  CHECK(median_after_warm_up_ns({90, 80, 7, 5}) == 6);
  CHECK(median_after_warm_up_ns({90, 80, 9, 1, 5}) == 5);
}

TEST_CASE("arithmetic is automatic: on for small steps, off for large ones, and it says how to change that") {
  const auto small = test::recorded_run({"--gpus", "1", "--batch", "2", "--steps", "1"});
  CHECK(small->summary.losses.size() == 1);
  CHECK(small->output.find("arithmetic  on") != std::string::npos);
  const auto large = test::recorded_run({"--scenario", "B-tower-cpu", "--steps", "1"});
  CHECK(large->summary.losses.empty());
  CHECK(large->output.find("arithmetic  off") != std::string::npos);
  CHECK(large->output.find("--arithmetic on") != std::string::npos);
  CHECK(large->output.find("loss        not computed") != std::string::npos);
}

TEST_CASE("the published size of A-base is computed, that of B is not") {
  const auto a = test::recorded_run({"--scenario", "A-base", "--arithmetic", "off", "--steps", "1"});
  CHECK(a->summary.flops_per_step < kAutomaticArithmeticFlops);
  const auto b = test::recorded_run({"--scenario", "B-1gpu", "--arithmetic", "off", "--steps", "1"});
  CHECK(b->summary.flops_per_step > kAutomaticArithmeticFlops);
}

TEST_CASE("the header says what runs where, and that times are modelled") {
  const auto run = test::recorded_run({"--scenario", "B-tower", "--steps", "1"});
  CHECK(run->output.find("simulated: times are modelled") != std::string::npos);
  CHECK(run->output.find("2x-gtx-1060") != std::string::npos);
  CHECK(run->output.find("scenario    B-tower") != std::string::npos);
  CHECK(run->output.find("step 0") != std::string::npos);
}

TEST_CASE("the program: a run, its CSV, and its exit status") {
  const fs::path csv = scratch_file(".csv");
  const Ended ended = run_program("--gpus 1 --batch 2 --steps 2 --csv " + csv.string());
  CHECK(ended.exit_status == 0);
  CHECK(ended.errors.empty());
  std::istringstream lines(text_of(csv));
  std::string header, first, second, none;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  CHECK(header == "step,loss,step_seconds");
  CHECK(first.starts_with("0,"));
  CHECK(second.starts_with("1,"));
  CHECK_FALSE(std::getline(lines, none));
  fs::remove(csv);
}

TEST_CASE("the program: errors are one line on stderr") {
  const auto one_line = [](const Ended& ended) {
    return std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1;
  };
  const Ended no_box = run_program("--box no-such-machine --steps 1");
  CHECK(no_box.exit_status == 1);
  CHECK(one_line(no_box));
  const Ended shared = run_program("--scenario B-tower --gpus 3 --steps 1 --arithmetic off");
  CHECK(shared.exit_status == 0);
  CHECK(shared.output.find("3 towers share 2 GPUs\n") != std::string::npos);
  const Ended unwritable = run_program("--steps 1 --csv /no/such/folder/loss.csv");
  CHECK(unwritable.exit_status == 1);
  CHECK(one_line(unwritable));
  const Ended usage = run_program("--scenario nonsense");
  CHECK(usage.exit_status == 2);
  CHECK(usage.output.empty());
  const std::string boxes = run_program("--list-boxes").output;
  for (const char* box : {"2x-gtx-1060", "2x-rtx-4090", "4x-k80", "4x-titan-x", "4x-v100-nvlink", "8x-h100-nvswitch"})
    CHECK(boxes.find(std::string(box) + "\n") != std::string::npos);
}
