#include "gui/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "analyzer/parallel_for.h"
#include "gui/device_activity.h"
#include "gui/lane_builder.h"

namespace gputrace::gui {
namespace {

using trace::Table;

struct GpuParts {
  DeviceActivity activity;
  std::map<std::pair<std::int32_t, std::int32_t>, LaneBuilder> streams;  // by context and stream
  std::map<Category, LaneBuilder> copies;  // by direction: the pageable member of a pair
};

struct ThreadParts {
  LaneBuilder calls;
  std::map<trace::StringId, LaneBuilder> domains;
};

struct ProcessParts {
  std::map<trace::DeviceId, GpuParts> gpus;
  std::map<trace::ThreadIndex, ThreadParts> threads;
};

Category direction(Category category) {
  if (category == Category::to_device_pinned) return Category::to_device_pageable;
  if (category == Category::to_host_pinned) return Category::to_host_pageable;
  return category;
}

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
  TimelineBuilder(const trace::Trace& trace, const KernelNames& names) : trace_{trace}, names_{names} {}

  Timeline build() {
    collect_device_work();
    collect_host_work();
    const std::vector<trace::DeviceId> idle = add_idle_gpus();
    for (const bool with_gpus : {true, false})  // tools and helpers that only called something come last
      for (auto& [process, parts] : processes_)
        if (parts.gpus.empty() != with_gpus) add_process(process, parts);
    for (const trace::DeviceId device : idle) {
      GpuParts nothing;
      add_gpu(device, trace::ProcessIndex{-1}, nothing, -1);
    }
    fill_lanes();
    done_.span = trace_.span();
    return std::move(done_);
  }

 private:
  GpuParts& gpu(const trace::DeviceColumns& columns, std::size_t i) {
    return processes_[columns.process[i]].gpus[columns.device[i]];
  }

  // Adds the rows of a table to the lanes of their streams. Rows come by the million and neighbours are often
  // of different streams, so the last few lanes found are kept at hand.
  template <class CategoryOf, class Also>
  void collect_streams(const trace::DeviceColumns& columns, Table table, CategoryOf category_of, Also also) {
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
    struct Recent {
      Key key{-2, -2, -2, -2};
      GpuParts* gpu = nullptr;
      LaneBuilder* stream = nullptr;
    };
    std::vector<Recent> recent(64);
    const std::size_t count = std::min(columns.size(), EventRef::kMaxRows);
    for (std::size_t i = 0; i < count; ++i) {
      const Key key{columns.process[i].value, columns.device[i].value, columns.context[i].value,
                    columns.stream[i].value};
      const auto hash = static_cast<std::uint32_t>(columns.device[i].value * 7 + columns.stream[i].value);
      Recent& slot = recent[hash % recent.size()];
      if (slot.stream == nullptr || slot.key != key) {
        GpuParts& parts = gpu(columns, i);
        slot = {key, &parts, &parts.streams[{columns.context[i].value, columns.stream[i].value}]};
      }
      const Category category = category_of(i);
      slot.stream->add(columns.start_ns[i], columns.end_ns[i], EventRef{table, i}, category);
      also(*slot.gpu, i, category);
    }
  }

  void collect_device_work() {
    const auto kernel = [](GpuParts& gpu, trace::Span span) { gpu.activity.add_kernel(span); };
    collect_streams(
        trace_.kernels, Table::kernels,
        [&](std::size_t i) { return names_.category(trace_.kernels.name[i]); },
        [&](GpuParts& gpu, std::size_t i, Category) { kernel(gpu, trace_.kernels.span(i)); });
    collect_streams(
        trace_.copies, Table::copies,
        [&](std::size_t i) {
          return copy_category(trace_.copies.kind[i], trace_.copies.source_memory[i],
                               trace_.copies.destination_memory[i]);
        },
        [&](GpuParts& gpu, std::size_t i, Category category) {
          const trace::Span span = trace_.copies.span(i);
          gpu.activity.add_copy(span);
          gpu.copies[direction(category)].add(span.start_ns, span.end_ns, EventRef{Table::copies, i},
                                              category);
        });
    collect_streams(
        trace_.fills, Table::fills, [](std::size_t) { return Category::fill; },
        [&](GpuParts& gpu, std::size_t i, Category) { gpu.activity.add_fill(trace_.fills.span(i)); });
    // A graph whose kernels were recorded too would count twice.
    const auto& nodes = trace_.kernels.graph_node;
    const bool whole = std::none_of(nodes.begin(), nodes.end(), [](std::int64_t node) { return node != 0; });
    collect_streams(
        trace_.graph_launches, Table::graph_launches, [](std::size_t) { return Category::graph_launch; },
        [&](GpuParts& gpu, std::size_t i, Category) {
          if (whole) kernel(gpu, trace_.graph_launches.span(i));
        });
  }

  // GPUs of the machine that ran nothing: under the process that has GPUs, or would have; those returned belong
  // to none, because several have.
  std::vector<trace::DeviceId> add_idle_gpus() {
    std::vector<trace::DeviceId> left;
    ProcessParts* only = nullptr;
    for (auto& [process, parts] : processes_)
      if (!parts.gpus.empty() || processes_.size() == 1) only = only == nullptr ? &parts : nullptr;
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

  ThreadParts& thread(trace::ThreadIndex thread) {
    const bool known = thread.value >= 0 && static_cast<std::size_t>(thread.value) < trace_.threads.size();
    const trace::ProcessIndex process =
        known ? trace_.threads[static_cast<std::size_t>(thread.value)].process : trace::ProcessIndex{-1};
    return processes_[process].threads[thread];
  }

  std::vector<Category> categories_by_name(const std::vector<trace::StringId>& names,
                                           Category (*of)(std::string_view)) {
    std::vector<Category> categories(trace_.strings.size(), Category::count);
    for (const trace::StringId name : names)
      if (categories[name.value] == Category::count) categories[name.value] = of(trace_.text(name));
    return categories;
  }

  void collect_host_work() {
    const auto& calls = trace_.api_calls;
    const std::vector<Category> call_categories = categories_by_name(calls.name, api_category);
    for (std::size_t i = 0; i < std::min(calls.size(), EventRef::kMaxRows); ++i)
      thread(calls.thread[i])
          .calls.add(calls.start_ns[i], calls.end_ns[i], EventRef{Table::api_calls, i},
                     call_categories[calls.name[i].value]);
    const auto& overheads = trace_.overheads;
    for (std::size_t i = 0; i < std::min(overheads.size(), EventRef::kMaxRows); ++i)
      thread(overheads.thread[i])
          .calls.add(overheads.start_ns[i], overheads.end_ns[i], EventRef{Table::overheads, i},
                     Category::overhead);
    const auto& nvtx = trace_.nvtx;
    const std::vector<Category> range_categories = categories_by_name(nvtx.text, range_category);
    const std::int64_t trace_end_ns = trace_.span().end_ns;
    for (std::size_t i = 0; i < std::min(nvtx.size(), EventRef::kMaxRows); ++i) {
      const std::int64_t end_ns =
          nvtx.end_ns[i] == trace::kNoEnd ? std::max(trace_end_ns, nvtx.start_ns[i]) : nvtx.end_ns[i];
      thread(nvtx.thread[i])
          .domains[nvtx.domain[i]]
          .add(nvtx.start_ns[i], end_ns, EventRef{Table::nvtx, i}, range_categories[nvtx.text[i].value]);
    }
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
    unfilled_.push_back({static_cast<std::size_t>(lane), [&events, amount_of = std::move(amount_of)](std::size_t& cut) {
                           return events.build(kMaxRowsPerLane, cut, amount_of);
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

  void add_process(trace::ProcessIndex process, ProcessParts& parts) {
    int parent = -1;
    if (processes_.size() > 1)
      parent =
          add_lane({.kind = LaneKind::process, .label = process_label(process), .device = {}, .rows = {}});
    for (auto& [device, gpu] : parts.gpus) add_gpu(device, process, gpu, parent);
    for (auto& [index, thread] : parts.threads) add_thread(index, thread, parent);
  }

  void add_gpu(trace::DeviceId device, trace::ProcessIndex process, GpuParts& gpu, int parent) {
    Lane summary{.kind = LaneKind::gpu,
                 .label = gpu_label(device),
                 .parent = parent,
                 .device = device,
                 .process = process,
                 .rows = {}};
    summary.rows.emplace_back().finish();
    const int lane = add_lane(std::move(summary));
    if (!gpu.activity.empty()) {
      unfilled_.push_back({static_cast<std::size_t>(lane), [&gpu](std::size_t&) {
                             std::vector<EventRow> rows;
                             rows.push_back(gpu.activity.build());
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
    for (auto& [category, events] : gpu.copies)
      add_lane(LaneKind::copies, copy_lane_label(category), lane, device, events, [&](EventRef copy) {
        return static_cast<double>(trace_.copies.bytes[copy.row()]);
      });
  }

  void add_graphs(trace::DeviceId device, const GpuParts& gpu, int parent) {
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

  void add_thread(trace::ThreadIndex index, ThreadParts& thread, int parent) {
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
  const KernelNames& names_;
  struct Unfilled {
    std::size_t lane;
    std::function<std::vector<EventRow>(std::size_t& cut_events)> build;
  };

  std::map<trace::ProcessIndex, ProcessParts> processes_;
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
