// Every limit that a finding depends on, each with its reason. A limit is used as the number it holds:
//   if (share < thresholds::kCriticalShare) ...
// and `gputrace report --explain-thresholds` prints the table. A new limit is a line here and its entry in kAll.
// `--thresholds FILE` gives other values for one analysis (threshold_settings.h).
#pragma once

#include <array>
#include <cstdint>

namespace gputrace::analyzer {

// share: 0 to 1, of what the reason names, of the window where it names nothing; ratio: a factor
enum class ThresholdUnit : std::uint8_t { share, ratio, ns, bytes, bytes_per_s };

struct Threshold {
  const char* name;
  double value;  // unless settings say otherwise
  ThresholdUnit unit;
  const char* reason;
  operator double() const;  // the value that this thread's analysis uses
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
    "cpu-placed-ops: share of the window in work on the CPU that belongs on a GPU."};

inline constexpr Threshold kDetourHostNs{"detour-host-work", 50'000, ns,
    "cpu-placed-ops: host work between a copy to the host and one back that is no more than a framework's own between two calls."};
inline constexpr Threshold kLongCpuOpNs{"long-cpu-op", 200'000, ns,
    "cpu-placed-ops: an op of PyTorch that asks for nothing on a GPU and takes longer computes; its own checks and dispatch take 5 to 100 us."};

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
inline constexpr Threshold kSmallGridShare{"small-grid-share", 0.01, share,
    "small-grids: share of the window that long kernels of few blocks would save, spread over the whole GPU; less is smaller than what step times vary by."};
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
inline constexpr Threshold kAlikeDirections{"alike-directions", 1.25, ratio,
    "slow-link: directions that are slower than the others' by factors this close suffer alike, as of fewer lanes: 3.8 and 4.0 times on a x4 of x16 "
    "link, against 3.2 and 5.2 from the far socket."};

inline constexpr Threshold kLowUtilization{"low-utilization", 0.60, share,
    "low-compute-utilization: a GPU that computes for less of the time gains more from being kept busy than from faster kernels: "
    "at 60 % the one wins 1.7x, the other rarely as much."};
inline constexpr Threshold kExposedCommunicationShare{"exposed-communication-share", 0.05, share,
    "exposed-communication: share of the window in communication that no computing hides; well-overlapped data-parallel training "
    "leaves the last bucket of gradients, a few percent."};
inline constexpr Threshold kUnhiddenFeedShare{"unhidden-feed-share", 0.02, share,
    "copies-not-overlapped: share of the step that copying the input ahead wins back; less is a small price for a simple loop."};
inline constexpr Threshold kSameSizesShare{"same-sizes-share", 0.80, share,
    "gradients-reduced-on-host: of the bytes that come to the host, what goes back in copies of the same sizes where they are "
    "gradients and weights; the rest is results and input."};
inline constexpr Threshold kOverlapSlowdown{"overlap-slowdown", 1.20, ratio,
    "overlap-slowdown: a kernel beside communication takes this many times its usual time; memory and multiprocessors that "
    "collectives share cost a few percent always."};
inline constexpr Threshold kDataMovementShare{"data-movement-share", 0.05, share,
    "data-movement-kernels: share of kernel time in padding, broadcasts and casts; fused kernels have next to none."};
inline constexpr Threshold kLayoutShare{"layout-share", 0.05, share,
    "layout-conversions: share of kernel time in changes of layout; one layout throughout needs them at the input alone."};
inline constexpr Threshold kUnfusedNormalizationShare{"unfused-normalization-share", 0.05, share,
    "unfused-normalization: share of kernel time in the separate kernels of a normalization; a fused one takes about two passes."};
inline constexpr Threshold kFusedPasses{"fused-passes", 1.5, ratio,
    "unfused-normalization: a fused batch norm in training reads its input twice and writes it once, an element-wise kernel reads and "
    "writes once: three passes to two."};
inline constexpr Threshold kSinglePrecisionShare{"single-precision-share", 0.25, share,
    "low-precision-unused: share of kernel time in single-precision matrix products and convolutions; of less, tensor cores "
    "would win too little for a change of numerics."};
inline constexpr Threshold kFirstLaunchFactor{"first-launch-factor", 10, ratio,
    "lazy-loading-in-loop: the first launch of a kernel loads it where it takes this many times the usual launch; others vary "
    "by two to three."};
inline constexpr Threshold kStartUpShare{"start-up-share", 0.50, share,
    "start-up-dominates: from this share of the traced time before the steps, a faster step is the smaller half of the matter."};
inline constexpr Threshold kStartUpNs{"start-up", 1'000'000'000, ns,
    "start-up-dominates: a shorter start-up is that of any CUDA program: creating a context takes a few hundred milliseconds."};
inline constexpr Threshold kNvlinkBytesPerSecond{"nvlink-rate", 25.0e9, bytes_per_s,
    "peer-path: one NVLink of a V100, A100 or H100 in one direction (NVIDIA's datasheets: 300, 600, 900 GB/s over 6, 12, 18 links both ways)."};

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

inline constexpr Threshold kSurePeriod{"sure-period", 0.90, share,
    "diff: how sure the period of the kernels must be in both traces (Steps::certainty) for its units to be compared as steps."};
inline constexpr Threshold kSameWorkShare{"same-work-share", 0.15, share,
    "diff: computing of two runs on different numbers of GPUs that differs less is the same work: kernels of a smaller batch reach "
    "less of the GPU."};
inline constexpr Threshold kSameStepShare{"same-step-share", 0.01, share,
    "diff: a smaller change of a step is no change: clocks, other processes and the run itself vary by as much."};
inline constexpr Threshold kKernelChangeShare{"kernel-change-share", 0.02, share,
    "diff: a smaller change of a kernel's own time is no change: GPU clocks move by as much from run to run."};
inline constexpr Threshold kSamePeriodFactor{"same-period-factor", 1.1, ratio,
    "diff: steps recognised by their period are the same work only where their numbers of kernels are within this factor."};

inline constexpr std::array kAll{
    &kCriticalShare, &kWarningShare, &kInfoShare, &kLowConcurrency, &kRoomShare, &kSmallKernelFill, &kFullGpuFill, &kExposedCopyShare,
    &kLinkBoundBytes, &kAtLinkRate, &kCpuPlacedShare, &kDetourHostNs, &kLongCpuOpNs, &kLaunchBoundShare, &kLaunchGapNs,
    &kReadbackBytes, &kReadbacksPerStep, &kLongSmallKernelNs, &kSmallGridShare, &kAlikeShare, &kOwnGainShare, &kBackwardShare, &kPauseNs, &kSlowGpuFactor, &kSlowLinkFactor, &kAlikeDirections,
    &kLowUtilization, &kExposedCommunicationShare, &kUnhiddenFeedShare, &kSameSizesShare, &kOverlapSlowdown, &kDataMovementShare, &kLayoutShare,
    &kUnfusedNormalizationShare, &kFusedPasses, &kSinglePrecisionShare, &kFirstLaunchFactor, &kStartUpShare, &kStartUpNs, &kNvlinkBytesPerSecond, &kAssumedMatmulEfficiency,
    &kAssumedMemoryEfficiency, &kAssumedPcieEfficiency, &kAssumedPageableBytesPerSecond, &kWarmUpFactor, &kRecorderShare, &kSurePeriod, &kSameWorkShare, &kSameStepShare,
    &kKernelChangeShare, &kSamePeriodFactor};

}  // namespace thresholds
}  // namespace gputrace::analyzer
