#include "collector/guest/cupti_library.h"

#include <dlfcn.h>

#include <cstring>

#include <cupti.h>

namespace gputrace::guest {

namespace {

constexpr const char* kSonames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
constexpr const char* kFolders[] = {"/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"};

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

CuptiLibrary resolve_all(void* library, std::string path) {
  CuptiLibrary cupti;
  if (library == nullptr) return cupti;
  cupti.path = std::move(path);
  resolve(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  resolve(library, "cuptiActivityEnable", cupti.enable);
  resolve(library, "cuptiActivityFlushAll", cupti.flush_all);
  resolve(library, "cuptiGetTimestamp", cupti.timestamp);
  resolve(library, "cuptiActivityDisable", cupti.disable);
  resolve(library, "cuptiSubscribe", cupti.subscribe);
  resolve(library, "cuptiEnableCallback", cupti.enable_callback);
  resolve(library, "cuptiActivityGetNumDroppedRecords", cupti.dropped_records);
  resolve(library, "cuptiActivityFlushPeriod", cupti.flush_period);
  resolve(library, "cuptiActivityConfigureUnifiedMemoryCounter", cupti.configure_unified_memory);
  resolve(library, "cuptiSetThreadIdType", cupti.set_thread_id_type);
  resolve(library, "cuptiGetCallbackName", cupti.callback_name);
  resolve(library, "cuptiGetVersion", cupti.version);
  resolve(library, "cuptiGetResultString", cupti.result_string);
  resolve(library, "cuptiProviderMetadata", cupti.provider_metadata);
  if (cupti.register_callbacks && cupti.enable && cupti.flush_all && cupti.timestamp) {
    resolve(library, "cuptiActivityGetNextRecord", cupti.next_record);  // makes it usable()
  }
  return cupti;
}

std::uint32_t measure(const CuptiLibrary& cupti, std::uint32_t kind) {
  constexpr std::size_t kBytes = 2048;
  constexpr std::uint32_t kMark = CUPTI_ACTIVITY_KIND_RUNTIME;
  alignas(8) std::uint8_t buffer[kBytes] = {};
  for (std::size_t at = 8; at < kBytes; at += 8) std::memcpy(buffer + at, &kMark, sizeof kMark);
  std::memcpy(buffer, &kind, sizeof kind);
  void* record = nullptr;
  if (cupti.next_record(buffer, kBytes, &record) != CUPTI_SUCCESS || record != buffer) return 0;
  if (cupti.next_record(buffer, kBytes, &record) != CUPTI_SUCCESS) return 0;
  const std::ptrdiff_t step = static_cast<std::uint8_t*>(record) - buffer;
  return step >= 8 && step < static_cast<std::ptrdiff_t>(kBytes) && step % 8 == 0 ? static_cast<std::uint32_t>(step)
                                                                                  : 0;
}

}  // namespace

CuptiLibrary loaded_cupti() {
  for (const char* soname : kSonames) {
    CuptiLibrary cupti = resolve_all(dlopen(soname, RTLD_NOW | RTLD_NOLOAD), soname);
    if (cupti.usable()) return cupti;
  }
  return {};
}

CuptiLibrary open_cupti(const std::string& path) {
  CuptiLibrary cupti = loaded_cupti();
  if (cupti.usable()) return cupti;
  const auto try_open = [&](const std::string& name) {
    cupti = resolve_all(dlopen(name.c_str(), RTLD_NOW), name);
    return cupti.usable();
  };
  if (!path.empty() && try_open(path)) return cupti;
  for (const char* soname : kSonames) {
    if (try_open(soname)) return cupti;
    for (const char* folder : kFolders) {
      if (try_open(std::string(folder) + soname)) return cupti;
    }
  }
  return {};
}

std::array<std::uint32_t, kMaxActivityKinds> measure_records(const CuptiLibrary& cupti) {
  std::array<std::uint32_t, kMaxActivityKinds> bytes{};
  for (std::uint32_t kind = 1; kind < kMaxActivityKinds; ++kind) bytes[kind] = measure(cupti, kind);
  return bytes;
}

}  // namespace gputrace::guest
