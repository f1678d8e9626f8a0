// Traces of real programs whose true cause is known. They are not part of the project; without them nothing is tested here.
#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "tests/scenarios/recorded_run.h"
#include "tests/support/golden.h"

using namespace gputrace::tests;
using nlohmann::json;

namespace {

// null where the file is not there.
json report_of_file(const std::string& name) {
  const auto path = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data" / name;
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: " << name << " is not there\n";
    return nullptr;
  }
  const ProgramResult run = run_in_scratch(program("gputrace") + " report '" + path.string() + "' --format json");
  INFO(run.output);
  REQUIRE(run.exit_status == 0);
  return json::parse(run.output);
}

const json* found_of(const json& report, const std::string& rule) {
  for (const json& finding : report.at("findings"))
    if (finding.at("rule") == rule && finding.at("verdict") == "found") return &finding;
  return nullptr;
}

bool says(const json& finding, const std::string& field, const std::string& words) { return finding.at(field).get<std::string>().find(words) != std::string::npos; }

void check_without_warning(const json& report) {
  for (const json& finding : report.at("findings")) {
    INFO(finding.at("title"));
    CHECK((finding.at("verdict") != "found" || finding.at("severity") == "info"));
  }
}

}  // namespace

TEST_CASE("weights that stream in over PCIe: the copies are pinned already and run at the link's rate") {
  const json report = report_of_file("nsys/nsysai_h100_2gpu_1s.sqlite");
  if (report.is_null()) return;
  const json& first = report.at("findings").at(0);
  CHECK(first.at("rule") == "pcie-bound-transfers");
  CHECK(first.at("severity") == "critical");
  const auto why = first.at("why").get<std::string>();
  CHECK(why.find("pinned already") != std::string::npos);
  CHECK(why.find("at the link's rate") != std::string::npos);
  for (const json& advice : first.at("advice")) CHECK(advice.get<std::string>().find("pin_memory") == std::string::npos);
}

TEST_CASE("a GPU that is busy 99.8 % of the time is healthy") {
  const json report = report_of_file("nsys/a100_lm_2_7B_clean.sqlite");
  if (report.is_null()) return;
  check_without_warning(report);
  for (const json& finding : report.at("findings")) CHECK((finding.at("verdict") != "found" || finding.at("rule") == "low-precision-unused"));  // it is a choice
  CHECK(report.at("devices").at(0).at("compute_utilization").get<double>() == Approx(0.998).margin(0.001));
}

TEST_CASE("pageable uploads before the first kernel do not blame the training loop") {
  const json report = report_of_file("nsys/a100_lm_2_7B.sqlite");
  if (report.is_null()) return;
  check_without_warning(report);
  const json* start_up = found_of(report, "start-up-dominates");
  REQUIRE(start_up != nullptr);
  CHECK(says(*start_up, "why", "13.6 GB are copied to the GPUs in 4.46 s, at 3.1 GB/s, from pageable memory"));
  CHECK(report.at("steps").at("source") == "periodicity");
  CHECK(report.at("steps").at("median_ns").get<double>() == Approx(841e6).epsilon(0.01));
}

TEST_CASE("a healthy trace that begins at time 0 has no warning") {
  const json report = report_of_file("nsys/nsysai_healthy_1pct.sqlite");
  if (report.is_null()) return;
  check_without_warning(report);
}

TEST_CASE("one blocking read-back per element is that, and no matter of bandwidth") {
  const json report = report_of_file("kineto/gpupuzzlers_addition_d2h_sync.json.gz");
  if (report.is_null()) return;
  const json& first = report.at("findings").at(0);
  CHECK(first.at("rule") == "blocking-readbacks");
  CHECK(first.at("title").get<std::string>().find("4096 small results") != std::string::npos);
  for (const json& finding : report.at("findings")) {
    CHECK((finding.at("rule") != "pcie-bound-transfers" || finding.at("verdict") == "nothing"));
  }
}

TEST_CASE("small kernels that wait for their launches are launch-bound") {
  const json report = report_of_file("kineto/gpupuzzlers_fusion_mwe_trace.json.gz");
  if (report.is_null()) return;
  CHECK(report.at("findings").at(0).at("rule") == "launch-bound");
}

TEST_CASE("time in collectives is waiting for the last GPU to launch, and no room for more kernels") {
  const json report = report_of_file("nvprof/blinkplus_nccl_4gpu.nvvp");
  if (report.is_null()) return;
  const json& first = report.at("findings").at(0);
  CHECK(first.at("rule") == "exposed-communication");
  CHECK(says(first, "why", "GPU 3 begins 4.3 ms after GPU 0"));
  const json* straggler = found_of(report, "straggler");
  REQUIRE(straggler != nullptr);
  CHECK(says(*straggler, "title", "GPU 3 comes last"));
  CHECK(found_of(report, "low-kernel-concurrency") == nullptr);
}

TEST_CASE("the rank that comes last to a collective is the one with the shortest kernel of it") {
  const json report = report_of_file("kineto/dlrm_8xV100");
  if (report.is_null()) return;
  CHECK(report.at("findings").at(0).at("rule") == "launch-bound");
  const json* straggler = found_of(report, "straggler");
  REQUIRE(straggler != nullptr);
  CHECK(says(*straggler, "title", "A straggler: GPU 7 comes last to"));
  CHECK(says(*straggler, "why", "its host was late with the launches"));
  CHECK(found_of(report, "slow-clock") == nullptr);  // one lookup of an embedding has more rows on a GPU
}

TEST_CASE("copies between GPUs are told apart by pair, and what joins them") {
  const json report = report_of_file("kineto/gpupuzzlers_p2p_copy.json.gz");
  if (report.is_null()) return;
  const json& first = report.at("findings").at(0);
  CHECK(first.at("rule") == "peer-path");
  CHECK(first.at("severity") == "info");  // how the machine is built
  CHECK(first.at("recoverable_ns_per_step") == 0);
  CHECK(says(first, "why", "GPU 0 to 1: 88.5 GB/s, as over 4 NVLinks; GPU 0 to 4: 45.6 GB/s, as over 2 NVLinks; GPU 0 to 2: 7.5 GB/s, as over PCIe"));
}

TEST_CASE("a blocking copy to the host after each iteration stops the other streams") {
  const json blocking = report_of_file("kineto/gpupuzzlers_blocking_streams.json.gz"), other = report_of_file("kineto/gpupuzzlers_non_blocking_streams.json.gz");
  if (blocking.is_null() || other.is_null()) return;
  const json& first = blocking.at("findings").at(0);
  CHECK(first.at("rule") == "pageable-copies");
  CHECK(says(first, "why", "The thread waits in each copy until it is done, and hands out the work of 1 other stream only then. Blocking copies to the host are most of"));
  CHECK(says(first, "why", "With the copies to the host alone pinned it takes 136.7 ms"));
  // There the copies to the host are pinned, and those to the GPU are not yet: the link, as the pinned ones show it, is not what holds them up.
  const json& left = other.at("findings").at(0);
  CHECK(left.at("rule") == "pageable-copies");
  CHECK(!says(left, "why", "other stream"));
  CHECK(found_of(other, "pcie-bound-transfers")->at("explained_by") == "pageable-copies");
}

TEST_CASE("input that is read by the training loop itself is an input stall, and the gain is that of workers") {
  const json without = report_of_file("kineto/resnet50_num_workers_0.json.gz"), with = report_of_file("kineto/resnet50_num_workers_4.json.gz");
  if (without.is_null() || with.is_null()) return;
  const json& first = without.at("findings").at(0);
  CHECK(first.at("rule") == "input-stall");
  const double real = without.at("steps").at("median_ns").get<double>() / with.at("steps").at("median_ns").get<double>();
  INFO(real);
  CHECK(first.at("predicted_speedup").get<double>() == Approx(real).epsilon(0.25));
  CHECK(with.at("findings").at(0).at("rule") != "input-stall");
}

TEST_CASE("where kernels of several streams wait for room, a change that changes next to nothing wins nothing") {
  const json report = report_of_file("kineto/hta_trace_diff_control.json.gz");
  if (report.is_null()) return;
  for (const char* rule : {"pageable-copies", "tiny-copies", "sync-stalls", "periodic-pauses"}) {
    INFO(rule);
    CHECK(found_of(report, rule) == nullptr);
  }
}

TEST_CASE("a first launch that loads its kernel holds up that kernel: without the loading it starts that much sooner") {
  const json report = report_of_file("kineto/hta_mi250.json.gz");
  if (report.is_null()) return;
  const json* loading = found_of(report, "lazy-loading-in-loop");
  REQUIRE(loading != nullptr);
  CHECK(loading->at("recoverable_ns_per_step").get<double>() == Approx(6.54e6 / 2).epsilon(0.01));  // one of two steps
}

TEST_CASE("the report of two real traces, whole, in every format") {
  const auto data = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data";
  for (const auto& [folder, name] : {std::pair{"kineto", "dlrm_8xV100"}, std::pair{"nsys", "nsysai_h100_2gpu_1s.sqlite"}}) {
    if (!std::filesystem::exists(data / folder / name)) {
      std::cout << "skipped: " << name << " is not there\n";
      continue;
    }
    for (const auto& [format, ending] : {std::pair{"text", ".txt"}, std::pair{"markdown", ".md"}, std::pair{"json", ".json"},
                                         std::pair{"html", ".html"}, std::pair{"sarif", ".sarif"}}) {
      const ProgramResult run = run_in_scratch("cd '" + (data / folder).string() + "' && " + program("gputrace") + " report " + name +
                                               " --width 100 --format " + format);
      REQUIRE(run.exit_status == 0);
      const std::string golden = "real_" + std::filesystem::path(name).stem().string() + ending;
      CHECK(differs_from_golden(golden, abridged(run.output, format)) == "");
    }
  }
}

TEST_CASE("every trace opens, and the parts of each GPU's time sum to the window") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(folder)) return;
  int opened = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".sqlite") && !name.ends_with(".nvvp") && !name.ends_with(".json.gz")) continue;
    const json report = report_of_file(std::filesystem::relative(entry.path(), folder).string());
    ++opened;
    INFO(name);
    const json& trace = report.at("trace");
    for (const json& device : report.at("devices")) {
      if (device.at("time_ns").is_null()) continue;
      std::int64_t sum = 0;
      for (const auto& [key, part] : device.at("time_ns").items()) {
        if (part.is_object()) {
          for (const auto& [cause, ns] : part.items()) sum += ns.get<std::int64_t>();
        } else {
          sum += part.get<std::int64_t>();
        }
      }
      CHECK(sum == trace.at("window_end_ns").get<std::int64_t>() - trace.at("window_start_ns").get<std::int64_t>());
    }
  }
  CHECK(opened > 0);
}
