#include "cli/doctor/checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace gputrace::cli {
namespace {

// A minute of 100,000 launches/s is about 0.5 GB of spool and 1 GB of trace.
constexpr std::uint64_t kComfortableBytes = 2'000'000'000;
constexpr int kOldestCuptiVersion = 18;  // CUDA 11.8
constexpr int kCapPerfmon = 38, kCapSysAdmin = 21;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string environment(const Machine& machine, const char* name) {
  return machine.environment ? machine.environment(name).value_or("") : "";
}

bool is_wsl(const Machine& machine) {
  const std::string version = read_text(machine.root / "proc/version");
  return version.find("microsoft") != std::string::npos || version.find("Microsoft") != std::string::npos;
}

bool has_capability(const Machine& machine, int capability) {
  const std::string status = read_text(machine.root / "proc/self/status");
  const std::size_t at = status.find("CapEff:");
  if (at == std::string::npos) return false;
  const std::size_t digits = status.find_first_not_of(" \t", at + 7);
  std::uint64_t mask = 0;
  if (digits == std::string::npos) return false;
  std::from_chars(status.data() + digits, status.data() + status.size(), mask, 16);
  return ((mask >> capability) & 1U) != 0;
}

bool may_profile_gpus(const Machine& machine) {
  return machine.is_root || has_capability(machine, kCapSysAdmin) || has_capability(machine, kCapPerfmon);
}

// The driver's module parameter; nullopt where there is no driver to ask.
std::optional<bool> profiling_is_for_administrators(const Machine& machine) {
  const std::string params = read_text(machine.root / "proc/driver/nvidia/params");
  const std::size_t at = params.find("RmProfilingAdminOnly:");
  if (at == std::string::npos) return std::nullopt;
  return params.find('1', at) < params.find('\n', at);
}

std::string cuda_version(int version) { return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

Check check_driver(const Machine& machine) {
  if (machine.driver_cuda_version && machine.gpu_count > 0) {
    return {"driver", CheckStatus::ok, fmt::format("{}, {} GPUs", cuda_version(*machine.driver_cuda_version), machine.gpu_count), "", ""};
  }
  if (machine.driver_cuda_version) {
    return {"driver", CheckStatus::missing, cuda_version(*machine.driver_cuda_version) + ", no GPU answers", "work on GPUs",
            "check nvidia-smi, and CUDA_VISIBLE_DEVICES"};
  }
  const std::string wsl = is_wsl(machine) ? " (in WSL the driver comes from Windows: /usr/lib/wsl/lib must be on the library path)" : "";
  return {"driver", CheckStatus::missing, machine.driver_error.empty() ? "no libcuda.so.1" : machine.driver_error, "work on GPUs",
          "install NVIDIA's driver" + wsl + "; the bundled trainer runs on a simulated machine without one"};
}

Check check_cupti(const Machine& machine) {
  if (machine.cupti_path.empty()) {
    return {"CUPTI", CheckStatus::missing, "no libcupti.so found", "kernels, copies and CUDA calls (NVTX ranges are recorded all the same)",
            "install the CUDA toolkit's CUPTI (Debian: cuda-cupti-*; Python: pip install nvidia-cuda-cupti) and put it on LD_LIBRARY_PATH"};
  }
  const std::string found = fmt::format("{}, API version {}", machine.cupti_path, machine.cupti_version);
  if (machine.cupti_version < kOldestCuptiVersion) {
    return {"CUPTI", CheckStatus::limited, found, "records of kinds that came later", "use CUPTI of CUDA 11.8 or newer"};
  }
  return {"CUPTI", CheckStatus::ok, found, "", ""};
}

Check check_permission(const Machine& machine) {
  const auto admin_only = profiling_is_for_administrators(machine);
  if (!admin_only) return {"permission", CheckStatus::ok, "no driver that could refuse", "", ""};
  if (!*admin_only) return {"permission", CheckStatus::ok, "every user may profile", "", ""};
  if (may_profile_gpus(machine)) return {"permission", CheckStatus::ok, "administrators only, and this is one", "", ""};
  return {"permission", CheckStatus::limited, "RmProfilingAdminOnly is 1 and this user is no administrator",
          "GPU counters; some drivers refuse kernel records too",
          "set 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d and reboot, or run as root"};
}

Check check_other_profilers(const Machine& machine) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const std::string value = environment(machine, variable);
    if (value.empty() || value == machine.collector.string()) continue;
    return {"other profilers", CheckStatus::limited, fmt::format("{}={}", variable, value),
            "whatever that profiler takes: CUPTI serves one at a time", fmt::format("unset {}; gputrace record sets its own", variable)};
  }
  for (const char* variable : {"NSYS_PROFILING_SESSION_ID", "NV_TPS_LAUNCH_UUID"}) {
    if (environment(machine, variable).empty()) continue;
    return {"other profilers", CheckStatus::limited, fmt::format("{} is set: a profiler of NVIDIA's runs this shell", variable),
            "kernels, copies and CUDA calls: CUPTI serves one profiler at a time", "record outside of nsys and ncu"};
  }
  return {"other profilers", CheckStatus::ok, "none seen", "", ""};
}

Check check_container(const Machine& machine) {
  const bool docker = std::filesystem::exists(machine.root / ".dockerenv");
  const bool podman = std::filesystem::exists(machine.root / "run/.containerenv");
  if (!docker && !podman) return {"container", CheckStatus::ok, is_wsl(machine) ? "WSL, no container" : "no container", "", ""};
  const std::string kind = docker ? "Docker" : "Podman";
  if (profiling_is_for_administrators(machine).value_or(false) && !may_profile_gpus(machine)) {
    return {"container", CheckStatus::limited, kind + ", without CAP_SYS_ADMIN or CAP_PERFMON", "GPU counters; some drivers refuse kernel records too",
            "start it with --cap-add=SYS_ADMIN (or PERFMON), and --gpus all"};
  }
  return {"container", CheckStatus::ok, kind, "", ""};
}

Check check_collector(const Machine& machine) {
  if (machine.collector.empty()) {
    return {"collector", CheckStatus::missing, "libgputrace_collector.so is not beside this program (../lib)", "everything",
            "build it (the stage `collector`), or install gputrace as a whole with cmake --install"};
  }
  return {"collector", CheckStatus::ok, machine.collector.string(), "", ""};
}

Check check_nvtx(const Machine& machine) {
  if (machine.nvtx_arrives) return {"NVTX", CheckStatus::ok, "a range made here arrived in the collector", "", ""};
  return {"NVTX", CheckStatus::missing, "a range made here did not arrive in the collector", "NVTX ranges, and with them the steps",
          "see the check `collector`; a program must use NVTX 3 (header only) or libnvToolsExt"};
}

Check check_disk(const Machine& machine) {
  const std::string found = fmt::format("{:.1f} GB free in {}", static_cast<double>(machine.free_bytes) / 1e9, machine.output_folder.string());
  if (machine.free_bytes >= kComfortableBytes) return {"disk", CheckStatus::ok, found, "", ""};
  return {"disk", CheckStatus::limited, found, "the end of a long recording: what no longer fits is dropped and counted",
          "record to another folder with -o, or less with -t"};
}

std::vector<Check> all_checks(const Machine& machine) {
  return {check_driver(machine),    check_cupti(machine),     check_permission(machine), check_other_profilers(machine),
          check_container(machine), check_collector(machine), check_nvtx(machine),       check_disk(machine)};
}

std::string will_hold(const Machine& machine) {
  if (machine.collector.empty()) return "Nothing can be recorded here: the collector is missing.";
  const std::string nvtx = machine.nvtx_arrives ? "NVTX ranges" : "";
  const bool gpu = machine.driver_cuda_version && machine.gpu_count > 0 && !machine.cupti_path.empty();
  if (gpu) return fmt::format("A recording here holds kernels, copies, CUDA calls{}{}.", nvtx.empty() ? "" : " and ", nvtx);
  if (nvtx.empty()) return "A recording here holds nothing.";
  return "A recording here holds NVTX ranges, and no work on GPUs; the bundled trainer's simulated machine brings its own.";
}

}  // namespace gputrace::cli
