#include "gui/device_lanes.h"

#include <algorithm>

namespace gputrace::gui {
namespace {

using trace::Table;

Category direction(Category category) {
  if (category == Category::to_device_pinned) return Category::to_device_pageable;
  if (category == Category::to_host_pinned) return Category::to_host_pageable;
  return category;
}

class DeviceLanes {
 public:
  DeviceLanes(const trace::Trace& trace, const KernelNames& names, LaneShare share)
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
  LaneShare share_;
  bool whole_graphs_;
  std::array<Recent, 64> recent_{};
  LaneBuilders processes_;
};

}  // namespace

LaneBuilders build_device_lanes(const trace::Trace& trace, const KernelNames& names, LaneShare share) {
  return DeviceLanes{trace, names, share}.build();
}

}  // namespace gputrace::gui
