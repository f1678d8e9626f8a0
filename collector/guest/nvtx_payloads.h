// NVTX's payload extension: events with data, and the schemas that say what the data is. NCCL speaks of its collectives this way.
#pragma once

namespace gputrace::guest {

// `module_info`: nvtxExtModuleInfo_t of the extension that a shared object of the host brings along. False where it is another
// extension than that of payloads.
bool install_nvtx_extension(void* module_info);

}  // namespace gputrace::guest
