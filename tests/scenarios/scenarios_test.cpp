#include <catch2/catch.hpp>
#include <fstream>
#include <filesystem>
#include <sstream>
#include <vector>

#include "tests/scenarios/recorded_run.h"
#include "tests/support/golden.h"

using namespace gputrace::tests;
using nlohmann::json;

namespace {

const std::string kABase = "--scenario A-base --steps 6";
const std::string kB1Gpu = "--scenario B-1gpu --steps 5";
const std::string kBTowerCpu = "--scenario B-tower-cpu --steps 5";
const std::string kBTower = "--scenario B-tower --steps 5";

double step_s(const json& report) { return report.at("steps").at("median_ns").get<double>() / 1e9; }

double kernel_share(const json& report, std::string_view operation) {
  double share = 0;
  for (const json& kernel : report.at("kernels")) {
    if (kernel.at("name").get<std::string>().find(operation) != std::string::npos) share += kernel.at("share").get<double>();
  }
  return share;
}

}  // namespace

TEST_CASE("A-base: padding and broadcast take the published shares of GPU time, and no kernel runs beside another") {
  const json& report = report_of(kABase);
  CHECK(kernel_share(report, "TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, 4, 1, long>, 16>, "
                             "Eigen::TensorPaddingOp") == Approx(0.214).margin(0.02));
  CHECK(kernel_share(report, "TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, 4, 1, long>, 16>, "
                             "Eigen::TensorBroadcastingOp") == Approx(0.200).margin(0.02));
  for (const json& device : report.at("devices")) CHECK(device.at("kernel_concurrency") == 0.0);
  CHECK(finding(report, "low-kernel-concurrency").at("verdict") == "found");
}

TEST_CASE("A-base: 4,200 samples/s on four GPUs, half of the step computing") {
  const json& report = report_of(kABase);
  CHECK(512 / step_s(report) == Approx(4200).epsilon(0.10));
  for (const json& device : report.at("devices")) CHECK(device.at("compute_utilization").get<double>() == Approx(0.5).margin(0.05));
}

TEST_CASE("B-tower-cpu: the first finding names the ops on the wrong device, and its prediction holds on B-tower") {
  const json& report = report_of(kBTowerCpu);
  const json& first = report.at("findings").at(0);
  CHECK(first.at("rule") == "cpu-placed-ops");
  CHECK(first.at("severity") == "critical");
  CHECK(first.at("why").get<std::string>().find("MatMul") != std::string::npos);
  CHECK(first.at("title").get<std::string>().find("/gpu:1") != std::string::npos);
  const double real_speedup = step_s(report) / step_s(report_of(kBTower));
  CHECK(first.at("predicted_speedup").get<double>() == Approx(real_speedup).epsilon(0.15));
}

TEST_CASE("B: the published step times and their ratio") {
  CHECK(step_s(report_of(kB1Gpu)) == Approx(0.868).epsilon(0.10));
  CHECK(step_s(report_of(kBTowerCpu)) == Approx(4.885).epsilon(0.10));
  CHECK(step_s(report_of(kBTowerCpu)) / step_s(report_of(kB1Gpu)) == Approx(5.6).epsilon(0.10));
}

TEST_CASE("B-tower: what PCIe costs it, and what pinned memory wins is what it does win") {
  const json& report = report_of(kBTower);
  const json& first = report.at("findings").at(0);
  CHECK(first.at("rule") == "pageable-copies");
  const double real_speedup = step_s(report) / step_s(report_of(kBTower + " --pinned on"));
  CHECK(first.at("predicted_speedup").get<double>() == Approx(real_speedup).epsilon(0.02));
  for (const json& finding : report.at("findings")) CHECK(finding.at("severity") != "critical");
}

TEST_CASE("A-base-real: the wait for images is found, and reading ahead wins what is promised") {
  const std::string run = "--scenario A-nhwc-real --gpus 1 --steps 6";
  const json& found = finding(report_of(run), "input-stall");
  REQUIRE(found.at("verdict") == "found");
  const double real_speedup = step_s(report_of(run)) / step_s(report_of(run + " --prefetch 4"));
  CHECK(found.at("predicted_speedup").get<double>() == Approx(real_speedup).epsilon(0.02));
}

TEST_CASE("a fault of each kind is found, and its remedy wins what is promised") {
  struct Planted {
    const char* fault;
    const char* rule;
  };
  for (const auto& [fault, rule] : {Planted{"straggler:1:60", "straggler"}, Planted{"serialized-towers", "towers-serialized"},
                                    Planted{"periodic-pause:3:60", "periodic-pauses"}, Planted{"slow-clock:1:60", "slow-clock"},
                                    Planted{"tiny-copies", "tiny-copies"}, Planted{"alloc-in-loop:5", "allocation-in-loop"},
                                    Planted{"few-thread-reduction", "small-grids"}, Planted{"far-socket:1", "slow-link"},
                                    Planted{"unified-memory", "unified-memory-migrations"}}) {
    INFO(fault);
    const std::string base = "--model mlp --box 2x-gtx-1060 --gpus 2 --batch 4 --update all-reduce --pinned on --steps 6";
    const json& found = finding(report_of(base + " --fault " + fault), rule);
    CHECK(found.at("verdict") == "found");
  }
}

TEST_CASE("every scenario: the parts of each GPU's window sum to the window, and nothing was dropped") {
  for (const std::string& run : {kABase, kB1Gpu, kBTowerCpu, kBTower}) {
    const json& report = report_of(run);
    const json& trace = report.at("trace");
    CHECK(trace.at("simulated") == true);
    CHECK(trace.at("complete") == true);
    CHECK(trace.at("dropped") == 0);
    for (const json& device : report.at("devices")) {
      const json& time = device.at("time_ns");
      std::int64_t sum = 0;
      for (const auto& [key, part] : time.items()) {
        if (key == "idle") {
          for (const auto& [cause, ns] : part.items()) sum += ns.get<std::int64_t>();
        } else {
          sum += part.get<std::int64_t>();
        }
      }
      CHECK(sum == trace.at("window_end_ns").get<std::int64_t>() - trace.at("window_start_ns").get<std::int64_t>());
    }
  }
}

TEST_CASE("the report that the README shows is the one that A-base gives") {
  std::ifstream file(std::string(GPUTRACE_SOURCE_DIR) + "/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  const std::string fence = "```text\n", text = readme.str();
  const std::size_t start = text.find(fence) + fence.size(), end = text.find("    ...\n```", start);
  REQUIRE(end != std::string::npos);
  CHECK(text_report_of(kABase).substr(0, end - start) == text.substr(start, end - start));
}

namespace {

std::string readme() {
  std::ifstream file(std::string(GPUTRACE_SOURCE_DIR) + "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The text of the first fenced block of a kind.
std::string block(const std::string& text, const std::string& kind) {
  const std::string fence = "```" + kind + "\n";
  const std::size_t start = text.find(fence) + fence.size();
  return text.substr(start, text.find("```", start) - start);
}

// The commands of a workflow's steps, with the built program, and the bundled trainer as the program to record.
std::vector<std::string> commands_of(const std::string& workflow) {
  std::vector<std::string> commands;
  std::istringstream lines(workflow);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t run = line.find("- run: gputrace ");
    if (run == std::string::npos) continue;
    std::string command = program("gputrace") + line.substr(run + std::string("- run: gputrace").size());
    const std::string users = " -- python train.py --steps 50";
    if (const std::size_t at = command.find(users); at != std::string::npos) {
      command.replace(at, users.size(), " -- " + program("trainer") + " " + kABase + " --arithmetic off");
    }
    commands.push_back(command);
  }
  return commands;
}

}  // namespace

TEST_CASE("the README's workflow runs, and its budget is one that A-base keeps") {
  const std::string setup = "mkdir -p ci && " + program("gputrace") + " report A-base.sqlite --format json -o ci/baseline.json";
  report_of(kABase);  // records A-base.sqlite
  REQUIRE(run_in_scratch(setup).exit_status == 0);
  std::ofstream(scratch() / "ci/budget.toml") << block(readme(), "toml");
  const auto commands = commands_of(block(readme(), "yaml"));
  CHECK(commands.size() == 4);
  for (const std::string& command : commands) {
    const auto run = run_in_scratch("export CUDA_VISIBLE_DEVICES= GITHUB_STEP_SUMMARY=summary.md && " + command);
    INFO(command << "\n" << run.output);
    CHECK(run.exit_status == 0);
  }
  CHECK(std::filesystem::file_size(scratch() / "summary.md") > 1000);
  CHECK(std::filesystem::file_size(scratch() / "report.html") > 10'000);
}

TEST_CASE("the report of each scenario, whole") {
  const auto check = [](const std::string& run, const std::string& name) {
    CHECK(differs_from_golden("scenario_" + name + ".txt", text_report_of(run)) == "");
  };
  check(kABase, "A-base");
  check(kB1Gpu, "B-1gpu");
  check(kBTowerCpu, "B-tower-cpu");
  check(kBTower, "B-tower");
}

TEST_CASE("the report of each scenario, whole, in the other formats") {
  for (const auto& [run, name] : {std::pair{kABase, "A-base"}, std::pair{kBTowerCpu, "B-tower-cpu"}, std::pair{kBTower, "B-tower"}}) {
    for (const auto& [format, ending] : {std::pair{"markdown", ".md"}, std::pair{"json", ".json"}, std::pair{"html", ".html"},
                                         std::pair{"sarif", ".sarif"}}) {
      const std::string golden = std::string("scenario_") + name + ending;
      CHECK(differs_from_golden(golden, abridged(report_of_in(run, format), format)) == "");
    }
  }
}
