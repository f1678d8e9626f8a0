// Every limit that a finding depends on, each with its reason. Shares are of the window (0 to 1), times nanoseconds.
#pragma once

#include <cstdint>

namespace gputrace::analyzer::thresholds {

// Severity by the share of the step that the remedy wins back. Below 1 % step times vary by more than the gain.
inline constexpr double kCriticalShare = 0.20;
inline constexpr double kWarningShare = 0.05;
inline constexpr double kInfoShare = 0.01;

// low-kernel-concurrency: below this share of kernel time with two kernels running, kernels in effect run one by one.
inline constexpr double kLowConcurrency = 0.05;
// ... and it is worth a word only where the GPU has room: at least this share of the window is either without any work
// because the host hands it out too late, or in kernels that leave most of the GPU free.
inline constexpr double kRoomShare = 0.10;
// A kernel that needs less than half of the GPU's resident blocks leaves room for another of its size.
inline constexpr double kSmallKernelFill = 0.5;

// pcie-bound-transfers: from a quarter of the window in copies that no kernel hides, the link sets the pace; input feeds of a
// healthy loop stay well below.
inline constexpr double kExposedCopyShare = 0.25;
// Copies smaller than this are bound by latency, not by the link: PCIe 3.0 x16 moves 64 KiB in about 5 us, the cost of one call.
inline constexpr std::int64_t kLinkBoundBytes = 64 * 1024;
// A copy that reaches this share of what the link can do runs "at the link's rate" (PCIe loses 10 to 20 % to packets).
inline constexpr double kAtLinkRate = 0.75;

// cpu-placed-ops: share of the window in ops that were asked for a GPU and ran on the CPU.
inline constexpr double kCpuPlacedShare = 0.01;

// launch-bound: share of the window that a GPU is idle because its next kernel had not been launched yet.
inline constexpr double kLaunchBoundShare = 0.15;
// ... in gaps no longer than what a launch with its framework op may take; a longer gap is a pause of another cause.
inline constexpr std::int64_t kLaunchGapNs = 500'000;

// What a GPU reaches of its published peaks when an op of the trace is thought to run there. Large single-precision matrix
// products in cuBLAS reach 70 to 90 %, streaming kernels 75 to 85 % of the memory bandwidth.
inline constexpr double kAssumedMatmulEfficiency = 0.75;
inline constexpr double kAssumedMemoryEfficiency = 0.80;
// What a copy reaches of a PCIe link's raw rate, from pinned memory, and from pageable memory, which is staged by one host thread.
inline constexpr double kAssumedPcieEfficiency = 0.80;
inline constexpr double kAssumedPageableBytesPerSecond = 3.0e9;

// Steps at the start that take longer than this many times the median of the rest are warm-up (at most a quarter of all).
inline constexpr double kWarmUpFactor = 1.2;

}  // namespace gputrace::analyzer::thresholds
