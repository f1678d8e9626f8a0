// Work on the GPU.
#include "collector/record_converter.h"

#include "collector/cupti_kinds.h"
#include "collector/spool_reader.h"

namespace gputrace::collector {

namespace {

trace::Dim3 dim3(const std::int32_t (&dim)[3]) { return {dim[0], dim[1], dim[2]}; }

}  // namespace

bool RecordConverter::set_queue(trace::DeviceRow& row, std::uint64_t start_ns, std::uint64_t end_ns,
                                const spool::Queue& queue, std::uint32_t correlation) {
  if (start_ns == 0 || end_ns < start_ns) {
    assembly_.count("GPU activities for which CUPTI gave no time");
    return false;
  }
  if (__builtin_add_overflow(static_cast<std::int64_t>(start_ns), offsets_.cupti_ns, &row.start_ns) ||
      __builtin_add_overflow(static_cast<std::int64_t>(end_ns), offsets_.cupti_ns, &row.end_ns)) {
    assembly_.count("GPU activities at times that no clock has");
    return false;
  }
  row.device = static_cast<std::int32_t>(queue.device);
  row.context = static_cast<std::int32_t>(queue.context);
  row.stream = static_cast<std::int32_t>(queue.stream);
  row.correlation = correlation;
  row.global_pid = global_pid_;
  return true;
}

void RecordConverter::shape(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::ShapeRecord>(bytes);
  if (record.header.id != lane.shapes.size() + 1 || record.header.id > kMaxIds) {
    return assembly_.count("spool launch shapes that are damaged");
  }
  const KernelNameIds names = assembly_.kernel_name(text_of(lane, record.name));
  trace::KernelRow& row = lane.shapes.emplace_back();
  row.device = static_cast<std::int32_t>(record.device);
  row.context = static_cast<std::int32_t>(record.context);
  row.stream = static_cast<std::int32_t>(record.stream);
  row.global_pid = global_pid_;
  row.name = names.name;
  row.short_name = names.short_name;
  row.mangled = names.mangled;
  row.grid = dim3(record.grid);
  row.block = dim3(record.block);
  row.registers_per_thread = static_cast<std::int32_t>(record.registers_per_thread);
  row.static_shared_bytes = record.static_shared_bytes;
  row.dynamic_shared_bytes = record.dynamic_shared_bytes;
  row.local_bytes_per_thread = static_cast<std::int32_t>(record.local_bytes_per_thread);
  row.local_bytes_total = static_cast<std::int64_t>(record.local_bytes_total);
  row.launch_type = record.launch_type + 1;  // CUPTI counts from 0 regular, the export from 1
  row.cache_config = record.cache_config;
  row.shared_bytes_executed = static_cast<std::int32_t>(record.shared_bytes_executed);
  row.graph = unless_zero(record.graph);
  row.cluster = {static_cast<std::int32_t>(record.cluster[0]), static_cast<std::int32_t>(record.cluster[1]),
                 static_cast<std::int32_t>(record.cluster[2])};
}

void RecordConverter::kernel(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::KernelRecord>(bytes);
  if (record.header.id == 0 || record.header.id > lane.shapes.size()) {
    return assembly_.count("kernels whose launch shape is missing from a spool");
  }
  trace::KernelRow& row = lane.shapes[record.header.id - 1];
  const std::uint64_t end_ns = record.end_ns != 0 ? record.end_ns : record.start_ns + record.duration_ns;
  const spool::Queue queue{static_cast<std::uint32_t>(row.device), static_cast<std::uint32_t>(row.context),
                           static_cast<std::uint32_t>(row.stream)};
  if (!set_queue(row, record.start_ns, end_ns, queue, record.correlation)) return;
  row.grid_id = record.grid_id;
  row.graph_node = unless_zero(record.graph_node);
  writer_.add(row);
}

void RecordConverter::copy(Lane&, Bytes bytes) {
  const auto record = record_as<spool::CopyRecord>(bytes);
  trace::CopyRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, record.queue, record.header.id)) return;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.kind = copy_kind(record.kind);
  row.source_memory = memory_kind(record.source_memory);
  row.destination_memory = memory_kind(record.destination_memory);
  row.graph_node = unless_zero(record.graph_node);
  if (record.peer != 0) {
    row.source_device = static_cast<std::int32_t>(record.source_device);
    row.source_context = static_cast<std::int32_t>(record.source_context);
    row.destination_device = static_cast<std::int32_t>(record.destination_device);
    row.destination_context = static_cast<std::int32_t>(record.destination_context);
  }
  writer_.add(row);
}

void RecordConverter::fill(Lane&, Bytes bytes) {
  const auto record = record_as<spool::FillRecord>(bytes);
  trace::FillRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, record.queue, record.header.id)) return;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.value = record.value;
  row.memory = memory_kind(record.memory);
  row.graph_node = unless_zero(record.graph_node);
  writer_.add(row);
}

template <class Row>
void RecordConverter::add_when_device_known(std::vector<Row>& waiting, Row row) {
  const auto found = device_of_context_.find(row.context);
  if (found == device_of_context_.end()) return void(waiting.push_back(row));
  row.device = found->second;
  writer_.add(row);
}

void RecordConverter::synchronization(Lane&, Bytes bytes) {
  const auto record = record_as<spool::SynchronizationRecord>(bytes);
  trace::SynchronizationRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, {0, record.context, record.stream}, record.header.id)) return;
  row.kind = record.type <= 4 ? static_cast<trace::SyncKind>(record.type) : trace::SyncKind::unknown;
  row.event = record.event == UINT32_MAX ? 0 : record.event;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE
  row.event_sync = unless_zero(record.event_sync);
  add_when_device_known(waiting_synchronizations_, row);
}

void RecordConverter::cuda_event(Lane&, Bytes bytes) {
  const auto record = record_as<spool::CudaEventRecord>(bytes);
  trace::CudaEventRow row;
  const bool timed = record.timestamp_ns != 0;
  set_queue(row, timed ? record.timestamp_ns : 1, timed ? record.timestamp_ns : 1, record.queue, record.header.id);
  if (!timed) row.start_ns = row.end_ns = 0;
  row.event = record.event;
  row.event_sync = unless_zero(record.event_sync);
  if (record.header.flags & spool::kHasDevice) writer_.add(row);
  else add_when_device_known(waiting_events_, row);
}

void RecordConverter::graph_launch(Lane&, Bytes bytes) {
  const auto record = record_as<spool::GraphLaunchRecord>(bytes);
  trace::GraphLaunchRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, record.queue, record.header.id)) return;
  row.graph = record.graph;
  row.graph_exec = record.graph;  // CUPTI gives one id
  writer_.add(row);
}

}  // namespace gputrace::collector
