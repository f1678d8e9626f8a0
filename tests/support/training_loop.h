// A training loop on a small machine without surprises, for tests of rules and remedies: host threads that launch on a GPU each, one
// stream per GPU, steps at whose end all threads meet. Each call moves the thread's clock on and adds what a profiler would see.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/support/trace_builder.h"

namespace gputrace::tests {

class TrainingLoop {
 public:
  static constexpr std::int64_t kCallNs = 5'000;     // of a call
  static constexpr std::int64_t kLatencyNs = 3'000;  // from a call's start to a kernel's, at the earliest

  explicit TrainingLoop(int threads = 1) : host_ns_(static_cast<std::size_t>(threads), 0), stream_ns_(host_ns_) {
    for (int i = 0; i < threads; ++i) builder_.gpu({.device = trace::DeviceId{i}, .name = "GPU", .sm_count = 20, .compute_major = 6, .compute_minor = 1});
  }

  void host(int thread, std::int64_t ns) { host_ns_[at(thread)] += ns; }
  void launch(int thread, std::int64_t ns, std::string_view name = "kernel", std::int32_t blocks = 1000) {
    const std::int64_t call_ns = host_ns_[at(thread)], start_ns = std::max(call_ns + kLatencyNs, stream_ns_[at(thread)]);
    builder_.api({.start = call_ns, .end = call_ns + kCallNs, .correlation = ++correlation_, .thread = thread});
    builder_.kernel({.start = start_ns, .end = start_ns + ns, .name = name, .device = thread, .grid = {blocks, 1, 1}, .block = {256, 1, 1},
                     .correlation = correlation_});
    host_ns_[at(thread)] += kCallNs;
    stream_ns_[at(thread)] = start_ns + ns;
  }
  // `waits`: the call returns after the copy, as with pageable memory.
  void copy(int thread, std::int64_t bytes, std::int64_t ns, bool waits = false, trace::CopyKind kind = trace::CopyKind::host_to_device) {
    const std::int64_t call_ns = host_ns_[at(thread)], start_ns = std::max(call_ns + kLatencyNs, stream_ns_[at(thread)]);
    const std::int64_t end_ns = waits ? start_ns + ns + 1'000 : call_ns + kCallNs;
    const auto host_memory = waits ? trace::MemoryKind::pageable : trace::MemoryKind::pinned;
    const bool to_host = kind == trace::CopyKind::device_to_host;
    builder_.api({.start = call_ns, .end = end_ns, .name = "cudaMemcpyAsync_v3020", .correlation = ++correlation_, .thread = thread});
    builder_.copy({.start = start_ns, .end = start_ns + ns, .bytes = bytes, .kind = kind,
                   .source = to_host ? trace::MemoryKind::device : host_memory, .destination = to_host ? host_memory : trace::MemoryKind::device,
                   .device = thread, .correlation = correlation_});
    host_ns_[at(thread)] = end_ns;
    stream_ns_[at(thread)] = start_ns + ns;
  }
  // Waits for the stream of GPU `gpu`.
  void wait(int thread, std::string_view call = "cudaStreamSynchronize_v3020", int gpu = -1) {
    const int device = gpu < 0 ? thread : gpu;
    const std::int64_t call_ns = host_ns_[at(thread)], end_ns = std::max(call_ns + kCallNs, stream_ns_[at(device)] + 1'000);
    builder_.api({.start = call_ns, .end = end_ns, .name = call, .correlation = ++correlation_, .thread = thread});
    builder_.sync({.start = call_ns, .end = end_ns, .device = device, .correlation = correlation_});
    host_ns_[at(thread)] = end_ns;
  }
  void call(int thread, std::string_view name, std::int64_t ns) {
    builder_.api({.start = host_ns_[at(thread)], .end = host_ns_[at(thread)] + ns, .name = name, .correlation = ++correlation_, .thread = thread});
    host(thread, ns);
  }
  void range(int thread, std::string_view text, std::int64_t ns, std::string_view domain = "") {
    builder_.range({.start = host_ns_[at(thread)], .end = host_ns_[at(thread)] + ns, .text = text, .domain = domain, .thread = thread});
    host(thread, ns);
  }
  // A thread goes on when another one is where it is now.
  void join(int thread, int with) { host_ns_[at(thread)] = std::max(host_ns_[at(thread)], host_ns_[at(with)]); }

  // Ends the step: every thread waits for its GPU, then `after_ns` pass.
  void end_step(std::int64_t after_ns = 0) {
    for (std::size_t thread = 0; thread < host_ns_.size(); ++thread) wait(static_cast<int>(thread));
    end_step_without_waits(after_ns);
  }
  void end_step_without_waits(std::int64_t after_ns = 0) {
    std::int64_t end_ns = 0;
    for (const std::int64_t ns : host_ns_) end_ns = std::max(end_ns, ns);
    end_ns += after_ns;
    builder_.step(step_start_ns_, end_ns);
    step_start_ns_ = end_ns;
    for (std::int64_t& ns : host_ns_) ns = end_ns;
  }

  std::int64_t now_ns(int thread) const { return host_ns_[at(thread)]; }
  TraceBuilder& builder() { return builder_; }
  trace::Trace build() { return builder_.build(); }

 private:
  static std::size_t at(int thread) { return static_cast<std::size_t>(thread); }

  TraceBuilder builder_;
  std::vector<std::int64_t> host_ns_, stream_ns_;
  std::int64_t correlation_ = 0, step_start_ns_ = 0;
};

}  // namespace gputrace::tests
