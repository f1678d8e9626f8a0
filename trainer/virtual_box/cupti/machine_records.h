// Records that describe the machine: devices, the PCIe tree, NVLink.
#pragma once

#include <vector>

#include <cupti.h>

#include "trainer/virtual_box/machine_profile.h"

namespace trainer::virtual_box {

// name: of the GPU, must outlive the records.
std::vector<CUpti_ActivityDevice5> device_records(const MachineProfile& machine, const char* name);
std::vector<CUpti_ActivityPcie> pcie_records(const MachineProfile& machine);  // the GPUs, then a bridge per switch
std::vector<CUpti_ActivityNvLink4> nvlink_records(const MachineProfile& machine);

}  // namespace trainer::virtual_box
