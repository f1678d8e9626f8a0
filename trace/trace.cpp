#include "trace/trace.h"

#include <algorithm>

namespace gputrace::trace {
namespace {

// Every column of a table, once: the permutation below has to reach all of them.
template <class Visit>
void visit_device_columns(DeviceColumns& t, Visit visit) {
  visit(t.start_ns), visit(t.end_ns), visit(t.device), visit(t.context), visit(t.stream),
      visit(t.correlation), visit(t.process);
}

template <class Visit>
void visit_columns(Kernels& t, Visit visit) {
  visit_device_columns(t, visit);
  visit(t.name), visit(t.short_name), visit(t.mangled), visit(t.grid), visit(t.block),
      visit(t.registers_per_thread), visit(t.static_shared_bytes), visit(t.dynamic_shared_bytes),
      visit(t.graph_node);
}

template <class Visit>
void visit_columns(Copies& t, Visit visit) {
  visit_device_columns(t, visit);
  visit(t.bytes), visit(t.kind), visit(t.source_memory), visit(t.destination_memory), visit(t.source_device),
      visit(t.destination_device);
}

template <class Visit>
void visit_columns(Fills& t, Visit visit) {
  visit_device_columns(t, visit);
  visit(t.bytes), visit(t.memory);
}

template <class Visit>
void visit_columns(Synchronizations& t, Visit visit) {
  visit_device_columns(t, visit);
  visit(t.kind), visit(t.event), visit(t.event_sync);
}

template <class Visit>
void visit_columns(CudaEvents& t, Visit visit) {
  visit_device_columns(t, visit);
  visit(t.event), visit(t.event_sync);
}

template <class Visit>
void visit_columns(GraphLaunches& t, Visit visit) {
  visit_device_columns(t, visit);
  visit(t.graph), visit(t.graph_exec);
}

template <class Visit>
void visit_columns(ApiCalls& t, Visit visit) {
  visit(t.start_ns), visit(t.end_ns), visit(t.thread), visit(t.correlation), visit(t.name),
      visit(t.api_class), visit(t.return_value);
}

template <class Visit>
void visit_columns(Overheads& t, Visit visit) {
  visit(t.start_ns), visit(t.end_ns), visit(t.thread), visit(t.kind), visit(t.name);
}

template <class Visit>
void visit_columns(NvtxRanges& t, Visit visit) {
  visit(t.start_ns), visit(t.end_ns), visit(t.kind), visit(t.thread), visit(t.domain), visit(t.category),
      visit(t.text), visit(t.color_argb);
}

template <class Visit>
void visit_tables(Trace& trace, Visit visit) {
  visit(trace.kernels), visit(trace.copies), visit(trace.fills), visit(trace.synchronizations),
      visit(trace.cuda_events), visit(trace.graph_launches), visit(trace.api_calls), visit(trace.overheads),
      visit(trace.nvtx);
}

struct StartAndRow {
  std::int64_t start_ns;
  std::size_t row;
  friend auto operator<=>(const StartAndRow&,
                          const StartAndRow&) = default;  // equal starts keep the row order
};

std::vector<StartAndRow> order_by_start(const std::vector<std::int64_t>& start_ns) {
  std::vector<StartAndRow> order(start_ns.size());
  for (std::size_t row = 0; row < order.size(); ++row) order[row] = {start_ns[row], row};
  std::sort(order.begin(), order.end());
  return order;
}

template <class Table>
void sort_table_by_start(Table& table) {
  if (std::is_sorted(table.start_ns.begin(), table.start_ns.end())) return;
  const std::vector<StartAndRow> order = order_by_start(table.start_ns);
  visit_columns(table, [&order](auto& column) {
    std::remove_reference_t<decltype(column)> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i].row];
    column.swap(sorted);
  });
}

// kNoEnd lies before every start, so an open range reaches as far as its start.
template <class Table>
void widen(Span& span, bool& any, const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::int64_t start_ns = table.start_ns[i], end_ns = std::max(start_ns, table.end_ns[i]);
    span =
        any ? Span{std::min(span.start_ns, start_ns), std::max(span.end_ns, end_ns)} : Span{start_ns, end_ns};
    any = true;
  }
}

}  // namespace

Span Trace::span() const {
  Span span;
  bool any = false;
  widen(span, any, kernels);
  widen(span, any, copies);
  widen(span, any, fills);
  widen(span, any, synchronizations);
  widen(span, any, graph_launches);
  widen(span, any, api_calls);
  widen(span, any, nvtx);
  for (std::size_t i = 0; i < cuda_events.size(); ++i) {
    const std::int64_t time_ns = cuda_events.start_ns[i];
    if (time_ns == 0) continue;  // not captured
    span =
        any ? Span{std::min(span.start_ns, time_ns), std::max(span.end_ns, time_ns)} : Span{time_ns, time_ns};
    any = true;
  }
  return span;
}

void sort_by_start(Trace& trace) {
  visit_tables(trace, [](auto& table) { sort_table_by_start(table); });
}

}  // namespace gputrace::trace
