#include "trace/timeline_rows.h"

#include "trace/kernel_names.h"
#include "trace/table_rows.h"

namespace gputrace::trace {

bool TimelineRows::add_device_columns(const DeviceEvent& event, DeviceColumns& columns, RowProblems& problems) {
  if (!is_usable_span(event.span.start_ns, event.span.end_ns, problems)) return false;
  if (event.device < 0) return problems.count(RowProblem::no_device), false;
  columns.start_ns.push_back(event.span.start_ns);
  columns.end_ns.push_back(event.span.end_ns);
  columns.device.push_back(DeviceId{event.device});
  columns.context.push_back(ContextId{event.context});
  columns.stream.push_back(StreamId{event.stream});
  columns.correlation.push_back(CorrelationId{event.correlation});
  columns.process.push_back(event.process);
  return true;
}

void TimelineRows::add_kernel(const DeviceEvent& event, std::string_view name, const KernelShape& shape) {
  add_kernel(event, trace_.strings.intern(name), shape, trace_.strings.intern(shape.mangled));
}

void TimelineRows::add_kernel(const DeviceEvent& event, StringId name, const KernelShape& shape, StringId mangled) {
  Kernels& kernels = trace_.kernels;
  if (!add_device_columns(event, kernels, kernel_problems_)) return;
  const auto [short_name, is_new] = short_names_.try_emplace(name);
  if (is_new) short_name->second = trace_.strings.intern(base_name(trace_.strings[name]));
  kernels.name.push_back(name);
  kernels.short_name.push_back(short_name->second);
  kernels.mangled.push_back(mangled);
  kernels.grid.push_back(shape.grid);
  kernels.block.push_back(shape.block);
  kernels.registers_per_thread.push_back(shape.registers_per_thread);
  kernels.static_shared_bytes.push_back(shape.static_shared_bytes);
  kernels.dynamic_shared_bytes.push_back(shape.dynamic_shared_bytes);
  kernels.graph_node.push_back(shape.graph_node);
}

void TimelineRows::add_copy(const DeviceEvent& event, const CopyFacts& copy) {
  Copies& copies = trace_.copies;
  if (!add_device_columns(event, copies, copy_problems_)) return;
  copies_without_size_ += !copy.bytes;
  copies.bytes.push_back(copy.bytes.value_or(0));
  copies.kind.push_back(copy.kind);
  copies.source_memory.push_back(copy.source);
  copies.destination_memory.push_back(copy.destination);
  copies.source_device.push_back(DeviceId{copy.source_device.value_or(event.device)});
  copies.destination_device.push_back(DeviceId{copy.destination_device.value_or(event.device)});
}

void TimelineRows::add_fill(const DeviceEvent& event, std::int64_t bytes, MemoryKind memory) {
  if (!add_device_columns(event, trace_.fills, fill_problems_)) return;
  trace_.fills.bytes.push_back(bytes);
  trace_.fills.memory.push_back(memory);
}

void TimelineRows::add_synchronization(const DeviceEvent& event, SyncKind kind) {
  if (!add_device_columns(event, trace_.synchronizations, sync_problems_)) return;
  trace_.synchronizations.kind.push_back(kind);
  trace_.synchronizations.event.push_back(0);
  trace_.synchronizations.event_sync.push_back(0);
}

void TimelineRows::add_graph_launch(const DeviceEvent& event, std::int64_t graph, std::int64_t graph_exec) {
  if (!add_device_columns(event, trace_.graph_launches, graph_problems_)) return;
  trace_.graph_launches.graph.push_back(graph);
  trace_.graph_launches.graph_exec.push_back(graph_exec);
}

void TimelineRows::add_call(Span span, ThreadIndex thread, StringId name, std::int64_t correlation, ApiClass api) {
  if (!is_usable_span(span.start_ns, span.end_ns, call_problems_)) return;
  ApiCalls& calls = trace_.api_calls;
  calls.start_ns.push_back(span.start_ns);
  calls.end_ns.push_back(span.end_ns);
  calls.thread.push_back(thread);
  calls.correlation.push_back(CorrelationId{correlation});
  calls.name.push_back(name);
  calls.api_class.push_back(api);
  calls.return_value.push_back(0);
}

void TimelineRows::add_overhead(Span span, ThreadIndex thread, StringId name, OverheadKind kind) {
  if (!is_usable_span(span.start_ns, span.end_ns, overhead_problems_)) return;
  trace_.overheads.start_ns.push_back(span.start_ns);
  trace_.overheads.end_ns.push_back(span.end_ns);
  trace_.overheads.thread.push_back(thread);
  trace_.overheads.kind.push_back(kind);
  trace_.overheads.name.push_back(name);
}

void TimelineRows::add_range(const RangeFacts& range) {
  const bool is_open = range.span.end_ns == kNoEnd;
  // A mark at 0 is a mark at 0: only what CUPTI measured has "no time stamp" there.
  const bool is_mark = range.kind == NvtxKind::mark;
  if (!is_open && !(is_mark && range.span == Span{0, 0}) &&
      !is_usable_span(range.span.start_ns, range.span.end_ns, range_problems_))
    return;
  if (is_open && !is_usable_span(range.span.start_ns, kTimeLimitNs - 1, range_problems_)) return;
  NvtxRanges& ranges = trace_.nvtx;
  ranges.start_ns.push_back(range.span.start_ns);
  ranges.end_ns.push_back(range.span.end_ns);
  ranges.kind.push_back(range.kind);
  ranges.thread.push_back(range.thread);
  ranges.domain.push_back(range.domain);
  ranges.category.push_back(range.category);
  ranges.text.push_back(range.text);
  ranges.color_argb.push_back(range.color_argb);
}

void TimelineRows::finish() {
  const bool has_device_work = trace_.kernels.size() + trace_.copies.size() + trace_.fills.size() > 0;
  if (has_device_work) {
    mark_captured(trace_, Table::kernels);
    mark_captured(trace_, Table::copies);
  }
  if (trace_.fills.size() > 0) mark_captured(trace_, Table::fills);
  if (trace_.synchronizations.size() > 0) mark_captured(trace_, Table::synchronizations);
  if (trace_.api_calls.size() > 0) mark_captured(trace_, Table::api_calls);
  if (trace_.graph_launches.size() > 0) mark_captured(trace_, Table::graph_launches);
  if (trace_.overheads.size() > 0) mark_captured(trace_, Table::overheads);
  if (trace_.nvtx.size() > 0) mark_captured(trace_, Table::nvtx);
  if (!trace_.gpus.empty()) mark_captured(trace_, Table::gpus);
  if (!trace_.op_placements.empty()) mark_captured(trace_, Table::op_placements);
  for (const RowProblems* problems : {&kernel_problems_, &copy_problems_, &fill_problems_, &graph_problems_, &sync_problems_,
                                      &call_problems_, &overhead_problems_, &range_problems_}) {
    problems->report(trace_.diagnostics);
  }
  if (copies_without_size_ > 0)
    trace_.diagnostics.push_back({kCopiesWithoutSize, copies_without_size_});
}

}  // namespace gputrace::trace
