#include "trace/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace_writer_impl.h"

namespace gputrace::trace {
namespace {

constexpr std::int32_t kThreadsPerWarp = 32;

// Columns that a batch fills, in the order of the table and of add().
#define GPUTRACE_DEVICE_COLUMNS \
  "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"
constexpr std::string_view kKernelColumns[] = {GPUTRACE_DEVICE_COLUMNS,
                                               "demangledName",
                                               "shortName",
                                               "mangledName",
                                               "launchType",
                                               "cacheConfig",
                                               "registersPerThread",
                                               "gridX",
                                               "gridY",
                                               "gridZ",
                                               "blockX",
                                               "blockY",
                                               "blockZ",
                                               "staticSharedMemory",
                                               "dynamicSharedMemory",
                                               "localMemoryPerThread",
                                               "localMemoryTotal",
                                               "gridId",
                                               "sharedMemoryExecuted",
                                               "graphNodeId",
                                               "graphId",
                                               "clusterX",
                                               "clusterY",
                                               "clusterZ"};
constexpr std::string_view kCopyColumns[] = {
    GPUTRACE_DEVICE_COLUMNS, "bytes",        "copyKind",    "srcKind",      "dstKind",
    "srcDeviceId",           "srcContextId", "dstDeviceId", "dstContextId", "migrationCause",
    "graphNodeId",           "virtualAddress"};
constexpr std::string_view kFillColumns[] = {GPUTRACE_DEVICE_COLUMNS, "value", "bytes", "graphNodeId",
                                             "memKind"};
constexpr std::string_view kSynchronizationColumns[] = {GPUTRACE_DEVICE_COLUMNS, "syncType", "eventId",
                                                        "eventSyncId"};
constexpr std::string_view kCudaEventColumns[] = {"timestamp",     "deviceId",  "contextId", "streamId",
                                                  "correlationId", "globalPid", "eventId",   "eventSyncId"};
constexpr std::string_view kGraphLaunchColumns[] = {GPUTRACE_DEVICE_COLUMNS, "graphId", "graphExecId"};
constexpr std::string_view kApiCallColumns[] = {"start",         "end",    "eventClass", "globalTid",
                                                "correlationId", "nameId", "returnValue"};
constexpr std::string_view kOverheadColumns[] = {"start",         "end",    "eventClass",  "globalTid",
                                                 "correlationId", "nameId", "overheadType"};
constexpr std::string_view kNvtxColumns[] = {"start",    "end",      "eventType",  "rangeId",
                                             "category", "color",    "globalTid",  "endGlobalTid",
                                             "textId",   "domainId", "int64Value", "doubleValue",
                                             "jsonTextId", "binaryData"};
#undef GPUTRACE_DEVICE_COLUMNS

// CUPTI's unsigned fields hold 2^32 - 1 for "all" or "none"; the export shows it as such.
std::int64_t as_unsigned(std::int32_t value) { return static_cast<std::uint32_t>(value); }

void add_queue(RowBatch& batch, const DeviceRow& row) {
  batch.add(row.device);
  batch.add(as_unsigned(row.context));
  batch.add(as_unsigned(row.stream));
  add_or_null(batch, row.correlation);
  add_or_null(batch, static_cast<std::int64_t>(row.global_pid));
}

void add_device_columns(RowBatch& batch, const DeviceRow& row) {
  batch.begin_row();
  batch.add(row.start_ns);
  batch.add(row.end_ns);
  add_queue(batch, row);
}

void add_dim3(RowBatch& batch, const Dim3& dim) {
  batch.add(dim.x);
  batch.add(dim.y);
  batch.add(dim.z);
}

SqlValue or_null(std::int64_t value) { return value == 0 ? SqlValue{} : SqlValue{value}; }
SqlValue or_null(std::string_view value) { return value.empty() ? SqlValue{} : SqlValue{value}; }

std::string utc_text(std::int64_t utc_ns) {
  const std::time_t seconds = utc_ns / 1'000'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return text;
}

}  // namespace

std::span<const std::string_view> batch_columns(Table table) {
  switch (table) {
    case Table::kernels:
      return kKernelColumns;
    case Table::copies:
      return kCopyColumns;
    case Table::fills:
      return kFillColumns;
    case Table::synchronizations:
      return kSynchronizationColumns;
    case Table::cuda_events:
      return kCudaEventColumns;
    case Table::graph_launches:
      return kGraphLaunchColumns;
    case Table::api_calls:
      return kApiCallColumns;
    case Table::overheads:
      return kOverheadColumns;
    case Table::nvtx:
      return kNvtxColumns;
    default:
      return {};  // few rows: written one by one
  }
}

void TraceWriter::Impl::declare(Table table) {
  database.declare(table);
  if (table == Table::gpus) database.create_table(kCudaDeviceTable);
}

std::int64_t TraceWriter::Impl::gpu_id(const Gpu& gpu) {
  const std::string key = !gpu.uuid.empty()           ? gpu.uuid
                          : !gpu.bus_location.empty() ? gpu.bus_location
                                                      : fmt::format("device {}", gpu.device.value);
  for (std::size_t id = 0; id < gpu_keys.size(); ++id) {
    if (gpu_keys[id] == key) return static_cast<std::int64_t>(id);
  }
  constexpr std::int32_t kMostDevices = 1 << 12;
  auto id = static_cast<std::size_t>(std::clamp(gpu.device.value, 0, kMostDevices));
  while (id < gpu_keys.size() && !gpu_keys[id].empty()) ++id;
  if (id >= gpu_keys.size()) gpu_keys.resize(id + 1);
  gpu_keys[id] = key;
  write_gpu(static_cast<std::int64_t>(id), gpu);
  return static_cast<std::int64_t>(id);
}

void TraceWriter::Impl::write_gpu(std::int64_t id, const Gpu& gpu) {
  database.insert(
      "INSERT INTO TARGET_INFO_GPU(vmId, id, name, busLocation, isDiscrete, totalMemory, memoryBandwidth, "
      "clockRate,"
      " smCount, uuid, cuDevice, maxShmemPerSm, maxRegistersPerSm, threadsPerWarp, asyncEngines, "
      "maxWarpsPerSm,"
      " maxBlocksPerSm, computeMajor, computeMinor) VALUES(0,?,?,?,1,?,?,?,?,?,?,?,?,32,?,?,?,?,?)",
      {id, or_null(gpu.name), or_null(gpu.bus_location), or_null(gpu.memory_bytes),
       or_null(gpu.memory_bandwidth_bytes_per_s), or_null(gpu.clock_hz), or_null(gpu.sm_count),
       or_null(gpu.uuid), std::int64_t{gpu.device.value}, or_null(gpu.shared_bytes_per_sm),
       or_null(gpu.registers_per_sm), or_null(gpu.copy_engines),
       or_null(gpu.max_threads_per_sm / kThreadsPerWarp), or_null(gpu.max_blocks_per_sm),
       or_null(gpu.compute_major), or_null(gpu.compute_minor)});
}

std::string TraceWriter::Impl::captured_tables() const {
  std::string list;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Table::count); ++i) {
    const auto table = static_cast<Table>(i);
    if (database.is_declared(table)) list += (list.empty() ? "" : ",") + std::string(definition(table).name);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(FileTable::count); ++i) {
    const auto table = static_cast<FileTable>(i);
    if (database.is_declared(table)) list += (list.empty() ? "" : ",") + std::string(definition(table).name);
  }
  return list;
}

void TraceWriter::Impl::write_metadata(const Metadata& metadata) {
  const std::size_t space = metadata.producer.rfind(' ');
  const std::string product = metadata.producer.substr(0, space);
  const std::string version = space == std::string::npos ? "" : metadata.producer.substr(space + 1);
  const char* const yes_no[] = {"false", "true"};
  const std::string dropped = std::to_string(metadata.dropped_records), tables = captured_tables();
  const auto pairs = [this](std::string_view table,
                            std::initializer_list<std::pair<std::string_view, std::string_view>> rows) {
    for (const auto& [key, value] : rows)
      database.insert(fmt::format("INSERT INTO {} VALUES(?,?)", table), {key, value});
  };
  pairs("META_DATA_EXPORT", {{"EXPORT_PRODUCT_NAME", product},
                             {"EXPORT_PRODUCT_VERSION", version},
                             {"EXPORT_SCHEMA_VERSION", kExportSchemaVersion},
                             {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
                             {"EXPORT_SCHEMA_VERSION_MINOR", "27"},
                             {"EXPORT_SCHEMA_VERSION_MICRO", "0"}});
  pairs("META_DATA_CAPTURE",
        {{"SIMULATED", yes_no[metadata.simulated]}, {"SIMULATED_MACHINE", metadata.machine}});
  pairs("GPUTRACE_FORMAT", {{"version", kFormatVersion}});
  pairs("GPUTRACE_CAPTURE", {{"producer", metadata.producer},
                             {"simulated", yes_no[metadata.simulated]},
                             {"machine", metadata.machine},
                             {"complete", yes_no[metadata.complete]},
                             {"incomplete_why", metadata.incomplete_why},
                             {"dropped_records", dropped},
                             {"captured_tables", tables}});
  if (metadata.start_utc_ns != 0) {
    database.insert("INSERT INTO TARGET_INFO_SESSION_START_TIME(utcEpochNs, utcTime) VALUES(?,?)",
                    {metadata.start_utc_ns, std::string_view(utc_text(metadata.start_utc_ns))});
  }
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

Result<TraceWriter> TraceWriter::create(const std::filesystem::path& path, bool overwrite) {
  auto file = UnfinishedFile::create(path, overwrite);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto impl = std::make_unique<Impl>(std::make_shared<TraceDatabase>(std::move(*file)), "batch");
  if (const auto failure = impl->database.failure()) return tl::unexpected(*failure);
  return TraceWriter(std::move(impl));
}

FileStringId TraceWriter::intern(std::string_view text) { return impl_->database.intern(text); }

void TraceWriter::declare(Table table) { impl_->declare(table); }

void TraceWriter::add(const KernelRow& row) {
  RowBatch* batch = impl_->batch(Table::kernels);
  if (batch == nullptr) return;
  add_device_columns(*batch, row);
  batch->add(row.name);
  batch->add(row.short_name);
  add_or_null(*batch, row.mangled);
  batch->add(row.launch_type);
  batch->add(row.cache_config);
  batch->add(row.registers_per_thread);
  add_dim3(*batch, row.grid);
  add_dim3(*batch, row.block);
  batch->add(row.static_shared_bytes);
  batch->add(row.dynamic_shared_bytes);
  batch->add(row.local_bytes_per_thread);
  batch->add(row.local_bytes_total);
  batch->add(row.grid_id);
  batch->add(row.shared_bytes_executed);
  add_optional(*batch, row.graph_node);
  add_optional(*batch, row.graph);
  if (row.cluster.x != 0) add_dim3(*batch, row.cluster);
}

void TraceWriter::add(const CopyRow& row) {
  RowBatch* batch = impl_->batch(Table::copies);
  if (batch == nullptr) return;
  add_device_columns(*batch, row);
  batch->add(row.bytes);
  batch->add(static_cast<std::int64_t>(row.kind));
  batch->add(static_cast<std::int64_t>(row.source_memory));
  batch->add(static_cast<std::int64_t>(row.destination_memory));
  add_optional(*batch, row.source_device);
  add_optional(*batch, row.source_context);
  add_optional(*batch, row.destination_device);
  add_optional(*batch, row.destination_context);
  add_optional(*batch, row.migration_cause);
  add_optional(*batch, row.graph_node);
  add_optional(*batch, row.virtual_address);
}

void TraceWriter::add(const FillRow& row) {
  RowBatch* batch = impl_->batch(Table::fills);
  if (batch == nullptr) return;
  add_device_columns(*batch, row);
  batch->add(row.value);
  batch->add(row.bytes);
  add_optional(*batch, row.graph_node);
  batch->add(static_cast<std::int64_t>(row.memory));
}

void TraceWriter::add(const SynchronizationRow& row) {
  RowBatch* batch = impl_->batch(Table::synchronizations);
  if (batch == nullptr) return;
  add_device_columns(*batch, row);
  batch->add(static_cast<std::int64_t>(row.kind));
  batch->add(row.event);
  add_optional(*batch, row.event_sync);
}

void TraceWriter::add(const CudaEventRow& row) {
  RowBatch* batch = impl_->batch(Table::cuda_events);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  add_queue(*batch, row);
  batch->add(row.event);
  add_optional(*batch, row.event_sync);
}

void TraceWriter::add(const GraphLaunchRow& row) {
  RowBatch* batch = impl_->batch(Table::graph_launches);
  if (batch == nullptr) return;
  add_device_columns(*batch, row);
  batch->add(row.graph);
  batch->add(row.graph_exec);
}

void TraceWriter::add(const ApiCallRow& row) {
  RowBatch* batch = impl_->batch(Table::api_calls);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  batch->add(row.end_ns);
  batch->add(static_cast<std::int64_t>(row.api_class));
  add_or_null(*batch, static_cast<std::int64_t>(row.global_tid));
  add_or_null(*batch, row.correlation);
  batch->add(row.name);
  batch->add(row.return_value);
}

void TraceWriter::add(const OverheadRow& row) {
  if (row.of_recorder) return add_recorder_time(row);
  RowBatch* batch = impl_->batch(Table::overheads);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  batch->add(row.end_ns);
  batch->add(0);  // an event class that Nsight Systems gives; ours are all of CUDA
  add_or_null(*batch, static_cast<std::int64_t>(row.global_tid));
  add_or_null(*batch, row.correlation);
  add_or_null(*batch, row.name);
  batch->add(static_cast<std::int64_t>(row.kind));
}

void TraceWriter::add(const NvtxRow& row) {
  RowBatch* batch = impl_->batch(Table::nvtx);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  add_optional(*batch, row.end_ns);
  batch->add(static_cast<std::int64_t>(row.kind));
  add_or_null(*batch, row.range_id);
  add_or_null(*batch, row.category);
  add_optional(*batch, row.color_argb);
  add_or_null(*batch, static_cast<std::int64_t>(row.global_tid));
  add_optional(*batch, row.end_global_tid);
  add_optional(*batch, row.text);
  batch->add(row.domain);
  add_optional(*batch, row.int64_value);
  if (row.double_value) batch->add_real(*row.double_value);
  else batch->add_null();
  add_optional(*batch, row.json);
  if (!row.binary.empty()) batch->add_bytes(row.binary);
}

void TraceWriter::add(const GpuRow& row) {
  impl_->declare(Table::gpus);
  const std::int64_t id = impl_->gpu_id(row.gpu);
  impl_->database.insert(
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(?,?,?,?,?)",
      {id, std::int64_t{row.gpu.device.value}, row.pid, or_null(row.gpu.uuid), or_null(row.gpu.sm_count)});
}

void TraceWriter::add(const StreamRow& row) {
  impl_->database.create_table(kStreamTable);
  impl_->database.insert("INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(?,0,0,?,?,?,?)",
                         {std::int64_t{row.stream}, row.pid, std::int64_t{row.context},
                          std::int64_t{row.priority}, std::int64_t{row.flag}});
}

void TraceWriter::add(const ContextRow& row) {
  impl_->database.create_table(kContextTable);
  impl_->database.insert(
      "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO(nullStreamId, hwId, vmId, processId, deviceId, contextId)"
      " VALUES(?,0,0,?,?,?)",
      {std::int64_t{row.null_stream}, row.pid, std::int64_t{row.device}, std::int64_t{row.context}});
}

void TraceWriter::add(const Link& row) {
  impl_->declare(Table::links);
  impl_->database.insert(
      "INSERT INTO GPUTRACE_LINK VALUES(?,?,?,?,?,?)",
      {static_cast<std::int64_t>(row.kind), std::string_view(row.from), std::string_view(row.to),
       or_null(row.generation), or_null(row.width), or_null(row.bytes_per_s)});
}

void TraceWriter::add(const Process& row) {
  impl_->database.insert("INSERT INTO PROCESSES VALUES(?,?,?)",
                         {static_cast<std::int64_t>(row.global_pid), row.pid, or_null(row.name)});
}

void TraceWriter::add(const Thread& row) {
  impl_->database.insert("INSERT INTO ThreadNames VALUES(?,NULL,?)",
                         {intern(row.name), static_cast<std::int64_t>(row.global_tid)});
}

void TraceWriter::add(const OpPlacement& row) {
  impl_->declare(Table::op_placements);
  impl_->database.insert("INSERT INTO GPUTRACE_OP_PLACEMENT VALUES(?,?,?,?)",
                         {std::string_view(row.op_name), or_null(row.op_type), or_null(row.requested_device),
                          or_null(row.device)});
}

void TraceWriter::add(const ClockAlignment& row, std::uint64_t global_pid) {
  impl_->database.create_table(kClockTable);
  impl_->database.insert("INSERT INTO GPUTRACE_CLOCK VALUES(?,?,?,?,?)",
                         {static_cast<std::int64_t>(global_pid), row.offset_ns, row.drift_ppb, row.residual_ns, row.matched});
}

void TraceWriter::add(const Diagnostic& row) {
  impl_->database.insert("INSERT INTO GPUTRACE_DIAGNOSTIC VALUES(?,?)",
                         {std::string_view(row.what), row.count});
}

void TraceWriter::capture_setting(std::string_view name, std::string_view value) {
  impl_->database.insert("INSERT INTO META_DATA_CAPTURE VALUES(?,?)", {name, value});
}

TraceWriter TraceWriter::part() {
  return TraceWriter(std::make_unique<Impl>(impl_->shared, fmt::format("batch_{}", ++impl_->parts)));
}

void TraceWriter::finish_part() { impl_->bulk.flush(); }

Result<void> TraceWriter::finish(const Metadata& metadata) {
  impl_->bulk.flush();
  impl_->write_metadata(metadata);
  return impl_->database.finish();
}

}  // namespace gputrace::trace
