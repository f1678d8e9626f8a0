// A trace of a training loop as large as one likes, straight into columns: a host thread per GPU launches kernels on a stream, the
// gradients of each step go to a second stream behind an event, and the thread waits for its GPU at the step's end.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace gputrace::bench {

class TrainingTrace {
 public:
  static constexpr int kGpus = 4, kLaunchesPerStep = 500;

  // At least that many calls, kernels, copies, events and waits together, in whole steps.
  static trace::Trace of_events(std::size_t events) {
    TrainingTrace made;
    while (made.event_count() < events) made.add_step();
    trace::sort_by_start(made.trace_);
    return std::move(made.trace_);
  }

 private:
  TrainingTrace() {
    using trace::Table;
    for (const Table table : {Table::kernels, Table::copies, Table::synchronizations, Table::cuda_events, Table::api_calls, Table::nvtx, Table::gpus})
      trace_.captured.set(static_cast<std::size_t>(table));
    trace_.metadata.producer = "bench";
    trace_.processes.push_back({.global_pid = std::uint64_t{100} << 24, .pid = 100, .name = "trainer"});
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      trace_.gpus.push_back({.device = trace::DeviceId{gpu}, .name = "GPU", .sm_count = 80, .compute_major = 7});
      trace_.threads.push_back({.global_tid = (std::uint64_t{100} << 24) + 100 + static_cast<std::uint64_t>(gpu), .process = trace::ProcessIndex{0}, .tid = 100 + gpu});
    }
    for (int i = 0; i < 40; ++i) names_.push_back(trace_.strings.intern("kernel_of_layer_" + std::to_string(i) + "(float*, int)"));
  }

  std::size_t event_count() const {
    return trace_.kernels.size() + trace_.copies.size() + trace_.api_calls.size() + trace_.synchronizations.size() + trace_.cuda_events.size();
  }

  std::int64_t between(std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low)); }

  std::int64_t call(int gpu, trace::StringId name, std::int64_t ns) {
    trace::ApiCalls& calls = trace_.api_calls;
    calls.start_ns.push_back(host_ns_[at(gpu)]);
    host_ns_[at(gpu)] += ns;
    calls.end_ns.push_back(host_ns_[at(gpu)]);
    calls.thread.push_back(trace::ThreadIndex{gpu});
    calls.correlation.push_back(trace::CorrelationId{++correlation_});
    calls.name.push_back(name);
    calls.api_class.push_back(trace::ApiClass::runtime);
    calls.return_value.push_back(0);
    host_ns_[at(gpu)] += between(1'000, 3'000);
    return calls.start_ns.back();
  }

  void device_row(trace::DeviceColumns& columns, int gpu, int stream, std::int64_t start_ns, std::int64_t end_ns) {
    columns.start_ns.push_back(start_ns);
    columns.end_ns.push_back(end_ns);
    columns.device.push_back(trace::DeviceId{gpu});
    columns.context.push_back(trace::ContextId{gpu + 1});
    columns.stream.push_back(trace::StreamId{stream});
    columns.correlation.push_back(trace::CorrelationId{correlation_});
    columns.process.push_back(trace::ProcessIndex{0});
  }

  void launch(int gpu, int stream, std::int64_t ns, trace::StringId name, std::int64_t not_before_ns = 0) {
    std::int64_t& free_ns = stream_ns_[at(gpu)][stream == kMain ? 0 : 1];
    const std::int64_t call_ns = call(gpu, launch_, between(2'500, 4'000));
    const std::int64_t start_ns = std::max({call_ns + between(3'000, 4'000), free_ns, not_before_ns});
    free_ns = start_ns + ns;
    trace::Kernels& kernels = trace_.kernels;
    device_row(kernels, gpu, stream, start_ns, free_ns);
    kernels.name.push_back(name);
    kernels.short_name.push_back(name);
    kernels.mangled.push_back({});
    kernels.grid.push_back({160, 1, 1});
    kernels.block.push_back({256, 1, 1});
    kernels.registers_per_thread.push_back(64);
    kernels.static_shared_bytes.push_back(0);
    kernels.dynamic_shared_bytes.push_back(0);
    kernels.graph_node.push_back(0);
  }

  void upload(int gpu) {
    const std::int64_t call_ns = call(gpu, memcpy_, 4'000);
    std::int64_t& free_ns = stream_ns_[at(gpu)][0];
    const std::int64_t start_ns = std::max(call_ns + 3'000, free_ns);
    free_ns = start_ns + 100'000;
    trace::Copies& copies = trace_.copies;
    device_row(copies, gpu, kMain, start_ns, free_ns);
    copies.bytes.push_back(1'200'000);
    copies.kind.push_back(trace::CopyKind::host_to_device);
    copies.source_memory.push_back(trace::MemoryKind::pinned);
    copies.destination_memory.push_back(trace::MemoryKind::device);
    copies.source_device.push_back(trace::DeviceId{gpu});
    copies.destination_device.push_back(trace::DeviceId{gpu});
  }

  void synchronization(int gpu, int stream, trace::SyncKind kind, std::int64_t event, trace::Span span) {
    device_row(trace_.synchronizations, gpu, stream, span.start_ns, span.end_ns);
    trace_.synchronizations.kind.push_back(kind);
    trace_.synchronizations.event.push_back(event);
    trace_.synchronizations.event_sync.push_back(0);
  }

  void reduce_gradients(int gpu) {
    const std::int64_t event = 10 + gpu, recorded_ns = call(gpu, record_, 1'000);
    device_row(trace_.cuda_events, gpu, kMain, recorded_ns, recorded_ns);
    trace_.cuda_events.event.push_back(event);
    trace_.cuda_events.event_sync.push_back(0);
    const std::int64_t ready_ns = stream_ns_[at(gpu)][0], wait_ns = call(gpu, wait_, 1'000);
    synchronization(gpu, kGradients, trace::SyncKind::stream_wait_event, event, {wait_ns, wait_ns + 1'000});
    launch(gpu, kGradients, 30'000, all_reduce_, ready_ns);
  }

  void add_step() {
    const std::int64_t start_ns = *std::max_element(host_ns_.begin(), host_ns_.end());
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      host_ns_[at(gpu)] = start_ns + 1'000;
      upload(gpu);
      for (int i = 0; i < kLaunchesPerStep; ++i) {
        launch(gpu, kMain, between(2'000, 12'000), names_[static_cast<std::size_t>(i) % names_.size()]);
        if (i % 50 == 49) reduce_gradients(gpu);
      }
      const std::int64_t call_ns = host_ns_[at(gpu)], done_ns = std::max({call_ns + 2'000, stream_ns_[at(gpu)][0] + 1'500, stream_ns_[at(gpu)][1] + 1'500});
      call(gpu, synchronize_, done_ns - call_ns);
      synchronization(gpu, -1, trace::SyncKind::context, 0, {call_ns, done_ns});
    }
    const std::int64_t end_ns = *std::max_element(host_ns_.begin(), host_ns_.end());
    for (std::int64_t& ns : host_ns_) ns = end_ns;
    trace::NvtxRanges& nvtx = trace_.nvtx;
    nvtx.start_ns.push_back(start_ns);
    nvtx.end_ns.push_back(end_ns);
    nvtx.kind.push_back(trace::NvtxKind::push_pop);
    nvtx.thread.push_back(trace::ThreadIndex{0});
    nvtx.domain.push_back({});
    nvtx.category.push_back({});
    nvtx.text.push_back(step_);
    nvtx.color_argb.push_back(0);
  }

  static std::size_t at(int gpu) { return static_cast<std::size_t>(gpu); }
  static constexpr int kMain = 7, kGradients = 13;

  trace::Trace trace_;
  std::mt19937 random_{1};
  std::vector<trace::StringId> names_;
  trace::StringId launch_ = trace_.strings.intern("cudaLaunchKernel_v7000"), memcpy_ = trace_.strings.intern("cudaMemcpyAsync_v3020"),
                  record_ = trace_.strings.intern("cudaEventRecord_v3020"), wait_ = trace_.strings.intern("cudaStreamWaitEvent_v3020"),
                  synchronize_ = trace_.strings.intern("cudaDeviceSynchronize_v3020"), step_ = trace_.strings.intern("step"),
                  all_reduce_ = trace_.strings.intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  std::array<std::int64_t, kGpus> host_ns_{};
  std::array<std::array<std::int64_t, 2>, kGpus> stream_ns_{};
  std::int64_t correlation_ = 0;
};

}  // namespace gputrace::bench
