// Tables of work on a GPU.
#include <iterator>
#include <optional>

#include "trace/device_numbers.h"
#include "trace/nsys_read.h"

namespace gputrace::trace {
namespace {

// Every device table is asked for these first.
enum DeviceColumn : int {
  kStart,
  kEnd,
  kDevice,
  kContext,
  kStream,
  kCorrelation,
  kGlobalPid,
  kDeviceColumnCount
};
#define GPUTRACE_DEVICE_COLUMNS \
  "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"

// False: the row cannot be placed and is left out.
bool add_device_columns(NsysRead& read, const TableCursor& cursor, const RowValues& row, Span span,
                        RowProblems& problems, DeviceColumns& columns) {
  const std::int32_t device = row.int32(kDevice, -1);
  if (device < 0) return problems.count(RowProblem::no_device), false;
  columns.start_ns.push_back(span.start_ns);
  columns.end_ns.push_back(span.end_ns);
  columns.device.push_back(DeviceId{device});
  columns.context.push_back(ContextId{row.is_invalid_uint32(kContext) ? -1 : row.int32(kContext)});
  columns.stream.push_back(StreamId{row.is_invalid_uint32(kStream) ? -1 : row.int32(kStream)});
  columns.correlation.push_back(CorrelationId{row.integer(kCorrelation)});
  columns.process.push_back(cursor.is_integer(kGlobalPid)
                                ? read.threads.process(static_cast<std::uint64_t>(cursor.integer(kGlobalPid)))
                                : ProcessIndex{-1});
  return true;
}

// Reads one device table: `add` appends what the table has besides the columns of every device table.
template <class Columns, class Add>
Result<void> read_device_table(NsysRead& read, std::string_view name, std::string_view rows, Table table,
                               std::span<const std::string_view> file_columns, Columns& columns, Add add) {
  if (!read.file.has_table(name)) return {};
  mark_captured(read.trace, table);
  reserve_rows(read, name, columns);
  RowProblems problems{rows};
  const auto done = for_each_row(read, name, file_columns, [&](const TableCursor& cursor) {
    const std::optional<Span> span = row_span(cursor, kStart, problems);
    const RowValues row{cursor, problems};
    if (span && add_device_columns(read, cursor, row, *span, problems, columns)) add(cursor, row);
  });
  problems.report(read.trace.diagnostics);
  return done;
}

Dim3 dim3(const RowValues& row, int first_column) {
  return {row.int32(first_column, 1), row.int32(first_column + 1, 1), row.int32(first_column + 2, 1)};
}

Result<void> read_kernels(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS,
                                                  "demangledName",
                                                  "shortName",
                                                  "mangledName",
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
    kShortName,
    kMangled,
    kGrid,
    kBlock = kGrid + 3,
    kRegisters = kBlock + 3,
    kStaticShared,
    kDynamicShared,
    kGraphNode
  };
  Kernels& kernels = read.trace.kernels;
  return read_device_table(
      read, "CUPTI_ACTIVITY_KIND_KERNEL", "kernel rows", Table::kernels, kColumns, kernels,
      [&](const TableCursor& cursor, const RowValues& row) {
        const StringId short_name = row.string(kShortName, read.strings);
        kernels.name.push_back(cursor.is_null(kName) ? short_name : row.string(kName, read.strings));
        kernels.short_name.push_back(short_name);
        kernels.mangled.push_back(row.string(kMangled, read.strings));
        kernels.grid.push_back(dim3(row, kGrid));
        kernels.block.push_back(dim3(row, kBlock));
        kernels.registers_per_thread.push_back(row.int32(kRegisters));
        kernels.static_shared_bytes.push_back(row.int32(kStaticShared));
        kernels.dynamic_shared_bytes.push_back(row.int32(kDynamicShared));
        kernels.graph_node.push_back(row.integer(kGraphNode));
      });
}

Result<void> read_copies(NsysRead& read) {
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
  return read_device_table(
      read, "CUPTI_ACTIVITY_KIND_MEMCPY", "copy rows", Table::copies, kColumns, copies,
      [&](const TableCursor&, const RowValues& row) {
        const std::int32_t device = copies.device.back().value;
        const auto memory = [&row](int column) {
          return row.kind(column, MemoryKind::pageable, MemoryKind::unknown, MemoryKind::unknown);
        };
        copies.bytes.push_back(row.integer(kBytes));
        copies.kind.push_back(
            row.kind(kKind, CopyKind::unknown, CopyKind::unified_device_to_device, CopyKind::unknown));
        copies.source_memory.push_back(memory(kSourceKind));
        copies.destination_memory.push_back(memory(kDestinationKind));
        copies.source_device.push_back(DeviceId{row.int32(kSourceDevice, device)});
        copies.destination_device.push_back(DeviceId{row.int32(kDestinationDevice, device)});
      });
}

Result<void> read_fills(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS, "bytes", "memKind"};
  enum { kBytes = kDeviceColumnCount, kMemoryKind };
  Fills& fills = read.trace.fills;
  return read_device_table(read, "CUPTI_ACTIVITY_KIND_MEMSET", "memset rows", Table::fills, kColumns, fills,
                           [&](const TableCursor&, const RowValues& row) {
                             fills.bytes.push_back(row.integer(kBytes));
                             fills.memory.push_back(row.kind(kMemoryKind, MemoryKind::pageable,
                                                             MemoryKind::unknown, MemoryKind::unknown));
                           });
}

// Event ids: CUPTI's "invalid" means that no event takes part.
std::int64_t event_id(const RowValues& row, int column) {
  return row.is_invalid_uint32(column) ? 0 : row.integer(column);
}

Result<void> read_synchronizations(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS, "syncType", "eventId",
                                                  "eventSyncId"};
  enum { kKind = kDeviceColumnCount, kEvent, kEventSync };
  Synchronizations& synchronizations = read.trace.synchronizations;
  return read_device_table(read, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronization rows",
                           Table::synchronizations, kColumns, synchronizations,
                           [&](const TableCursor&, const RowValues& row) {
                             synchronizations.kind.push_back(
                                 row.kind(kKind, SyncKind::unknown, SyncKind::context, SyncKind::unknown));
                             synchronizations.event.push_back(event_id(row, kEvent));
                             synchronizations.event_sync.push_back(event_id(row, kEventSync));
                           });
}

Result<void> read_graph_launches(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {GPUTRACE_DEVICE_COLUMNS, "graphId", "graphExecId"};
  enum { kGraph = kDeviceColumnCount, kGraphExec };
  GraphLaunches& launches = read.trace.graph_launches;
  return read_device_table(read, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graph launch rows",
                           Table::graph_launches, kColumns, launches,
                           [&](const TableCursor&, const RowValues& row) {
                             launches.graph.push_back(row.integer(kGraph));
                             launches.graph_exec.push_back(row.integer(kGraphExec));
                           });
}

// Has one time stamp, since schema 3.25 only, and 0 there means "not collected": no row is left out for its
// time.
Result<void> read_cuda_events(NsysRead& read) {
  static constexpr std::string_view kName = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
  static constexpr std::string_view kColumns[] = {"timestamp", "timestamp", "deviceId",
                                                  "contextId", "streamId",  "correlationId",
                                                  "globalPid", "eventId",   "eventSyncId"};
  enum { kEvent = kDeviceColumnCount, kEventSync };
  if (!read.file.has_table(kName)) return {};
  mark_captured(read.trace, Table::cuda_events);
  CudaEvents& events = read.trace.cuda_events;
  reserve_rows(read, kName, events);
  RowProblems problems{"CUDA event rows"};
  const auto done = for_each_row(read, kName, kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    const std::int64_t time_ns = row.integer(kStart);
    const bool usable = time_ns == 0 || is_usable_span(time_ns, time_ns, problems);
    if (!usable || !add_device_columns(read, cursor, row, {time_ns, time_ns}, problems, events)) return;
    events.event.push_back(event_id(row, kEvent));
    events.event_sync.push_back(event_id(row, kEventSync));
  });
  problems.report(read.trace.diagnostics);
  return done;
}

#undef GPUTRACE_DEVICE_COLUMNS

}  // namespace

Result<void> read_nsys_device_tables(NsysRead& read) {
  for (const auto part : {read_kernels, read_copies, read_fills, read_synchronizations, read_graph_launches,
                          read_cuda_events}) {
    if (auto done = part(read); !done) return done;
  }
  resolve_processes_by_correlation(read.trace);
  take_devices_from_contexts(read.trace);
  return {};
}

}  // namespace gputrace::trace
