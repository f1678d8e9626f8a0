#include "gui/lane_events.h"

#include <algorithm>
#include <tuple>

#include "analyzer/parallel_for.h"

namespace gputrace::gui {
namespace {

using trace::Table;

Category direction(Category category) {
  if (category == Category::to_device_pinned) return Category::to_device_pageable;
  if (category == Category::to_host_pinned) return Category::to_host_pageable;
  return category;
}

class DeviceCollector {
 public:
  DeviceCollector(const trace::Trace& trace, const DrawnEvents& drawn) : trace_{trace}, drawn_{drawn} {}

  LaneEvents collect() {
    add(trace_.kernels, Table::kernels, [](GpuEvents& gpu, EventRef event) { gpu.kernels.push_back(event); });
    add(trace_.copies, Table::copies, [&](GpuEvents& gpu, EventRef event) {
      gpu.copies.push_back(event);
      gpu.copy_lanes[direction(drawn_.category(event))].add(event);
    });
    add(trace_.fills, Table::fills, [](GpuEvents& gpu, EventRef event) { gpu.fills.push_back(event); });
    // A graph whose kernels were recorded too would count twice.
    const auto& nodes = trace_.kernels.graph_node;
    const bool whole = std::none_of(nodes.begin(), nodes.end(), [](std::int64_t node) { return node != 0; });
    add(trace_.graph_launches, Table::graph_launches, [&](GpuEvents& gpu, EventRef event) {
      if (whole) gpu.kernels.push_back(event);
    });
    return std::move(processes_);
  }

 private:
  // Adds the rows of a table to the lanes of their streams. Rows come by the million and neighbours are often
  // of different streams, so the last few lanes found are kept at hand.
  template <class Also>
  void add(const trace::DeviceColumns& columns, Table table, Also also) {
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
    struct Recent {
      Key key{-2, -2, -2, -2};
      GpuEvents* gpu = nullptr;
      LaneBuilder* stream = nullptr;
    };
    std::vector<Recent> recent(64);
    for (std::size_t i = 0; i < std::min(columns.size(), EventRef::kMaxRows); ++i) {
      const Key key{columns.process[i].value, columns.device[i].value, columns.context[i].value, columns.stream[i].value};
      const auto hash = static_cast<std::uint32_t>(columns.device[i].value * 7 + columns.stream[i].value);
      Recent& slot = recent[hash % recent.size()];
      if (slot.stream == nullptr || slot.key != key) {
        GpuEvents& gpu = processes_[columns.process[i]].gpus[columns.device[i]];
        slot = {key, &gpu, &gpu.streams[{columns.context[i].value, columns.stream[i].value}]};
      }
      const EventRef event{table, i};
      slot.stream->add(event);
      also(*slot.gpu, event);
    }
  }

  const trace::Trace& trace_;
  const DrawnEvents& drawn_;
  LaneEvents processes_;
};

class HostCollector {
 public:
  explicit HostCollector(const trace::Trace& trace) : trace_{trace}, threads_(trace.threads.size()) {}

  LaneEvents collect() {
    add(trace_.api_calls, Table::api_calls, [](ThreadEvents& thread, EventRef event) { thread.calls.add(event); });
    add(trace_.overheads, Table::overheads, [](ThreadEvents& thread, EventRef event) { thread.calls.add(event); });
    add(trace_.nvtx, Table::nvtx, [&](ThreadEvents& thread, EventRef event) {
      thread.domains[trace_.nvtx.domain[event.row()]].add(event);
    });
    return std::move(processes_);
  }

 private:
  template <class Rows, class Add>
  void add(const Rows& rows, Table table, Add add_to) {
    for (std::size_t i = 0; i < std::min(rows.size(), EventRef::kMaxRows); ++i)
      add_to(events_of(rows.thread[i]), EventRef{table, i});
  }

  ThreadEvents& events_of(trace::ThreadIndex thread) {
    const bool known = thread.value >= 0 && static_cast<std::size_t>(thread.value) < threads_.size();
    if (!known) return processes_[trace::ProcessIndex{-1}].threads[thread];
    ThreadEvents*& events = threads_[static_cast<std::size_t>(thread.value)];
    if (events == nullptr)
      events = &processes_[trace_.threads[static_cast<std::size_t>(thread.value)].process].threads[thread];
    return *events;
  }

  const trace::Trace& trace_;
  std::vector<ThreadEvents*> threads_;  // by index; those that had an event, in processes_
  LaneEvents processes_;
};

}  // namespace

LaneEvents collect_lane_events(const trace::Trace& trace, const DrawnEvents& drawn) {
  LaneEvents device, host;
  analyzer::parallel_for(2, [&](std::size_t part) {
    part == 0 ? void(device = DeviceCollector{trace, drawn}.collect()) : void(host = HostCollector{trace}.collect());
  });
  for (auto& [process, events] : host) device[process].threads = std::move(events.threads);
  return device;
}

}  // namespace gputrace::gui
