// What GPUs did over time, as curves to draw: derived from the rows of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace gputrace::trace {

// Categories of counters in exports: what gputrace derives is left out when its own export is read back.
inline constexpr std::string_view kDerivedCounter = "gputrace counter", kRecordedCounter = "recorded counter";

struct CounterSample {
  std::int64_t time_ns = 0;  // the value holds from here to the next sample
  double value = 0;
};

struct GpuCounter {
  DeviceId device{};
  std::string name{}, unit{};  // "PCIe host to device", "GB/s"
  std::vector<CounterSample> samples;
};

// Per GPU with rows, over the span of the trace:
//   kernels running, "kernels": exactly, a sample at every change
//   compute utilization, "%": time with at least one kernel running, by slice of the span (1,000 slices, 1 us at least)
//   PCIe host to device and device to host, "GB/s": bytes of copies between host and GPU, spread evenly over each copy's time, by
//     slice; 1 GB is 10^9 bytes. Copies without a size count nothing.
// A curve is left out where its table was not captured or holds nothing for the GPU.
std::vector<GpuCounter> gpu_counters(const Trace& trace);

}  // namespace gputrace::trace
