// The tables of recorder_rows.h.
#include <fmt/format.h>

#include "trace/trace_writer_impl.h"

namespace gputrace::trace {
namespace {

constexpr std::string_view kOwnTimeColumns[] = {"start", "end", "globalTid", "nameId", "overheadType"};
constexpr std::string_view kMemoryUsageColumns[] = {
    "start", "globalPid", "deviceId", "contextId", "address", "pc", "bytes", "memKind", "memoryOperationType", "name",
    "correlationId", "streamId", "localMemoryPoolAddress", "localMemoryPoolReleaseThreshold", "localMemoryPoolSize",
    "localMemoryPoolUtilizedSize", "importedMemoryPoolAddress", "importedMemoryPoolProcessId"};
constexpr std::string_view kMemoryPoolColumns[] = {
    "start", "globalPid", "deviceId", "address", "operationType", "poolType", "correlationId", "minBytesToKeep",
    "localMemoryPoolReleaseThreshold", "localMemoryPoolSize", "localMemoryPoolUtilizedSize"};
constexpr std::string_view kCpuPageFaultColumns[] = {"start", "globalPid", "address", "originalFaultPc", "CpuInstruction",
                                                     "module", "unresolvedFaultPc"};
constexpr std::string_view kGpuPageFaultColumns[] = {"start", "end", "globalPid", "deviceId", "address",
                                                     "numberOfPageFaults", "faultAccessType"};
constexpr std::string_view kGpuMetricColumns[] = {"rawTimestamp", "timestamp", "typeId", "metricId", "value"};
constexpr std::string_view kJitColumns[] = {"start", "end", "globalTid", "deviceId", "correlationId", "operation", "entry",
                                            "cacheBytes", "cachePathId"};
constexpr std::string_view kCounterColumns[] = {"start", "globalPid", "deviceId", "nameId", "unitId", "value"};
constexpr std::string_view kExternalCorrelationColumns[] = {"correlationId", "externalKind", "externalId", "globalPid"};

// In the order of GpuMetric.
constexpr const char* kMetricNames[] = {"SM Clock Frequency [MHz]",      "Memory Clock Frequency [MHz]", "PCIe Generation",
                                        "PCIe Lanes",                    "Clock Throttle Reasons [bits]", "Temperature [C]",
                                        "Power [mW]",                    "Power Limit [mW]",              "Fan Speed [%]"};
static_assert(std::size(kMetricNames) == static_cast<std::size_t>(GpuMetric::count));

// <HW 8><VM 8><Source 16><EventTag 24><GPU 8>, as Nsight Systems packs it; the source is of our choice.
constexpr std::int64_t kMetricSource = 0x4754;  // "GT"
std::int64_t metric_type_id(std::int32_t device) { return kMetricSource << 32 | (device & 0xFF); }

template <class T>
std::int64_t whole(T value) { return static_cast<std::int64_t>(value); }

SqlValue or_null(const std::string& text) { return text.empty() ? SqlValue{} : SqlValue{std::string_view(text)}; }

}  // namespace

std::span<const std::string_view> batch_columns(FileTable table) {
  switch (table) {
    case FileTable::recorder_time: return kOwnTimeColumns;
    case FileTable::memory_usage: return kMemoryUsageColumns;
    case FileTable::memory_pools: return kMemoryPoolColumns;
    case FileTable::cpu_page_faults: return kCpuPageFaultColumns;
    case FileTable::gpu_page_faults: return kGpuPageFaultColumns;
    case FileTable::gpu_metrics: return kGpuMetricColumns;
    case FileTable::jit: return kJitColumns;
    case FileTable::external_correlations: return kExternalCorrelationColumns;
    case FileTable::counters: return kCounterColumns;
    case FileTable::count: break;
  }
  return {};
}

void TraceWriter::Impl::declare(FileTable table) {
  database.declare(table);
  if (table == FileTable::gpu_metrics) database.create_table(kGpuMetricNameTable);
}

void TraceWriter::declare(FileTable table) { impl_->declare(table); }

void TraceWriter::add_recorder_time(const OverheadRow& row) {
  RowBatch* batch = impl_->batch(FileTable::recorder_time);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  batch->add(row.end_ns);
  add_or_null(*batch, whole(row.global_tid));
  batch->add(row.name);
  batch->add(whole(row.kind));
}

void TraceWriter::add(const MemoryUsageRow& row) {
  RowBatch* batch = impl_->batch(FileTable::memory_usage);
  if (batch == nullptr) return;
  batch->begin_row();
  for (const std::int64_t value : {row.start_ns, whole(row.global_pid), whole(row.device), whole(row.context), row.address,
                                   row.program_counter, row.bytes, whole(row.memory), whole(row.is_release)}) {
    batch->add(value);
  }
  if (row.name.empty()) batch->add_null();
  else batch->add_text(row.name);
  add_or_null(*batch, row.correlation);
  batch->add(row.stream);
  for (const auto& value : {row.local_pool_address, row.local_pool_release_threshold, row.local_pool_bytes,
                            row.local_pool_used_bytes, row.imported_pool_address, row.imported_pool_pid}) {
    add_optional(*batch, value);
  }
}

void TraceWriter::add(const MemoryPoolRow& row) {
  RowBatch* batch = impl_->batch(FileTable::memory_pools);
  if (batch == nullptr) return;
  batch->begin_row();
  for (const std::int64_t value : {row.start_ns, whole(row.global_pid), whole(row.device), row.address, row.operation, row.type}) {
    batch->add(value);
  }
  add_or_null(*batch, row.correlation);
  for (const auto& value : {row.bytes_to_keep, row.release_threshold, row.bytes, row.used_bytes}) add_optional(*batch, value);
}

void TraceWriter::add(const CpuPageFaultRow& row) {
  RowBatch* batch = impl_->batch(FileTable::cpu_page_faults);
  if (batch == nullptr) return;
  batch->begin_row();
  constexpr FileStringId kNoModule = 0;  // ""
  for (const std::int64_t value : {row.start_ns, whole(row.global_pid), row.address, row.program_counter, row.instruction,
                                   kNoModule, std::int64_t{1}}) {
    batch->add(value);
  }
}

void TraceWriter::add(const GpuPageFaultRow& row) {
  RowBatch* batch = impl_->batch(FileTable::gpu_page_faults);
  if (batch == nullptr) return;
  batch->begin_row();
  for (const std::int64_t value : {row.start_ns, row.end_ns, whole(row.global_pid), whole(row.device), row.address, row.faults,
                                   row.access}) {
    batch->add(value);
  }
}

void TraceWriter::add(const GpuMetricRow& row) {
  RowBatch* batch = impl_->batch(FileTable::gpu_metrics);
  if (batch == nullptr) return;
  const std::int64_t type = metric_type_id(row.device);
  if (impl_->metric_devices.insert(row.device).second) {
    for (std::size_t metric = 0; metric < std::size(kMetricNames); ++metric) {
      impl_->database.insert("INSERT INTO TARGET_INFO_GPU_METRICS SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS"  // each process says it
                             " (SELECT 1 FROM TARGET_INFO_GPU_METRICS WHERE typeId = ?1 AND metricId = ?4)",
                             {type, kMetricSource, std::string_view(fmt::format("GPU {} environment (CUPTI)", row.device)),
                              whole(metric), std::string_view(kMetricNames[metric])});
    }
  }
  batch->begin_row();
  for (const std::int64_t value : {row.time_ns, row.time_ns, type, whole(row.metric), row.value}) batch->add(value);
}

void TraceWriter::add(const JitRow& row) {
  RowBatch* batch = impl_->batch(FileTable::jit);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  batch->add(row.end_ns);
  add_or_null(*batch, whole(row.global_tid));
  batch->add(row.device);
  add_or_null(*batch, row.correlation);
  for (const std::int64_t value : {row.operation, row.entry, row.cache_bytes}) batch->add(value);
  add_or_null(*batch, row.cache_path);
}

void TraceWriter::add(const ExternalCorrelationRow& row) {
  RowBatch* batch = impl_->batch(FileTable::external_correlations);
  if (batch == nullptr) return;
  batch->begin_row();
  for (const std::int64_t value : {row.correlation, row.external_kind, row.external_id, whole(row.global_pid)}) batch->add(value);
}

void TraceWriter::add(const CounterRow& row) {
  RowBatch* batch = impl_->batch(FileTable::counters);
  if (batch == nullptr) return;
  batch->begin_row();
  batch->add(row.start_ns);
  add_or_null(*batch, whole(row.global_pid));
  if (row.device >= 0) batch->add(row.device);
  else batch->add_null();
  batch->add(row.name);
  add_or_null(*batch, row.unit);
  batch->add_real(row.value);
}

void TraceWriter::add(const NvtxSchema& schema) {
  TraceDatabase& database = impl_->database;
  for (const TableDefinition& table : nvtx_payload_tables()) database.create_table(table);
  database.insert("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES(?,?,?,?,?,?,?,?)",
                  {schema.domain, schema.schema, or_null(schema.name), schema.type, schema.flags, whole(schema.entries.size()),
                   schema.payload_bytes, schema.alignment});
  for (std::size_t i = 0; i < schema.entries.size(); ++i) {
    const NvtxSchemaEntry& entry = schema.entries[i];
    database.insert("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(?,?,?,?,?,?,?,?,?)",
                    {schema.domain, schema.schema, whole(i), entry.flags, entry.type, or_null(entry.name),
                     or_null(entry.description), entry.array_or_union_detail, entry.offset});
  }
}

void TraceWriter::add(const NvtxEnum& enumeration) {
  TraceDatabase& database = impl_->database;
  for (const TableDefinition& table : nvtx_payload_tables()) database.create_table(table);
  database.insert("INSERT INTO NVTX_PAYLOAD_ENUMS VALUES(?,?,?,?,?)",
                  {enumeration.domain, enumeration.schema, or_null(enumeration.name), whole(enumeration.entries.size()),
                   enumeration.value_bytes});
  for (std::size_t i = 0; i < enumeration.entries.size(); ++i) {
    const NvtxEnumEntry& entry = enumeration.entries[i];
    database.insert("INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES(?,?,?,?,?,?)",
                    {enumeration.domain, enumeration.schema, whole(i), or_null(entry.name), entry.value, whole(entry.is_flag)});
  }
}

}  // namespace gputrace::trace
