#include "analyzer/call_kinds.h"

#include <algorithm>
#include <array>

namespace gputrace::analyzer {

namespace {

// Without the prefix of the API ("cuda", "cu", "hip") and without a version ("_v7000", "_v2_ptsz").
std::string_view bare(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  return name.substr(0, name.find('_'));
}

template <std::size_t kCount>
bool is_one_of(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 5> kSynchronize{"StreamSynchronize", "EventSynchronize", "DeviceSynchronize", "CtxSynchronize",
                                                       "ThreadSynchronize"};
constexpr std::array<std::string_view, 16> kAllocate{"Malloc",    "MallocHost", "MallocPitch", "MallocManaged", "HostAlloc", "Free",
                                                     "FreeHost",  "MemAlloc",   "MemAllocHost", "MemAllocPitch", "MemAllocManaged",
                                                     "MemHostAlloc", "MemFree", "MemFreeHost",  "HostMalloc",   "HostFree"};

}  // namespace

CallKind call_kind(std::string_view name) {
  const std::string_view call = bare(name);
  if (call.starts_with("Launch") || call == "GraphLaunch" || call == "ModuleLaunchKernel" || call == "ExtLaunchKernel") return CallKind::launch;
  if (is_one_of(call, kSynchronize)) return CallKind::synchronize;
  if (is_one_of(call, kAllocate)) return CallKind::allocate;
  if (call.starts_with("Memcpy") || call.starts_with("Memset")) return CallKind::copy;
  if (call.starts_with("ModuleLoad") || call.starts_with("LibraryLoad") || call == "ModuleGetFunction" || call == "FuncGetAttributes") return CallKind::load;
  return CallKind::other;
}

}  // namespace gputrace::analyzer
