#include "trainer/virtual_box/injection.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dlfcn.h>

namespace trainer::virtual_box {
namespace {

namespace fs = std::filesystem;

constexpr char kSoname[] = "libcupti.so.13";

ConnectFunction g_connect = nullptr;  // of the library that is loaded, which stays for the life of the process

void complain(const std::string& what) { std::fprintf(stderr, "virtual_box: %s; running on without a profiler\n", what.c_str()); }

// Beside the build's libraries, or in the installed tree.
std::vector<fs::path> library_places() {
  std::error_code no_proc;
  const fs::path program = fs::read_symlink("/proc/self/exe", no_proc).parent_path();
  return {program / "../lib/virtual_box" / kSoname, program / VIRTUAL_CUPTI_INSTALL_DIR / kSoname,
          fs::path(VIRTUAL_CUPTI_BUILD_DIR) / kSoname};
}

// The soname must be ours, or the injected library's own dlopen would find another libcupti that was loaded before.
bool owns_soname(void* library) {
  void* found = dlopen(kSoname, RTLD_LAZY | RTLD_NOLOAD);
  if (found) dlclose(found);
  return found == library;
}

ConnectFunction load_modelled_cupti() {
  for (const fs::path& place : library_places()) {
    std::error_code absent;
    if (!fs::is_regular_file(place, absent)) continue;
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      complain(std::string("cannot load the modelled CUPTI: ") + dlerror());
      return nullptr;
    }
    if (!owns_soname(library)) {
      complain(std::string("another ") + kSoname + " is loaded already");
      return nullptr;
    }
    return reinterpret_cast<ConnectFunction>(dlsym(library, kConnectSymbol));
  }
  complain(std::string("cannot find the modelled ") + kSoname + " beside the program");
  return nullptr;
}

void inject(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return complain(std::string("cannot load CUDA_INJECTION64_PATH: ") + dlerror());
  const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (!initialize) return complain(std::string(path) + " has no InitializeInjection");
  if (initialize() == 0) complain(std::string("InitializeInjection of ") + path + " failed");
}

}  // namespace

ActivitySink* connect_profiler(const MachineClock& clock, const MachineProfile& machine) {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return nullptr;
  const bool first = !g_connect;
  if (first) g_connect = load_modelled_cupti();
  if (!g_connect) return nullptr;
  ActivitySink* sink = g_connect(&clock);
  sink->describe(machine);
  if (first) inject(path);  // once per process, as cuInit does
  return sink;
}

void disconnect_profiler() {
  if (g_connect) g_connect(nullptr);
}

}  // namespace trainer::virtual_box
