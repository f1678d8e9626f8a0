// An injected NVTX tool: writes what the program annotates, a line per call, to the file that
// TRAINER_TEST_NVTX_LOG names: "THREAD push DOMAIN TEXT", "THREAD pop DOMAIN". A thread is "main" until it is
// named.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>

namespace {

struct Listener {
  std::mutex mutex;
  std::FILE* log = nullptr;
  std::deque<std::string> domains, texts;  // addresses are the handles
};

Listener& listener() {
  static Listener* one = new Listener;  // outlives every thread
  return *one;
}

thread_local std::string t_thread_name = "main";

void write_line(const std::string& line) {
  const std::lock_guard lock(listener().mutex);
  if (listener().log) std::fprintf(listener().log, "%s %s\n", t_thread_name.c_str(), line.c_str());
}

const std::string& named(const void* handle) { return *static_cast<const std::string*>(handle); }

void* keep(std::deque<std::string>& kept, const char* text) {
  const std::lock_guard lock(listener().mutex);
  return &kept.emplace_back(text);
}

nvtxDomainHandle_t domain_create(const char* name) {
  return static_cast<nvtxDomainHandle_t>(keep(listener().domains, name));
}

nvtxStringHandle_t register_string(nvtxDomainHandle_t, const char* text) {
  return static_cast<nvtxStringHandle_t>(keep(listener().texts, text));
}

int range_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  const std::string text = attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED
                               ? named(attributes->message.registered)
                               : attributes->message.ascii;
  write_line("push " + named(domain) + " " + text);
  return 0;
}

int range_pop(nvtxDomainHandle_t domain) {
  write_line("pop " + named(domain));
  return 0;
}

void name_thread(uint32_t, const char* name) { t_thread_name = name; }

template <class Function>
void install(NvtxFunctionTable table, unsigned int index, Function function) {
  *table[index] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  const char* path = std::getenv("TRAINER_TEST_NVTX_LOG");
  NvtxFunctionTable core = nullptr, core2 = nullptr;
  if (!path || !callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, nullptr) ||
      !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core2, nullptr)) {
    return 0;
  }
  listener().log = std::fopen(path, "w");
  install(core, NVTX_CBID_CORE_NameOsThreadA, &name_thread);
  install(core2, NVTX_CBID_CORE2_DomainCreateA, &domain_create);
  install(core2, NVTX_CBID_CORE2_DomainRegisterStringA, &register_string);
  install(core2, NVTX_CBID_CORE2_DomainRangePushEx, &range_push);
  install(core2, NVTX_CBID_CORE2_DomainRangePop, &range_pop);
  return 1;
}
