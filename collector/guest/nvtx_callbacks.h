// NVTX 3: hands our functions to the NVTX code of one shared object.
#pragma once

#include <cstdint>

namespace gputrace::guest {

using NvtxExportTable = const void* (*)(std::uint32_t id);

// Fills the object's function tables. Each object with NVTX in it asks once. False: a table that we do not understand.
bool install_nvtx(NvtxExportTable get_export_table);

}  // namespace gputrace::guest
