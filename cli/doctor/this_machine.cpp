#include "cli/doctor/this_machine.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include "cli/find_collector.h"
#include "cli/launch.h"
#include "collector/spool_convert.h"
#include "trace/trace_reader.h"

namespace gputrace::cli {
namespace {

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// libraries stay open: a driver that has been initialised cannot be unloaded safely.
void look_at_driver(Machine& machine) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    machine.driver_error = "no libcuda.so.1";
    return;
  }
  const auto init = symbol<int (*)(unsigned)>(library, "cuInit");
  const auto version = symbol<int (*)(int*)>(library, "cuDriverGetVersion");
  const auto count = symbol<int (*)(int*)>(library, "cuDeviceGetCount");
  if (init == nullptr || version == nullptr || count == nullptr) {
    machine.driver_error = "libcuda.so.1 is no driver";
    return;
  }
  int value = 0;
  if (version(&value) == 0) machine.driver_cuda_version = value;
  if (const int error = init(0); error != 0) {
    machine.driver_error = fmt::format("cuInit gives error {}", error);
    return;
  }
  if (count(&value) == 0) machine.gpu_count = value;
}

void look_at_cupti(Machine& machine) {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    machine.cupti_path = name;
    std::uint32_t version = 0;
    const auto get = symbol<int (*)(std::uint32_t*)>(library, "cuptiGetVersion");
    if (get != nullptr && get(&version) == 0) machine.cupti_version = static_cast<int>(version);
    return;
  }
}

bool holds_probe_range(const std::filesystem::path& trace_file) {
  const auto trace = trace::read_trace(trace_file);
  if (!trace) return false;
  for (const trace::StringId text : trace->nvtx.text) {
    if (trace->text(text) == kProbeRange) return true;
  }
  return false;
}

bool nvtx_arrives(const std::filesystem::path& collector) {
  std::string pattern = (std::filesystem::temp_directory_path() / "gputrace-doctor-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return false;
  const std::filesystem::path folder = pattern, spools = folder / "spools", trace = folder / "probe.sqlite";
  std::error_code ignored;  // a leftover folder in the temporary directory harms nobody
  std::filesystem::create_directory(spools, ignored);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  const auto status = run_to_end({self, {self, "doctor", "--emit-probe-range"},
                                  {{"NVTX_INJECTION64_PATH", collector.string()}, {"CUDA_INJECTION64_PATH", ""},
                                   {"GPUTRACE_SPOOL_DIR", spools.string()}, {"GPUTRACE_TRACE", "nvtx"}}});
  const bool arrived = status && *status == 0 && collector::convert_spools(spools, {trace, false, {}}) && holds_probe_range(trace);
  std::filesystem::remove_all(folder, ignored);
  return arrived;
}

}  // namespace

Machine look_at_this_machine(const std::filesystem::path& output_folder) {
  Machine machine;
  machine.environment = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  look_at_driver(machine);
  look_at_cupti(machine);
  if (const auto collector = find_collector()) {
    machine.collector = *collector;
    machine.nvtx_arrives = nvtx_arrives(*collector);
  }
  machine.output_folder = output_folder;
  std::error_code error;
  const auto space = std::filesystem::space(output_folder, error);
  machine.free_bytes = error ? 0 : space.available;
  machine.is_root = geteuid() == 0;
  return machine;
}

void emit_probe_range() {
#if __has_include(<nvtx3/nvToolsExt.h>)
  nvtxRangePushA(kProbeRange);
  nvtxRangePop();
#endif
}

}  // namespace gputrace::cli
