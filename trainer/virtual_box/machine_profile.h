// A machine in figures: what its makers publish, the few efficiency factors that they do not, and what driver calls cost.
// Read from a profile (profiles/*.toml), where each figure says what it is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace trainer::virtual_box {

struct GpuModel {
  std::string name;
  int count = 0;  // in the machine
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0, lanes_per_sm = 0;
  double clock_mhz = 0, memory_gbps = 0;
  int memory_mib = 0, l2_kib = 0;
  int max_threads_per_sm = 0, max_blocks_per_sm = 0, registers_per_sm = 0, shared_kib_per_sm = 0;
  int copy_engines_per_direction = 0;
  double load_latency_cycles = 0;  // of the loads of one thread that walks through memory: caches included

  double peak_gflops() const { return 2.0 * sm_count * lanes_per_sm * clock_mhz / 1000; }  // a multiply-add per lane and cycle
};

struct HostModel {
  std::string processor;
  int cores = 0;
  double clock_ghz = 0;
  int flops_per_cycle = 0;
  double memory_gbps = 0;
  double pageable_gbps = 0;  // of one copy from or to pageable memory

  double core_gflops() const { return clock_ghz * flops_per_cycle; }
};

enum class PeerAccess : std::uint8_t { none, common_switch, all };

struct PcieSwitch {
  int uplink_lanes = 0;
  std::vector<int> gpus;
};

struct PcieModel {
  int generation = 0, gpu_lanes = 0;
  PeerAccess peer_access = PeerAccess::none;
  std::vector<PcieSwitch> switches;  // a GPU on none of them hangs on the root
  std::vector<std::pair<int, int>> narrow_links{};  // GPU and lanes, where a link came up with fewer than gpu_lanes
  std::vector<int> far_gpus{};                      // on the other processor socket than the host memory in use

  int lanes_of(int gpu) const {
    for (const auto& [narrow, lanes] : narrow_links)
      if (narrow == gpu) return lanes;
    return gpu_lanes;
  }
};

struct NvlinkEdge {
  int gpus[2] = {0, 0};
  int links = 0;
  double gbps_per_direction = 0;  // of one link
};

// Every GPU is joined to a switch that passes all of them on at full rate (NVSwitch).
struct NvswitchModel {
  int links = 0;                  // of each GPU; 0: the machine has none
  double gbps_per_direction = 0;  // of one link

  double port_gbps() const { return links * gbps_per_direction; }
};

struct Efficiency {
  double matmul = 0, convolution = 0, memory = 0;  // shares of a GPU's peak
  double index_cycles = 0;                         // lane-cycles per index operation
  double cpu = 0, pcie = 0;                        // shares of a peak
  double framework_op_us = 0, newer_framework_op_us = 0;  // of the framework's versions
};

struct DriverCosts {  // microseconds
  double launch_us = 0, copy_us = 0, event_us = 0, synchronize_us = 0, create_us = 0, allocate_us = 0, context_us = 0;
  double submit_us = 0, kernel_start_us = 0, copy_start_us = 0;
};

struct MachineProfile {
  std::string name;
  GpuModel gpu;
  HostModel host;
  PcieModel pcie;
  std::vector<NvlinkEdge> nvlinks;
  NvswitchModel nvswitch;
  bool peer_enabled = true;  // by the program; without, NVLink is of no use to it either
  std::vector<std::pair<int, double>> slow_clocks{};  // GPU and share of clock_mhz
  Efficiency efficiency;
  DriverCosts driver;

  double clock_share(int device) const {
    for (const auto& [slow, share] : slow_clocks)
      if (slow == device) return share;
    return 1;
  }
};

// Of a GPU's rate to and from host memory where that lies on the other socket: the processors' link adds latency to every
// request that the DMA engine has in flight, and such copies are reported at about half the rate of near ones.
inline constexpr double kFarSocketShare = 0.5;

// GB/s of one direction after line coding (8b/10b to generation 2, 128b/130b to 5, PAM4 flits in 6), before packet headers.
double pcie_gbps(int generation, int lanes);

// A name ("4x-titan-x") is looked up beside the program (../share/gputrace/profiles) and in the source tree; a text with a
// '/' or ending in ".toml" is a path. The error is one line that names the file and what is wrong with it.
std::vector<std::string> profile_names();  // of those two folders, in alphabetical order
tl::expected<MachineProfile, std::string> read_profile(const std::string& name_or_path);
tl::expected<MachineProfile, std::string> parse_profile(const std::string& text, const std::string& origin);

}  // namespace trainer::virtual_box
