#include "trainer/virtual_box/box_description.h"

#include <algorithm>
#include <cstdio>

#include "trainer/virtual_box/machine_profile.h"

namespace trainer::virtual_box {
namespace {

std::string rounded(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string pcie_text(const PcieModel& pcie, int lanes) {
  return "PCIe " + std::to_string(pcie.generation) + ".0 x" + std::to_string(lanes) + ", " +
         rounded(pcie_gbps(pcie.generation, lanes), 1) + " GB/s";
}

bool is_on_a_switch(const PcieModel& pcie, int gpu) {
  return std::any_of(pcie.switches.begin(), pcie.switches.end(), [gpu](const PcieSwitch& entry) {
    return std::find(entry.gpus.begin(), entry.gpus.end(), gpu) != entry.gpus.end();
  });
}

std::string gpu_line(const MachineProfile& machine, int gpu, const std::string& indent) {
  return indent + "GPU " + std::to_string(gpu) + " (" + pcie_text(machine.pcie, machine.pcie.lanes_of(gpu)) + ")\n";
}

std::string link_tree(const MachineProfile& machine) {
  std::string text = "  root\n";
  for (const PcieSwitch& entry : machine.pcie.switches) {
    text += "    switch (uplink " + pcie_text(machine.pcie, entry.uplink_lanes) + ")\n";
    for (const int gpu : entry.gpus) text += gpu_line(machine, gpu, "      ");
  }
  for (int gpu = 0; gpu < machine.gpu.count; ++gpu)
    if (!is_on_a_switch(machine.pcie, gpu)) text += gpu_line(machine, gpu, "    ");
  return text;
}

std::string nvlink_lines(const MachineProfile& machine) {
  if (machine.nvswitch.links > 0)
    return "  NVSwitch: a port of " + rounded(machine.nvswitch.port_gbps(), 0) + " GB/s for every GPU\n";
  std::string text;
  for (const NvlinkEdge& edge : machine.nvlinks) {
    text += "  NVLink: GPU " + std::to_string(edge.gpus[0]) + " - GPU " + std::to_string(edge.gpus[1]) + ", " +
            rounded(edge.links * edge.gbps_per_direction, 0) + " GB/s\n";
  }
  return text;
}

const char* peer_access_text(PeerAccess access) {
  if (access == PeerAccess::all) return "over PCIe between all GPUs";
  return access == PeerAccess::none ? "none over PCIe" : "over PCIe within a switch";
}

}  // namespace

std::string describe(const MachineProfile& machine) {
  const GpuModel& gpu = machine.gpu;
  std::string text = machine.name + "\n  " + std::to_string(gpu.count) + " x " + gpu.name + " (compute " +
                     std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor) + "): " +
                     std::to_string(gpu.sm_count) + " SMs of " + std::to_string(gpu.lanes_per_sm) + " lanes, " +
                     rounded(gpu.clock_mhz, 0) + " MHz, " + rounded(gpu.peak_gflops() / 1000, 1) + " TFLOP/s, " +
                     rounded(gpu.memory_gbps, 1) + " GB/s, " + rounded(gpu.memory_mib / 1024.0, 0) + " GiB\n";
  text += "  host " + machine.host.processor + ": " + std::to_string(machine.host.cores) + " cores, " +
          rounded(machine.host.clock_ghz, 1) + " GHz, " + rounded(machine.host.memory_gbps, 1) + " GB/s\n";
  text += link_tree(machine) + nvlink_lines(machine);
  return text + "  peer access: " + peer_access_text(machine.pcie.peer_access) + "\n";
}

}  // namespace trainer::virtual_box
