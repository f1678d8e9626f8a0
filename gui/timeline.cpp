#include "gui/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/parallel_for.h"
#include "gui/lane_builders.h"

namespace gputrace::gui {
namespace {

const char* copy_lane_label(Category category) {
  if (category == Category::to_device_pageable) return "copies: host to device";
  if (category == Category::to_host_pageable) return "copies: device to host";
  if (category == Category::peer_copy) return "copies: peer to peer";
  if (category == Category::on_device_copy) return "copies: within the device";
  if (category == Category::host_copy) return "copies: host to host";
  return "copies: unified memory";
}

class TimelineBuilder {
 public:
  TimelineBuilder(const trace::Trace& trace, const KernelNames& names)
      : trace_{trace}, span_{trace.span()}, processes_{build_lanes(trace, names, span_.end_ns)} {}

  Timeline build() {
    const std::vector<trace::DeviceId> idle = add_idle_gpus();
    for (const bool with_gpus : {true, false})  // tools and helpers that only called something come last
      for (auto& [process, lanes] : processes_)
        if (lanes.gpus.empty() != with_gpus) add_process(process, lanes);
    GpuLanes nothing;
    for (const trace::DeviceId device : idle) add_gpu(device, trace::ProcessIndex{-1}, nothing, -1);
    fill_lanes();
    done_.span = span_;
    return std::move(done_);
  }

 private:
  // GPUs of the machine that ran nothing: under the process that has GPUs, or would have; those returned belong
  // to none, because several have.
  std::vector<trace::DeviceId> add_idle_gpus() {
    std::vector<trace::DeviceId> left;
    ProcessLanes* only = nullptr;
    for (auto& [process, lanes] : processes_)
      if (!lanes.gpus.empty() || processes_.size() == 1) only = only == nullptr ? &lanes : nullptr;
    const auto with_gpus = std::count_if(processes_.begin(), processes_.end(),
                                         [](const auto& entry) { return !entry.second.gpus.empty(); });
    for (const trace::Gpu& gpu : trace_.gpus) {
      const bool ran = std::any_of(processes_.begin(), processes_.end(), [&](const auto& entry) {
        return entry.second.gpus.contains(gpu.device);
      });
      if (ran) continue;
      if (only != nullptr && with_gpus <= 1)
        only->gpus[gpu.device];
      else if (std::find(left.begin(), left.end(), gpu.device) == left.end())
        left.push_back(gpu.device);
    }
    return left;
  }

  int add_lane(Lane lane) {
    lane.depth = lane.parent < 0 ? 0 : done_.lanes[static_cast<std::size_t>(lane.parent)].depth + 1;
    done_.lanes.push_back(std::move(lane));
    return static_cast<int>(done_.lanes.size()) - 1;
  }

  void add_lane(LaneKind kind, std::string label, int parent, std::optional<trace::DeviceId> device, LaneBuilder& events) {
    const int lane = add_lane(
        {.kind = kind, .label = std::move(label), .parent = parent, .device = device, .rows = {}});
    unfilled_.push_back({.lane = static_cast<std::size_t>(lane), .events = &events, .activity = nullptr});
  }

  // The rows of lanes do not depend on each other.
  void fill_lanes() {
    analyzer::parallel_for(unfilled_.size(), [&](std::size_t i) {
      std::vector<EventRow>& rows = done_.lanes[unfilled_[i].lane].rows;
      if (unfilled_[i].events != nullptr)
        rows = unfilled_[i].events->build();
      else
        rows.front() = unfilled_[i].activity->build();
    });
    for (const Unfilled& filled : unfilled_)
      if (filled.events != nullptr) done_.cut_events += filled.events->cut_events();
    for (const Lane& lane : done_.lanes)
      if (lane.kind != LaneKind::gpu)
        for (const EventRow& row : lane.rows) done_.event_count += row.size();
  }

  void add_process(trace::ProcessIndex process, ProcessLanes& lanes) {
    int parent = -1;
    if (processes_.size() > 1)
      parent =
          add_lane({.kind = LaneKind::process, .label = process_label(process), .device = {}, .rows = {}});
    for (auto& [device, gpu] : lanes.gpus) add_gpu(device, process, gpu, parent);
    for (auto& [index, thread] : lanes.threads) add_thread(index, thread, parent);
  }

  void add_gpu(trace::DeviceId device, trace::ProcessIndex process, GpuLanes& gpu, int parent) {
    const int lane = add_lane({.kind = LaneKind::gpu,
                               .label = gpu_label(device),
                               .parent = parent,
                               .device = device,
                               .process = process,
                               .rows = std::vector<EventRow>(1)});
    if (gpu.activity.empty()) {
      done_.lanes.back().rows.front().finish();
    } else {
      unfilled_.push_back({.lane = static_cast<std::size_t>(lane), .events = nullptr, .activity = &gpu.activity});
      add_graphs(device, gpu, lane);
    }
    const bool one_context = std::all_of(gpu.streams.begin(), gpu.streams.end(), [&](const auto& entry) {
      return entry.first.first == gpu.streams.begin()->first.first;
    });
    for (auto& [key, events] : gpu.streams) {
      const auto [context, stream] = key;
      add_lane(LaneKind::stream,
               one_context ? fmt::format("stream {}", stream)
                           : fmt::format("stream {} (context {})", stream, context),
               lane, device, events);
    }
    for (auto& [category, events] : gpu.copies)
      add_lane(LaneKind::copies, copy_lane_label(category), lane, device, events);
  }

  void add_graphs(trace::DeviceId device, const GpuLanes& gpu, int parent) {
    const auto add = [&](GraphKind graph, const char* label, int under) {
      return add_lane({.kind = LaneKind::graph,
                       .label = label,
                       .parent = under,
                       .device = device,
                       .graph = graph,
                       .rows = {}});
    };
    const int first = add(GraphKind::utilization, "utilization", parent);
    add(GraphKind::concurrency, "kernels at once", first);
    const bool link = std::any_of(gpu.copies.begin(), gpu.copies.end(), [](const auto& entry) {
      return entry.first == Category::to_device_pageable || entry.first == Category::to_host_pageable;
    });
    if (link) add(GraphKind::link, "link to the host", first);
  }

  void add_thread(trace::ThreadIndex index, ThreadLanes& thread, int parent) {
    add_lane(LaneKind::thread, thread_label(index), parent, std::nullopt, thread.calls);
    const int lane = static_cast<int>(done_.lanes.size()) - 1;
    for (auto& [domain, events] : thread.domains)
      add_lane(LaneKind::nvtx_domain,
               domain.value == 0 ? "NVTX" : fmt::format("NVTX {}", trace_.text(domain)), lane, std::nullopt,
               events);
  }

  std::string process_label(trace::ProcessIndex index) const {
    if (index.value < 0 || static_cast<std::size_t>(index.value) >= trace_.processes.size())
      return "unknown process";
    const trace::Process& process = trace_.processes[static_cast<std::size_t>(index.value)];
    return process.name.empty() ? fmt::format("process {}", process.pid)
                                : fmt::format("{} ({})", process.name, process.pid);
  }

  std::string gpu_label(trace::DeviceId device) const {
    for (const trace::Gpu& gpu : trace_.gpus)
      if (gpu.device == device && !gpu.name.empty()) return fmt::format("GPU {}  {}", device.value, gpu.name);
    return fmt::format("GPU {}", device.value);
  }

  std::string thread_label(trace::ThreadIndex index) const {
    if (index.value < 0 || static_cast<std::size_t>(index.value) >= trace_.threads.size())
      return "unknown thread";
    const trace::Thread& thread = trace_.threads[static_cast<std::size_t>(index.value)];
    return thread.name.empty() ? fmt::format("thread {}", thread.tid)
                               : fmt::format("{} ({})", thread.name, thread.tid);
  }

  const trace::Trace& trace_;
  const trace::Span span_;
  LaneBuilders processes_;
  struct Unfilled {
    std::size_t lane;
    LaneBuilder* events;       // in processes_; null: of a GPU's summary
    DeviceActivity* activity;  // of that
  };
  std::vector<Unfilled> unfilled_;
  Timeline done_;
};

}  // namespace

std::size_t Timeline::size_bytes() const {
  std::size_t bytes = lanes.capacity() * sizeof(Lane);
  for (const Lane& lane : lanes)
    for (const EventRow& row : lane.rows) bytes += sizeof row + row.size_bytes();
  return bytes;
}

std::optional<EventPlace> Timeline::find(EventRef ref, std::int64_t start_ns) const {
  for (std::size_t l = 0; l < lanes.size(); ++l)
    for (std::size_t r = 0; r < lanes[l].rows.size(); ++r) {
      const EventRow& row = lanes[l].rows[r];
      for (std::size_t i = row.first_starting_from(start_ns); i < row.size() && row.start_ns(i) == start_ns;
           ++i)
        if (row.ref(i) == ref) return EventPlace{l, r, i};
    }
  return std::nullopt;
}

Timeline build_timeline(const trace::Trace& trace, const KernelNames& names) {
  return TimelineBuilder{trace, names}.build();
}

}  // namespace gputrace::gui
