// A CUPTI that records what it is told, for tests: NVIDIA's functions and structs, and these to tell it. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

// What survives the process in the file that FAKE_CUPTI_LOG names: each buffer that was given back, in order. `kernels` counts
// those that all buffers up to this one held; realtime_ns is CLOCK_REALTIME after the callback had returned.
struct FakeCuptiLog {
  struct Entry {
    std::int64_t realtime_ns;
    std::uint64_t kernels;
  };
  static constexpr std::uint64_t kMostEntries = 1 << 16;
  std::atomic<std::uint64_t> launched, entries;
  Entry entry[kMostEntries];
};

extern "C" {

// One cudaLaunchKernel call on this thread and its kernel of `duration_ns` on the device's stream 7.
void fake_cupti_launch(const char* name, std::uint32_t device, std::uint64_t duration_ns);
// Device 0 and 1 with their contexts, a PCIe switch above both and an NVLink between them, a copy of each kind, a fill,
// a synchronization, an event, a graph launch, an overhead, a stream, two samples of the environment of device 1, memory
// allocated, released and trimmed, a migration (and page faults, where asked for), a compilation, an external id.
void fake_cupti_one_of_each();
// cuProfilerStart or cuProfilerStop, for a subscriber of the driver's callbacks.
void fake_cupti_profiler(bool start);
void fake_cupti_set_clock_ahead_ns(std::int64_t ahead);  // of CLOCK_REALTIME
}
