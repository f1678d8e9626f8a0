// Every limit that a finding depends on, each with its reason. A limit is used as the number it holds:
//   if (share < thresholds::kCriticalShare) ...
// and `gputrace report --explain-thresholds` prints the table. A new limit is a line here and its entry in kAll.
#pragma once

#include <array>
#include <cstdint>

namespace gputrace::analyzer {

// share: 0 to 1, of what the reason names, of the window where it names nothing; ratio: a factor
enum class ThresholdUnit : std::uint8_t { share, ratio, ns, bytes, bytes_per_s };

struct Threshold {
  const char* name;
  double value;
  ThresholdUnit unit;
  const char* reason;
  constexpr operator double() const { return value; }
};

namespace thresholds {

using enum ThresholdUnit;

inline constexpr Threshold kCriticalShare{"critical-share", 0.20, share,
    "A finding is critical from this share of the step that its remedy wins back."};
inline constexpr Threshold kWarningShare{"warning-share", 0.05, share,
    "A finding is a warning from this share of the step that its remedy wins back."};
inline constexpr Threshold kInfoShare{"info-share", 0.01, share,
    "Below this share of the step a gain is smaller than what step times vary by."};

inline constexpr Threshold kLowConcurrency{"low-concurrency", 0.05, share,
    "low-kernel-concurrency: below this share of kernel time with two kernels running, kernels in effect run one by one."};
inline constexpr Threshold kRoomShare{"room-share", 0.10, share,
    "low-kernel-concurrency: worth a word only where this share of the window is either without any work because the host "
    "hands it out too late, or in kernels that leave most of the GPU free."};
inline constexpr Threshold kSmallKernelFill{"small-kernel-fill", 0.5, share,
    "A kernel that needs less than this share of the GPU's resident blocks leaves room for another of its size."};
inline constexpr Threshold kFullGpuFill{"full-gpu-fill", 0.9, share,
    "A kernel that needs at least this share of the GPU's resident blocks fills it: beside it another one gets little before it ends."};

inline constexpr Threshold kExposedCopyShare{"exposed-copy-share", 0.25, share,
    "pcie-bound-transfers: from this share of the window in copies that no kernel hides, the link sets the pace; input feeds "
    "of a healthy loop stay well below."};
inline constexpr Threshold kLinkBoundBytes{"link-bound-bytes", 64 * 1024, bytes,
    "Smaller copies are bound by latency, not by the link: PCIe 3.0 x16 moves 64 KiB in about 5 us, the cost of one call."};
inline constexpr Threshold kAtLinkRate{"at-link-rate", 0.75, share,
    "A copy that reaches this share of what the link can do runs at the link's rate (PCIe loses 10 to 20 % to packets)."};

inline constexpr Threshold kCpuPlacedShare{"cpu-placed-share", 0.01, share,
    "cpu-placed-ops: share of the window in ops that were asked for a GPU and ran on the CPU."};

inline constexpr Threshold kLaunchBoundShare{"launch-bound-share", 0.15, share,
    "launch-bound: share of the window that a GPU is idle because its next kernel had not been launched yet."};
inline constexpr Threshold kLaunchGapNs{"launch-gap", 500'000, ns,
    "A longer gap is a pause of another cause than a launch with its framework op."};

inline constexpr Threshold kReadbackBytes{"readback-size", 4096, bytes,
    "A copy to the host of at most this size is a result that is looked at, not data: latency sets its time."};
inline constexpr Threshold kReadbacksPerStep{"readbacks-per-step", 10, ratio,
    "blocking-readbacks: fewer read-backs a step are the loss and its like, which every program reads."};

inline constexpr Threshold kLongSmallKernelNs{"long-small-kernel", 50'000, ns,
    "small-grids: a kernel of few blocks that is done in less has little work: its start sets its time."};
inline constexpr Threshold kSmallGridShare{"small-grid-share", 0.05, share,
    "small-grids: share of the window that long kernels of few blocks would save, spread over the whole GPU."};
inline constexpr Threshold kAlikeShare{"alike-share", 0.98, share,
    "unused-gpus: threads do the same work where the one with the fewest kernels has this share of the most; warm-up may differ."};
inline constexpr Threshold kOwnGainShare{"own-gain-share", 0.25, share,
    "Of a finding's gain, what must be left once a finding above it has been remedied: below, both explain the same time."};
inline constexpr Threshold kBackwardShare{"backward-share", 2.0 / 3, share,
    "collectives-on-compute-stream: of computing, what a backward pass takes: it does two of three matrix products of each layer."};
inline constexpr Threshold kPauseNs{"pause", 1'000'000, ns,
    "Host work that a thread has before a call and its other steps, or the threads beside it, do not: shorter ones are the "
    "operating system's, and no program can help them."};
inline constexpr Threshold kSlowGpuFactor{"slow-gpu-factor", 1.10, ratio,
    "A GPU whose kernels take this many times as long as the same kernels of another one is slow: boost clocks of like GPUs differ by a few percent."};
inline constexpr Threshold kSlowLinkFactor{"slow-link-factor", 1.5, ratio,
    "A GPU's link is slow where another GPU's like copies run this many times as fast: sharing an uplink for a while makes less."};

inline constexpr Threshold kAssumedMatmulEfficiency{"assumed-matmul-efficiency", 0.75, share,
    "What an op of the trace that is thought to run on a GPU reaches of its peak: large single-precision matrix products in "
    "cuBLAS reach 70 to 90 %."};
inline constexpr Threshold kAssumedMemoryEfficiency{"assumed-memory-efficiency", 0.80, share,
    "The same of the memory bandwidth: streaming kernels reach 75 to 85 %."};
inline constexpr Threshold kAssumedPcieEfficiency{"assumed-pcie-efficiency", 0.80, share,
    "What a copy from pinned memory reaches of a PCIe link's raw rate."};
inline constexpr Threshold kAssumedPageableBytesPerSecond{"assumed-pageable-rate", 3.0e9, bytes_per_s,
    "What a copy from pageable memory reaches: it is staged by one host thread."};

inline constexpr Threshold kWarmUpFactor{"warm-up-factor", 1.2, ratio,
    "Steps at the start that take longer than this many times the median of the rest are warm-up (at most a quarter of all)."};

inline constexpr Threshold kRecorderShare{"recorder-share", 0.02, share,
    "A remark says so where the recorder itself took at least this share of a host thread's time: the recorder is made to stay "
    "below it at 100,000 launches a second, and findings start at shares of this size."};

inline constexpr Threshold kSameStepShare{"same-step-share", 0.01, share,
    "diff: a smaller change of a step is no change: clocks, other processes and the run itself vary by as much."};
inline constexpr Threshold kKernelChangeShare{"kernel-change-share", 0.02, share,
    "diff: a smaller change of a kernel's own time is no change: GPU clocks move by as much from run to run."};
inline constexpr Threshold kSamePeriodFactor{"same-period-factor", 1.1, ratio,
    "diff: steps recognised by their period are the same work only where their numbers of kernels are within this factor."};

inline constexpr std::array kAll{
    &kCriticalShare, &kWarningShare, &kInfoShare, &kLowConcurrency, &kRoomShare, &kSmallKernelFill, &kFullGpuFill, &kExposedCopyShare,
    &kLinkBoundBytes, &kAtLinkRate, &kCpuPlacedShare, &kLaunchBoundShare, &kLaunchGapNs,
    &kReadbackBytes, &kReadbacksPerStep, &kLongSmallKernelNs, &kSmallGridShare, &kAlikeShare, &kOwnGainShare, &kBackwardShare, &kPauseNs, &kSlowGpuFactor, &kSlowLinkFactor, &kAssumedMatmulEfficiency,
    &kAssumedMemoryEfficiency, &kAssumedPcieEfficiency, &kAssumedPageableBytesPerSecond, &kWarmUpFactor, &kRecorderShare, &kSameStepShare,
    &kKernelChangeShare, &kSamePeriodFactor};

}  // namespace thresholds
}  // namespace gputrace::analyzer
