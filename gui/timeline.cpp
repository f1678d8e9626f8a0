#include "gui/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "analyzer/parallel_for.h"
#include "gui/device_activity.h"
#include "gui/lane_events.h"

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
      : trace_{trace}, drawn_{trace, names}, processes_{collect_lane_events(trace, drawn_)} {}

  Timeline build() {
    const std::vector<trace::DeviceId> idle = add_idle_gpus();
    for (const bool with_gpus : {true, false})  // tools and helpers that only called something come last
      for (auto& [process, events] : processes_)
        if (events.gpus.empty() != with_gpus) add_process(process, events);
    for (const trace::DeviceId device : idle) {
      GpuEvents nothing;
      add_gpu(device, trace::ProcessIndex{-1}, nothing, -1);
    }
    fill_lanes();
    done_.span = trace_.span();
    return std::move(done_);
  }

 private:
  // GPUs of the machine that ran nothing: under the process that has GPUs, or would have; those returned belong
  // to none, because several have.
  std::vector<trace::DeviceId> add_idle_gpus() {
    std::vector<trace::DeviceId> left;
    ProcessEvents* only = nullptr;
    for (auto& [process, events] : processes_)
      if (!events.gpus.empty() || processes_.size() == 1) only = only == nullptr ? &events : nullptr;
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

  void add_lane(LaneKind kind, std::string label, int parent, std::optional<trace::DeviceId> device,
                LaneBuilder& events, std::function<double(EventRef)> amount_of = {}) {
    const int lane = add_lane(
        {.kind = kind, .label = std::move(label), .parent = parent, .device = device, .rows = {}});
    unfilled_.push_back({static_cast<std::size_t>(lane), [this, &events, amount_of = std::move(amount_of)](std::size_t& cut) {
                           return events.build(drawn_, kMaxRowsPerLane, cut, amount_of);
                         }});
  }

  // The rows of lanes do not depend on each other, and most of the time is in them.
  void fill_lanes() {
    std::vector<std::size_t> cut(unfilled_.size());
    analyzer::parallel_for(unfilled_.size(), [&](std::size_t i) {
      done_.lanes[unfilled_[i].lane].rows = unfilled_[i].build(cut[i]);
    });
    done_.cut_events = std::accumulate(cut.begin(), cut.end(), std::size_t{0});
    for (const Lane& lane : done_.lanes)
      if (lane.kind != LaneKind::gpu)
        for (const EventRow& row : lane.rows) done_.event_count += row.size();
  }

  void add_process(trace::ProcessIndex process, ProcessEvents& events) {
    int parent = -1;
    if (processes_.size() > 1)
      parent =
          add_lane({.kind = LaneKind::process, .label = process_label(process), .device = {}, .rows = {}});
    for (auto& [device, gpu] : events.gpus) add_gpu(device, process, gpu, parent);
    for (auto& [index, thread] : events.threads) add_thread(index, thread, parent);
  }

  void add_gpu(trace::DeviceId device, trace::ProcessIndex process, GpuEvents& gpu, int parent) {
    Lane summary{.kind = LaneKind::gpu,
                 .label = gpu_label(device),
                 .parent = parent,
                 .device = device,
                 .process = process,
                 .rows = {}};
    summary.rows.emplace_back().finish();
    const int lane = add_lane(std::move(summary));
    if (!gpu.ran_nothing()) {
      unfilled_.push_back({static_cast<std::size_t>(lane), [this, &gpu](std::size_t&) {
                             std::vector<EventRow> rows;
                             rows.push_back(device_activity(gpu, drawn_));
                             return rows;
                           }});
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
    for (auto& [category, events] : gpu.copy_lanes)
      add_lane(LaneKind::copies, copy_lane_label(category), lane, device, events, [&](EventRef copy) {
        return static_cast<double>(trace_.copies.bytes[copy.row()]);
      });
  }

  void add_graphs(trace::DeviceId device, const GpuEvents& gpu, int parent) {
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
    const bool link = std::any_of(gpu.copy_lanes.begin(), gpu.copy_lanes.end(), [](const auto& entry) {
      return entry.first == Category::to_device_pageable || entry.first == Category::to_host_pageable;
    });
    if (link) add(GraphKind::link, "link to the host", first);
  }

  void add_thread(trace::ThreadIndex index, ThreadEvents& thread, int parent) {
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
  const DrawnEvents drawn_;
  LaneEvents processes_;
  struct Unfilled {
    std::size_t lane;
    std::function<std::vector<EventRow>(std::size_t& cut_events)> build;
  };
  std::vector<Unfilled> unfilled_;  // what they build from is in processes_
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
