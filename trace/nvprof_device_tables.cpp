// Work on a GPU in an nvprof database.
#include <optional>

#include "trace/kernel_names.h"
#include "trace/nvprof_read.h"

namespace gputrace::trace {
namespace {

// CUPTI counts memory kinds from "unknown", an export from "pageable".
MemoryKind memory_kind(const RowValues& row, int column, RowProblems& problems) {
  const std::int64_t kind = row.integer(column);
  if (kind >= 1 && kind <= 7) return static_cast<MemoryKind>(kind - 1);
  if (kind != 0) problems.count(RowProblem::unknown_kind);
  return MemoryKind::unknown;
}

struct Queue {
  std::int32_t device = 0, context = 0, stream = 0;
  std::int64_t correlation = 0;
};

void add_device_columns(DeviceColumns& columns, Span span, const Queue& queue) {
  columns.start_ns.push_back(span.start_ns);
  columns.end_ns.push_back(span.end_ns);
  columns.device.push_back(DeviceId{queue.device});
  columns.context.push_back(ContextId{queue.context});
  columns.stream.push_back(StreamId{queue.stream});
  columns.correlation.push_back(CorrelationId{queue.correlation});
  columns.process.push_back(ProcessIndex{-1});  // by correlation id, afterwards
}

enum DeviceColumn : int { kStart, kEnd, kContext, kStream, kCorrelation, kDevice, kDeviceColumnCount };
#define GPUTRACE_DEVICE_COLUMNS "start", "end", "contextId", "streamId", "correlationId", "deviceId"

std::int32_t id_or_all(const RowValues& row, int column) {
  return row.is_invalid_uint32(column) ? -1 : row.int32(column);
}

// Reads one table; `add` appends what the table has besides the columns of every device table.
template <class Columns, class Add>
Result<void> read_device_table(NvprofRead& read, std::string_view name, std::string_view rows, Table table,
                               std::span<const std::string_view> file_columns, Columns& columns, Add add) {
  RowProblems problems{rows};
  const auto done = for_each_row(read, name, file_columns, [&](const TableCursor& cursor) {
    mark_captured(read.trace, table);
    const std::optional<Span> span = row_span(cursor, kStart, problems);
    if (!span) return;
    const RowValues row{cursor, problems};
    std::int32_t device = row.int32(kDevice, -1);
    if (!cursor.has_column(kDevice)) {  // tables that know their context only
      const auto found = read.device_of_context.find(row.integer(kContext));
      if (found != read.device_of_context.end()) device = found->second.value;
    }
    if (device < 0) return problems.count(RowProblem::no_device);
    add_device_columns(
        columns, *span,
        {device, id_or_all(row, kContext), id_or_all(row, kStream), row.integer(kCorrelation)});
    add(row, problems);
  });
  problems.report(read.trace.diagnostics);
  return done;
}

struct KernelName {
  StringId mangled, name, short_name;
};

// Demangling is dear, and a run launches the same kernels again and again.
class KernelNames {
 public:
  const KernelName& of(StringId file_name, StringTable& strings) {
    const auto [entry, is_new] = names_.try_emplace(file_name);
    if (is_new) {
      const std::string full = demangled(strings[file_name]);
      entry->second = {full == strings[file_name] ? StringId{} : file_name, strings.intern(full),
                       strings.intern(base_name(full))};
    }
    return entry->second;
  }

 private:
  std::unordered_map<StringId, KernelName> names_;
};

Dim3 dim3(const RowValues& row, int first_column) {
  return {row.int32(first_column, 1), row.int32(first_column + 1, 1), row.int32(first_column + 2, 1)};
}

// CONCURRENT_KERNEL is the usual one; KERNEL holds runs with kernels serialized.
Result<void> read_kernels(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS,
                                                  "name",
                                                  "gridX",
                                                  "gridY",
                                                  "gridZ",
                                                  "blockX",
                                                  "blockY",
                                                  "blockZ",
                                                  "registersPerThread",
                                                  "staticSharedMemory",
                                                  "dynamicSharedMemory",
                                                  "graphNodeId"};
  enum {
    kName = kDeviceColumnCount,
    kGrid,
    kBlock = kGrid + 3,
    kRegisters = kBlock + 3,
    kStaticShared,
    kDynamicShared,
    kGraphNode
  };
  Kernels& kernels = read.trace.kernels;
  KernelNames names;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL"}) {
    const auto done = read_device_table(read, table, "kernel rows", Table::kernels, kColumns, kernels,
                                        [&](const RowValues& row, RowProblems&) {
                                          const KernelName& name =
                                              names.of(row.string(kName, read.strings), read.trace.strings);
                                          kernels.name.push_back(name.name);
                                          kernels.short_name.push_back(name.short_name);
                                          kernels.mangled.push_back(name.mangled);
                                          kernels.grid.push_back(dim3(row, kGrid));
                                          kernels.block.push_back(dim3(row, kBlock));
                                          kernels.registers_per_thread.push_back(row.int32(kRegisters));
                                          kernels.static_shared_bytes.push_back(row.int32(kStaticShared));
                                          kernels.dynamic_shared_bytes.push_back(row.int32(kDynamicShared));
                                          kernels.graph_node.push_back(row.integer(kGraphNode));
                                        });
    if (!done) return done;
  }
  return {};
}

// MEMCPY2 holds the copies between two GPUs.
Result<void> read_copies(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {
      GPUTRACE_DEVICE_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId"};
  enum {
    kBytes = kDeviceColumnCount,
    kKind,
    kSourceKind,
    kDestinationKind,
    kSourceDevice,
    kDestinationDevice
  };
  Copies& copies = read.trace.copies;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"}) {
    const auto done = read_device_table(
        read, table, "copy rows", Table::copies, kColumns, copies,
        [&](const RowValues& row, RowProblems& problems) {
          const std::int32_t device = copies.device.back().value;
          copies.bytes.push_back(row.integer(kBytes));
          copies.kind.push_back(
              row.kind(kKind, CopyKind::unknown, CopyKind::peer_to_peer, CopyKind::unknown));
          copies.source_memory.push_back(memory_kind(row, kSourceKind, problems));
          copies.destination_memory.push_back(memory_kind(row, kDestinationKind, problems));
          copies.source_device.push_back(DeviceId{row.int32(kSourceDevice, device)});
          copies.destination_device.push_back(DeviceId{row.int32(kDestinationDevice, device)});
        });
    if (!done) return done;
  }
  return {};
}

// Pages that unified memory moved, as copies; the other counters are no transfers.
Result<void> read_unified_memory(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"start", "end",   "counterKind", "value",
                                                  "srcId", "dstId", "streamId"};
  constexpr std::int64_t kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8;
  Copies& copies = read.trace.copies;
  RowProblems problems{"unified memory rows"};
  const auto done = for_each_row(
      read, "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", kColumns, [&](const TableCursor& cursor) {
        const RowValues row{cursor, problems};
        const std::int64_t counter = row.integer(2);
        if (counter != kHostToDevice && counter != kDeviceToHost && counter != kDeviceToDevice) return;
        mark_captured(read.trace, Table::copies);
        const std::optional<Span> span = row_span(cursor, 0, problems);
        if (!span) return;
        const std::int32_t source = row.int32(4), destination = row.int32(5);
        add_device_columns(copies, *span,
                           {counter == kDeviceToHost ? source : destination, 0, id_or_all(row, 6), 0});
        copies.bytes.push_back(row.integer(3));
        copies.kind.push_back(counter == kHostToDevice   ? CopyKind::unified_host_to_device
                              : counter == kDeviceToHost ? CopyKind::unified_device_to_host
                                                         : CopyKind::unified_device_to_device);
        copies.source_memory.push_back(MemoryKind::managed);
        copies.destination_memory.push_back(MemoryKind::managed);
        copies.source_device.push_back(DeviceId{counter == kHostToDevice ? destination : source});
        copies.destination_device.push_back(DeviceId{counter == kDeviceToHost ? source : destination});
      });
  problems.report(read.trace.diagnostics);
  return done;
}

Result<void> read_fills(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS, "bytes", "memoryKind"};
  Fills& fills = read.trace.fills;
  return read_device_table(read, "CUPTI_ACTIVITY_KIND_MEMSET", "memset rows", Table::fills, kColumns, fills,
                           [&](const RowValues& row, RowProblems& problems) {
                             fills.bytes.push_back(row.integer(kDeviceColumnCount));
                             fills.memory.push_back(memory_kind(row, kDeviceColumnCount + 1, problems));
                           });
}

std::int64_t event_id(const RowValues& row, int column) {
  return row.is_invalid_uint32(column) ? 0 : row.integer(column);
}

Result<void> read_synchronizations(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS, "type", "cudaEventId"};
  Synchronizations& rows = read.trace.synchronizations;
  return read_device_table(read, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronization rows",
                           Table::synchronizations, kColumns, rows, [&](const RowValues& row, RowProblems&) {
                             rows.kind.push_back(row.kind(kDeviceColumnCount, SyncKind::unknown,
                                                          SyncKind::context, SyncKind::unknown));
                             rows.event.push_back(event_id(row, kDeviceColumnCount + 1));
                             rows.event_sync.push_back(0);
                           });
}

#undef GPUTRACE_DEVICE_COLUMNS

Result<void> read_cuda_events(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"contextId", "streamId", "correlationId", "eventId"};
  CudaEvents& events = read.trace.cuda_events;
  RowProblems problems{"CUDA event rows"};
  const auto done =
      for_each_row(read, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", kColumns, [&](const TableCursor& cursor) {
        mark_captured(read.trace, Table::cuda_events);
        const RowValues row{cursor, problems};
        const auto device = read.device_of_context.find(row.integer(0));
        if (device == read.device_of_context.end()) return problems.count(RowProblem::no_device);
        add_device_columns(events, {0, 0},
                           {device->second.value, id_or_all(row, 0), id_or_all(row, 1), row.integer(2)});
        events.event.push_back(event_id(row, 3));
        events.event_sync.push_back(0);
      });
  problems.report(read.trace.diagnostics);
  return done;
}

}  // namespace

Result<void> read_nvprof_device_tables(NvprofRead& read) {
  for (const auto part : {read_kernels, read_copies, read_unified_memory, read_fills, read_synchronizations,
                          read_cuda_events}) {
    if (auto done = part(read); !done) return done;
  }
  return {};
}

}  // namespace gputrace::trace
