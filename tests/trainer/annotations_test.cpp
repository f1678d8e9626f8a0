// What a profiler sees of the program's annotations, through NVTX's own injection.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

std::vector<std::string> annotations_of(const std::string& arguments) {
  const std::filesystem::path log = std::filesystem::path(GPUTRACE_BINARY_DIR) /
                                    ("tests/trainer_nvtx_" + std::to_string(getpid()) + ".log");
  const std::string command = "TRAINER_TEST_NVTX_LOG=" + log.string() +
                              " CUDA_VISIBLE_DEVICES= NVTX_INJECTION64_PATH=" + NVTX_LISTENER + " " + TRAINER_PROGRAM + " " +
                              arguments + " >/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream file(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::filesystem::remove(log);
  return lines;
}

std::ptrdiff_t count_starting(const std::vector<std::string>& lines, const std::string& start) {
  return std::count_if(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.starts_with(start); });
}

}  // namespace

TEST_CASE("steps are on the main thread, ops on the thread that issues them, data in a domain of its own") {
  const auto lines = annotations_of("--scenario B-tower --steps 3");
  CHECK(count_starting(lines, "main push step step ") == 3);
  CHECK(std::count(lines.begin(), lines.end(), "main push step step 2") == 1);
  CHECK(count_starting(lines, "tower 0 push data feed batch") == 3);
  CHECK(count_starting(lines, "tower 1 push data feed batch") == 3);
  CHECK(count_starting(lines, "tower 0 push op MatMul, ") == 3 * 17);
  CHECK(count_starting(lines, "main push op ApplyAdam, name = update/ApplyAdam") == 3 * 12);
  CHECK(count_starting(lines, "tower 0 push step") == 0);
}

TEST_CASE("an op placed on the CPU tells the GPU it was asked for on") {
  const auto lines = annotations_of("--scenario B-tower-cpu --steps 1");
  const std::string first =
      "tower 1 push op MatMul, name = tower_1/block_1/MatMul, requested = /gpu:1, device = /cpu:0, "
      "inputs = [input, block_1/weights], sizes = [[32, 1000, 1000], [1000, 1000]]";
  CHECK(std::count(lines.begin(), lines.end(), first) == 1);
  CHECK(count_starting(lines, "tower 0 push data") == 0);  // nothing is fed: the ops are where the data is
}

TEST_CASE("dummy data is fed once, before the first step") {
  const auto lines = annotations_of("--scenario A-base --gpus 2 --arithmetic off --steps 2");
  CHECK(std::count(lines.begin(), lines.end(), "main push data feed batch") == 2);
  CHECK(lines.front() == "main push data feed batch");
  CHECK(count_starting(lines, "tower 0 push data") == 0);
}

TEST_CASE("ranges nest and all end") {
  const auto lines =
      annotations_of("--scenario A-base --gpus 2 --update all-reduce --arithmetic off --steps 2");
  std::map<std::string, int> depth;  // by thread and domain
  for (const std::string& line : lines) {
    const bool push = line.find(" push ") != std::string::npos;
    const std::size_t verb = line.find(push ? " push " : " pop ");
    const std::string rest = line.substr(verb + (push ? 6 : 5));
    int& open = depth[line.substr(0, verb) + "/" + rest.substr(0, rest.find(' '))];
    open += push ? 1 : -1;
    CHECK(open >= 0);
    CHECK(open <= 1);
  }
  for (const auto& [where, open] : depth) CHECK(open == 0);
  CHECK(count_starting(lines, "all-reduce push op AllReduce, ") == 2 * 3);
}
