// Every column of every table, once: for what has to reach all of them, such as sorting and appending.
#pragma once

#include "trace/trace.h"

namespace gputrace::trace {

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
void visit_columns(Counters& t, Visit visit) {
  visit(t.start_ns), visit(t.name), visit(t.unit), visit(t.process), visit(t.device), visit(t.value);
}

// Those of events, each with a start and an end; counters have samples.
template <class Visit>
void visit_tables(Trace& trace, Visit visit) {
  visit(trace.kernels), visit(trace.copies), visit(trace.fills), visit(trace.synchronizations),
      visit(trace.cuda_events), visit(trace.graph_launches), visit(trace.api_calls), visit(trace.overheads),
      visit(trace.nvtx);
}

// visit(to, from) with the same table of both.
template <class Visit>
void visit_table_pairs(Trace& to, Trace& from, Visit visit) {
  visit(to.kernels, from.kernels), visit(to.copies, from.copies), visit(to.fills, from.fills),
      visit(to.synchronizations, from.synchronizations), visit(to.cuda_events, from.cuda_events),
      visit(to.graph_launches, from.graph_launches), visit(to.api_calls, from.api_calls), visit(to.overheads, from.overheads),
      visit(to.nvtx, from.nvtx);
}

}  // namespace gputrace::trace
