// The library's exported functions. The loader of CUDA or NVTX calls them; exports.map lets no other symbol out.
#include "collector/guest/cupti_recorder.h"
#include "collector/guest/guarded.h"
#include "collector/guest/nvtx_callbacks.h"
#include "collector/guest/nvtx_payloads.h"
#include "collector/guest/session.h"

namespace guest = gputrace::guest;

extern "C" {

// libcuda calls this from cuInit, when CUDA_INJECTION64_PATH names this library. 1: we are in.
__attribute__((visibility("default"))) int InitializeInjection() noexcept {
  guest::guarded("InitializeInjection", [] {
    if (guest::Session* session = guest::Session::current()) guest::start_cupti(*session);
  });
  return 1;
}

// NVTX calls this from the first NVTX call in each shared object, when NVTX_INJECTION64_PATH names this library. 0:
// NVTX then turns its functions into no-ops, as without a tool.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(guest::NvtxExportTable get_export_table) noexcept {
  int installed = 0;
  guest::guarded("InitializeInjectionNvtx2", [&] {
    guest::Session* session = guest::Session::current();
    if (session == nullptr || !session->options().nvtx) return;
    installed = guest::install_nvtx(get_export_table) ? 1 : 0;
    if (installed == 0) return;
    guest::adopt_loaded_cupti_clock(*session);
  });
  return installed;
}

// NVTX calls this from the first call of an extension's function in each shared object. 0: the extension's functions do nothing.
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(void* module_info) noexcept {
  int installed = 0;
  guest::guarded("InitializeInjectionNvtxExtension", [&] {
    guest::Session* session = guest::Session::current();
    if (session != nullptr && session->options().nvtx) installed = guest::install_nvtx_extension(module_info) ? 1 : 0;
  });
  return installed;
}

}  // extern "C"
