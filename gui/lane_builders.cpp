#include "gui/lane_builders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <thread>

#include "analyzer/parallel_for.h"

namespace gputrace::gui {
namespace {

using trace::Table;

struct Share {  // of the GPUs and threads: every `of`th, a power of two, because each row is asked
  std::uint32_t part = 0, of = 1;
  bool has(std::uint32_t id) const { return (id & (of - 1)) == part; }
  bool has(trace::ThreadIndex thread) const { return has(static_cast<std::uint32_t>(thread.value)); }
  bool has(trace::ProcessIndex process, trace::DeviceId device) const {
    return has(static_cast<std::uint32_t>(process.value) + static_cast<std::uint32_t>(device.value));
  }
};

Category direction(Category category) {
  if (category == Category::to_device_pinned) return Category::to_device_pageable;
  if (category == Category::to_host_pinned) return Category::to_host_pageable;
  return category;
}

// Calls visit(table, row) for the rows of all tables in order of start; of those that start together in the order of the tables.
template <std::size_t N, class Visit>
void for_each_in_order(const std::array<const std::vector<std::int64_t>*, N>& starts_ns, Visit visit) {
  std::array<std::size_t, N> next{};
  const auto size = [&](std::size_t table) { return std::min(starts_ns[table]->size(), EventRef::kMaxRows); };
  for (;;) {
    std::size_t first = N;
    std::int64_t start_ns = 0, others_ns = INT64_MAX;
    for (std::size_t table = 0; table < N; ++table) {
      if (next[table] == size(table)) continue;
      const std::int64_t at_ns = (*starts_ns[table])[next[table]];
      if (first != N && at_ns >= start_ns) {
        others_ns = std::min(others_ns, at_ns);
        continue;
      }
      if (first != N) others_ns = start_ns;
      first = table;
      start_ns = at_ns;
    }
    if (first == N) return;
    do visit(first, next[first]++);
    while (next[first] < size(first) && (*starts_ns[first])[next[first]] < others_ns);
  }
}

class DeviceLanes {
 public:
  DeviceLanes(const trace::Trace& trace, const KernelNames& names, Share share)
      : trace_{trace},
        names_{names},
        share_{share},
        // A graph whose kernels were recorded too would count twice.
        whole_graphs_{std::none_of(trace.kernels.graph_node.begin(), trace.kernels.graph_node.end(),
                                   [](std::int64_t node) { return node != 0; })} {}

  LaneBuilders build() {
    const std::array tables{Table::kernels, Table::copies, Table::fills, Table::graph_launches};
    const std::array<const trace::DeviceColumns*, 4> columns{&trace_.kernels, &trace_.copies, &trace_.fills, &trace_.graph_launches};
    for (const trace::DeviceColumns* table : columns) expect(*table);
    for_each_in_order<4>({&columns[0]->start_ns, &columns[1]->start_ns, &columns[2]->start_ns, &columns[3]->start_ns},
                         [&](std::size_t table, std::size_t row) {
                           if (has(*columns[table], row)) add(*columns[table], EventRef{tables[table], row});
                         });
    return std::move(processes_);
  }

 private:
  struct Key {
    trace::ProcessIndex process{-2};
    trace::DeviceId device{-2};
    trace::ContextId context{-2};
    trace::StreamId stream{-2};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Recent {
    Key key;
    GpuLanes* gpu = nullptr;
    LaneBuilder* stream = nullptr;
  };

  bool has(const trace::DeviceColumns& columns, std::size_t row) const {
    return share_.has(columns.process[row], columns.device[row]);
  }

  void expect(const trace::DeviceColumns& columns) {
    for (std::size_t row = 0; row < std::min(columns.size(), EventRef::kMaxRows); ++row) {
      if (!has(columns, row)) continue;
      const Recent& lanes = lanes_of(columns, row);
      lanes.stream->expect_one();
      lanes.gpu->activity.expect_one();
    }
  }

  void add(const trace::DeviceColumns& columns, EventRef event) {
    const std::size_t row = event.row();
    const Recent& lanes = lanes_of(columns, row);
    const trace::Span span = columns.span(row);
    const Category category = category_of(event);
    lanes.stream->add(span.start_ns, span.end_ns, event, category);
    add_to_gpu(*lanes.gpu, span, event, category);
  }

  void add_to_gpu(GpuLanes& gpu, trace::Span span, EventRef event, Category category) {
    using Work = DeviceActivity::Work;
    if (event.table() == Table::kernels || (event.table() == Table::graph_launches && whole_graphs_))
      gpu.activity.add(Work::kernel, span);
    if (event.table() == Table::fills) gpu.activity.add(Work::fill, span);
    if (event.table() != Table::copies) return;
    gpu.activity.add(Work::copy, span);
    gpu.copies[direction(category)].add(span.start_ns, span.end_ns, event, category,
                                        static_cast<double>(trace_.copies.bytes[event.row()]));
  }

  Category category_of(EventRef event) const {
    const trace::Copies& copies = trace_.copies;
    const std::size_t row = event.row();
    if (event.table() == Table::kernels) return names_.category(trace_.kernels.name[row]);
    if (event.table() == Table::copies)
      return copy_category(copies.kind[row], copies.source_memory[row], copies.destination_memory[row]);
    return event.table() == Table::fills ? Category::fill : Category::graph_launch;
  }

  // Rows come by the million and neighbours are often of different streams, so the last few found are kept at hand.
  const Recent& lanes_of(const trace::DeviceColumns& columns, std::size_t row) {
    const Key key{columns.process[row], columns.device[row], columns.context[row], columns.stream[row]};
    const std::uint32_t hash = static_cast<std::uint32_t>(key.device.value) * 7 + static_cast<std::uint32_t>(key.stream.value);
    Recent& slot = recent_[hash % recent_.size()];
    if (slot.stream == nullptr || slot.key != key) {
      GpuLanes& gpu = processes_[key.process].gpus[key.device];
      slot = {key, &gpu, &gpu.streams[{key.context.value, key.stream.value}]};
    }
    return slot;
  }

  const trace::Trace& trace_;
  const KernelNames& names_;
  Share share_;
  bool whole_graphs_;
  std::array<Recent, 64> recent_{};
  LaneBuilders processes_;
};

class HostLanes {
 public:
  HostLanes(const trace::Trace& trace, std::int64_t trace_end_ns, Share share)
      : trace_{trace}, trace_end_ns_{trace_end_ns}, share_{share}, threads_(trace.threads.size()) {}

  LaneBuilders build() {
    add_calls();
    add_ranges();
    return std::move(processes_);
  }

 private:
  void add_calls() {
    const trace::ApiCalls& calls = trace_.api_calls;
    const trace::Overheads& overheads = trace_.overheads;
    const std::vector<Category> categories = categories_by_name(calls.name, api_category);
    for (const auto* threads : {&calls.thread, &overheads.thread})
      for (const trace::ThreadIndex thread : *threads)
        if (share_.has(thread)) lanes_of(thread).calls.expect_one();
    for_each_in_order<2>({&calls.start_ns, &overheads.start_ns}, [&](std::size_t table, std::size_t row) {
      const trace::ThreadIndex thread = table == 0 ? calls.thread[row] : overheads.thread[row];
      if (!share_.has(thread)) return;
      if (table == 0)
        lanes_of(thread).calls.add(calls.start_ns[row], calls.end_ns[row], EventRef{Table::api_calls, row},
                                   categories[calls.name[row].value]);
      else
        lanes_of(thread).calls.add(overheads.start_ns[row], overheads.end_ns[row], EventRef{Table::overheads, row},
                                   Category::overhead);
    });
  }

  void add_ranges() {
    const trace::NvtxRanges& nvtx = trace_.nvtx;
    const std::vector<Category> categories = categories_by_name(nvtx.text, range_category);
    for (std::size_t i = 0; i < std::min(nvtx.size(), EventRef::kMaxRows); ++i) {
      if (!share_.has(nvtx.thread[i])) continue;
      const bool open = nvtx.end_ns[i] == trace::kNoEnd;
      const std::int64_t end_ns = open ? std::max(trace_end_ns_, nvtx.start_ns[i]) : nvtx.end_ns[i];
      lanes_of(nvtx.thread[i])
          .domains[nvtx.domain[i]]
          .add(nvtx.start_ns[i], end_ns, EventRef{Table::nvtx, i}, categories[nvtx.text[i].value]);
    }
  }

  // By string id; of the names given only.
  std::vector<Category> categories_by_name(const std::vector<trace::StringId>& names, Category (*of)(std::string_view)) const {
    std::vector<Category> categories(trace_.strings.size(), Category::count);
    for (const trace::StringId name : names)
      if (categories[name.value] == Category::count) categories[name.value] = of(trace_.text(name));
    return categories;
  }

  ThreadLanes& lanes_of(trace::ThreadIndex thread) {
    const bool known = thread.value >= 0 && static_cast<std::size_t>(thread.value) < threads_.size();
    if (!known) return processes_[trace::ProcessIndex{-1}].threads[thread];
    ThreadLanes*& lanes = threads_[static_cast<std::size_t>(thread.value)];
    if (lanes == nullptr) lanes = &processes_[trace_.threads[static_cast<std::size_t>(thread.value)].process].threads[thread];
    return *lanes;
  }

  const trace::Trace& trace_;
  std::int64_t trace_end_ns_;
  Share share_;
  std::vector<ThreadLanes*> threads_;  // by index; those that had an event, in processes_
  LaneBuilders processes_;
};

}  // namespace

LaneBuilders build_lanes(const trace::Trace& trace, const KernelNames& names, std::int64_t trace_end_ns) {
  const std::uint32_t cores = std::bit_floor(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  std::vector<LaneBuilders> parts(2 * cores);
  analyzer::parallel_for(parts.size(), [&](std::size_t part) {
    const Share share{.part = static_cast<std::uint32_t>(part / 2), .of = cores};
    parts[part] = part % 2 == 0 ? DeviceLanes{trace, names, share}.build() : HostLanes{trace, trace_end_ns, share}.build();
  });
  LaneBuilders all;
  for (LaneBuilders& part : parts)
    for (auto& [process, lanes] : part) {
      all[process].gpus.merge(lanes.gpus);
      all[process].threads.merge(lanes.threads);
    }
  return all;
}

}  // namespace gputrace::gui
