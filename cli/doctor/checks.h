// What this machine can record: one function per check, over a picture of the machine that tests can make up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gputrace::cli {

enum class CheckStatus : std::uint8_t { ok, limited, missing };

struct Check {
  std::string name;     // "driver"
  CheckStatus status = CheckStatus::ok;
  std::string found;    // what is there
  std::string effect;   // what a recording here will not hold because of it; "" where ok
  std::string remedy;   // the next step; "" where ok
};

// The machine as the checks see it.
struct Machine {
  std::filesystem::path root = "/";                                        // of /proc and /dev
  std::function<std::optional<std::string>(const char*)> environment{};    // nullopt: not set
  std::optional<int> driver_cuda_version{};                                // 13000: CUDA 13.0; nullopt: no libcuda or cuInit failed
  std::string driver_error{};                                              // why there is none
  int gpu_count = 0;
  std::string cupti_path{};                                                // "" where no libcupti was found
  int cupti_version = 0;
  std::filesystem::path collector{};                                       // the guest library; empty where it was not found
  bool nvtx_arrives = false;
  std::filesystem::path output_folder{};
  std::uint64_t free_bytes = 0;                                            // of the output folder
  bool is_root = false;
};

Check check_driver(const Machine& machine);
Check check_cupti(const Machine& machine);
Check check_permission(const Machine& machine);
Check check_other_profilers(const Machine& machine);
Check check_container(const Machine& machine);
Check check_collector(const Machine& machine);
Check check_nvtx(const Machine& machine);
Check check_disk(const Machine& machine);

std::vector<Check> all_checks(const Machine& machine);

// One sentence: what a recording here will hold.
std::string will_hold(const Machine& machine);

}  // namespace gputrace::cli
