#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "cli/doctor/checks.h"

using namespace gputrace::cli;

namespace {

// A machine made of files in a scratch folder; whole and healthy until a test breaks it.
class FakeMachine {
 public:
  FakeMachine() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gputrace-doctor-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    machine.root = pattern;
    machine.environment = [](const char*) { return std::nullopt; };
    machine.driver_cuda_version = 13000;
    machine.gpu_count = 4;
    machine.cupti_path = "libcupti.so.13";
    machine.cupti_version = 130001;
    machine.collector = "/opt/gputrace/lib/libgputrace_collector.so";
    machine.nvtx_arrives = true;
    machine.output_folder = "/data";
    machine.free_bytes = 50'000'000'000;
  }
  ~FakeMachine() {
    std::error_code ignored;  // a leftover scratch folder harms nobody
    std::filesystem::remove_all(machine.root, ignored);
  }
  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((machine.root / path).parent_path());
    std::ofstream(machine.root / path) << text;
  }
  Machine machine;
};

}  // namespace

TEST_CASE("doctor: a whole machine passes every check and needs no remedy") {
  const FakeMachine fake;
  for (const Check& check : all_checks(fake.machine)) {
    INFO(check.name << ": " << check.found);
    CHECK(check.status == CheckStatus::ok);
    CHECK(check.effect.empty());
    CHECK(check.remedy.empty());
  }
  CHECK(will_hold(fake.machine) == "A recording here holds kernels, copies, CUDA calls and NVTX ranges.");
}

TEST_CASE("doctor: whatever is wrong has an effect and a remedy") {
  FakeMachine fake;
  fake.machine = Machine{.root = fake.machine.root};
  int wrong = 0;
  for (const Check& check : all_checks(fake.machine)) {
    if (check.status == CheckStatus::ok) continue;
    ++wrong;
    CHECK_FALSE(check.effect.empty());
    CHECK_FALSE(check.remedy.empty());
  }
  CHECK(wrong == 5);  // driver, CUPTI, collector, NVTX, disk
  CHECK(will_hold(fake.machine) == "Nothing can be recorded here: the collector is missing.");
}

TEST_CASE("doctor: without a driver NVTX is all that a recording holds; in WSL the remedy says where the driver is") {
  FakeMachine fake;
  fake.machine.driver_cuda_version.reset();
  CHECK(check_driver(fake.machine).status == CheckStatus::missing);
  CHECK(will_hold(fake.machine).find("NVTX ranges, and no work on GPUs") != std::string::npos);
  CHECK(check_driver(fake.machine).remedy.find("WSL") == std::string::npos);
  fake.write("proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2");
  CHECK(check_driver(fake.machine).remedy.find("WSL") != std::string::npos);
}

TEST_CASE("doctor: a driver without a GPU, an old CUPTI, a full disk") {
  FakeMachine fake;
  fake.machine.gpu_count = 0;
  CHECK(check_driver(fake.machine).status == CheckStatus::missing);
  fake.machine.cupti_version = 17;
  CHECK(check_cupti(fake.machine).status == CheckStatus::limited);
  fake.machine.cupti_version = 18;
  CHECK(check_cupti(fake.machine).status == CheckStatus::ok);
  fake.machine.free_bytes = 1'999'999'999;
  CHECK(check_disk(fake.machine).status == CheckStatus::limited);
}

TEST_CASE("doctor: profiling for administrators only") {
  FakeMachine fake;
  fake.write("proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\nPreserveVideoMemoryAllocations: 0\n");
  CHECK(check_permission(fake.machine).status == CheckStatus::limited);
  SECTION("root may") { fake.machine.is_root = true; CHECK(check_permission(fake.machine).status == CheckStatus::ok); }
  SECTION("CAP_SYS_ADMIN may") {
    fake.write("proc/self/status", "Name:\tgputrace\nCapEff:\t0000000000200000\n");
    CHECK(check_permission(fake.machine).status == CheckStatus::ok);
  }
  SECTION("CAP_PERFMON may") {
    fake.write("proc/self/status", "CapEff:\t0000004000000000\n");
    CHECK(check_permission(fake.machine).status == CheckStatus::ok);
  }
  SECTION("other capabilities do not help") {
    fake.write("proc/self/status", "CapEff:\t0000000000000400\n");
    CHECK(check_permission(fake.machine).status == CheckStatus::limited);
  }
  SECTION("the administrator opened it") {
    fake.write("proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\nOther: 1\n");
    CHECK(check_permission(fake.machine).status == CheckStatus::ok);
  }
  SECTION("in a container the remedy is a capability") {
    fake.write(".dockerenv", "");
    CHECK(check_container(fake.machine).remedy.find("--cap-add") != std::string::npos);
  }
}

TEST_CASE("doctor: another profiler in the environment, and our own collector, which is none") {
  FakeMachine fake;
  std::string value = "/opt/nsys/libToolsInjection64.so";
  fake.machine.environment = [&](const char* name) -> std::optional<std::string> {
    return std::string_view(name) == "CUDA_INJECTION64_PATH" ? std::optional(value) : std::nullopt;
  };
  CHECK(check_other_profilers(fake.machine).status == CheckStatus::limited);
  value = fake.machine.collector.string();
  CHECK(check_other_profilers(fake.machine).status == CheckStatus::ok);
}
