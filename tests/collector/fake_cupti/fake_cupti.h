// A CUPTI that records what it is told, for tests: NVIDIA's functions and structs, and these to tell it. Thread-safe.
#pragma once

#include <cstdint>

extern "C" {

// One cudaLaunchKernel call on this thread and its kernel of `duration_ns` on the device's stream 7.
void fake_cupti_launch(const char* name, std::uint32_t device, std::uint64_t duration_ns);
// Device 0 and 1 with their contexts, a PCIe switch above both and an NVLink between them, a copy of each kind, a fill,
// a synchronization, an event, a graph launch, an overhead, a stream.
void fake_cupti_one_of_each();
// cuProfilerStart or cuProfilerStop, for a subscriber of the driver's callbacks.
void fake_cupti_profiler(bool start);
void fake_cupti_set_clock_ahead_ns(std::int64_t ahead);  // of CLOCK_REALTIME
}
