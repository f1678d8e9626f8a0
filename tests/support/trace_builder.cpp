#include "tests/support/trace_builder.h"

namespace gputrace::tests {
namespace {

using namespace trace;

constexpr std::uint64_t global_pid(int pid) { return static_cast<std::uint64_t>(pid) << 24; }

template <class Event>
void add_device_columns(DeviceColumns& columns, const Event& event) {
  columns.start_ns.push_back(event.start);
  columns.end_ns.push_back(event.end);
  columns.device.push_back(DeviceId{event.device});
  columns.context.push_back(ContextId{event.device + 1});
  columns.stream.push_back(StreamId{event.stream});
  columns.correlation.push_back(CorrelationId{event.correlation});
  columns.process.push_back(ProcessIndex{event.process});
}

}  // namespace

TraceBuilder::TraceBuilder() {
  trace_.metadata.file = "built-in-a-test.sqlite";
  trace_.metadata.producer = "gputrace test";
  trace_.processes.push_back({.global_pid = global_pid(1000), .pid = 1000, .name = "trainer"});
  thread(0);
}

void TraceBuilder::mark(Table table) { trace_.captured.set(static_cast<std::size_t>(table)); }

ThreadIndex TraceBuilder::thread(int index) {
  while (static_cast<int>(trace_.threads.size()) <= index) {
    const int tid = 1000 + static_cast<int>(trace_.threads.size());
    trace_.threads.push_back({.global_tid = global_pid(1000) | static_cast<std::uint64_t>(tid),
                              .process = ProcessIndex{0}, .tid = tid, .name = "thread " + std::to_string(tid)});
  }
  return ThreadIndex{index};
}

TraceBuilder& TraceBuilder::gpu(const Gpu& gpu) {
  mark(Table::gpus);
  trace_.gpus.push_back(gpu);
  return *this;
}

TraceBuilder& TraceBuilder::link(const Link& link) {
  mark(Table::links);
  trace_.links.push_back(link);
  return *this;
}

TraceBuilder& TraceBuilder::kernel(const KernelEvent& event) {
  mark(Table::kernels);
  Kernels& kernels = trace_.kernels;
  add_device_columns(kernels, event);
  const StringId name = trace_.strings.intern(event.name);
  kernels.name.push_back(name);
  kernels.short_name.push_back(name);
  kernels.mangled.push_back(StringId{});
  kernels.grid.push_back(event.grid);
  kernels.block.push_back(event.block);
  kernels.registers_per_thread.push_back(event.registers);
  kernels.static_shared_bytes.push_back(event.shared_bytes);
  kernels.dynamic_shared_bytes.push_back(0);
  kernels.graph_node.push_back(0);
  return *this;
}

TraceBuilder& TraceBuilder::copy(const CopyEvent& event) {
  mark(Table::copies);
  Copies& copies = trace_.copies;
  add_device_columns(copies, event);
  copies.bytes.push_back(event.bytes);
  copies.kind.push_back(event.kind);
  copies.source_memory.push_back(event.source);
  copies.destination_memory.push_back(event.destination);
  copies.source_device.push_back(DeviceId{event.from < 0 ? event.device : event.from});
  copies.destination_device.push_back(DeviceId{event.to < 0 ? event.device : event.to});
  return *this;
}

TraceBuilder& TraceBuilder::api(const ApiEvent& event) {
  mark(Table::api_calls);
  ApiCalls& calls = trace_.api_calls;
  calls.start_ns.push_back(event.start);
  calls.end_ns.push_back(event.end);
  calls.thread.push_back(thread(event.thread));
  calls.correlation.push_back(CorrelationId{event.correlation});
  calls.name.push_back(trace_.strings.intern(event.name));
  calls.api_class.push_back(ApiClass::runtime);
  calls.return_value.push_back(0);
  return *this;
}

TraceBuilder& TraceBuilder::range(const RangeEvent& event) {
  mark(Table::nvtx);
  NvtxRanges& nvtx = trace_.nvtx;
  nvtx.start_ns.push_back(event.start);
  nvtx.end_ns.push_back(event.end);
  nvtx.kind.push_back(NvtxKind::push_pop);
  nvtx.thread.push_back(thread(event.thread));
  nvtx.domain.push_back(trace_.strings.intern(event.domain));
  nvtx.category.push_back(StringId{});
  nvtx.text.push_back(trace_.strings.intern(event.text));
  nvtx.color_argb.push_back(0);
  return *this;
}

TraceBuilder& TraceBuilder::sync(const SyncEvent& event) {
  mark(Table::synchronizations);
  add_device_columns(trace_.synchronizations, event);
  trace_.synchronizations.kind.push_back(event.kind);
  trace_.synchronizations.event.push_back(0);
  trace_.synchronizations.event_sync.push_back(0);
  return *this;
}

TraceBuilder& TraceBuilder::step(std::int64_t start, std::int64_t end) {
  return range({.start = start, .end = end, .text = "step " + std::to_string(steps_++), .domain = "step"});
}

TraceBuilder& TraceBuilder::graph(const GraphEvent& event) {
  mark(Table::graph_launches);
  add_device_columns(trace_.graph_launches, event);
  trace_.graph_launches.graph.push_back(1);
  trace_.graph_launches.graph_exec.push_back(1);
  return *this;
}

TraceBuilder& TraceBuilder::overhead(const OverheadEvent& event) {
  mark(Table::overheads);
  Overheads& overheads = trace_.overheads;
  overheads.start_ns.push_back(event.start);
  overheads.end_ns.push_back(event.end);
  overheads.thread.push_back(thread(event.thread));
  overheads.kind.push_back(event.kind);
  overheads.name.push_back(trace_.strings.intern("overhead"));
  return *this;
}

TraceBuilder& TraceBuilder::captured(Table table) {
  mark(table);
  return *this;
}

TraceBuilder& TraceBuilder::simulated(std::string_view machine) {
  trace_.metadata.simulated = true;
  trace_.metadata.machine = machine;
  return *this;
}

Trace TraceBuilder::build() {
  sort_by_start(trace_);
  Trace done = std::move(trace_);
  *this = TraceBuilder{};
  return done;
}

}  // namespace gputrace::tests
