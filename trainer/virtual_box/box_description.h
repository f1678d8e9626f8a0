// A machine as a person reads it: its GPUs, its host, and the tree of links that joins them.
#pragma once

#include <string>

namespace trainer::virtual_box {

struct MachineProfile;

// Several lines, the last one ended too. Rates are GB/s of one direction: of PCIe after line coding, of NVLink as published.
std::string describe(const MachineProfile& machine);

}  // namespace trainer::virtual_box
