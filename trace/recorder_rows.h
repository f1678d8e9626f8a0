// Rows of tables that a recording fills for scripts and for other tools, and that trace::Trace does not hold. Members as in rows.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/kinds.h"
#include "trace/rows.h"

namespace gputrace::trace {

// Tables that a trace file may have besides those of Table; absent means "not captured" here too.
enum class FileTable : std::uint8_t {
  recorder_time, memory_usage, memory_pools, cpu_page_faults, gpu_page_faults, gpu_metrics, jit, external_correlations,
  counters, count
};

struct MemoryUsageRow {  // CUDA_GPU_MEMORY_USAGE_EVENTS
  std::int64_t start_ns = 0;
  std::uint64_t global_pid = 0;
  std::int32_t device = 0, context = 0, stream = 0;
  std::int64_t address = 0, program_counter = 0, bytes = 0, correlation = 0;
  MemoryKind memory = MemoryKind::unknown;
  bool is_release = false;
  std::string_view name{};  // of a variable; "": none. Borrowed until add() returns
  std::optional<std::int64_t> local_pool_address{}, local_pool_release_threshold{}, local_pool_bytes{}, local_pool_used_bytes{};
  std::optional<std::int64_t> imported_pool_address{}, imported_pool_pid{};
};

struct MemoryPoolRow {  // CUDA_GPU_MEMORY_POOL_EVENTS
  std::int64_t start_ns = 0;
  std::uint64_t global_pid = 0;
  std::int32_t device = 0;
  std::int64_t address = 0, operation = 0, type = 0, correlation = 0;  // ENUM_CUDA_MEMPOOL_OPER, ENUM_CUDA_MEMPOOL_TYPE
  std::optional<std::int64_t> bytes_to_keep{}, release_threshold{}, bytes{}, used_bytes{};
};

struct CpuPageFaultRow {  // CUDA_UM_CPU_PAGE_FAULT_EVENTS
  std::int64_t start_ns = 0;
  std::uint64_t global_pid = 0;
  std::int64_t address = 0, program_counter = 0;
  FileStringId instruction = 0;  // "0x55d0..."
};

struct GpuPageFaultRow {  // CUDA_UM_GPU_PAGE_FAULT_EVENTS
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint64_t global_pid = 0;
  std::int32_t device = 0;
  std::int64_t address = 0, faults = 0, access = 0;  // ENUM_CUDA_UNIF_MEM_ACCESS_TYPE
};

// Clocks, temperature, power and fan of a GPU, in TARGET_INFO_GPU_METRICS and GPU_METRICS. The unit is in the metric's name.
enum class GpuMetric : std::uint8_t {
  sm_clock_mhz, memory_clock_mhz, pcie_generation, pcie_lanes, throttle_reasons, temperature_c, power_mw, power_limit_mw,
  fan_percent, count
};
struct GpuMetricRow {
  std::int64_t time_ns = 0;
  std::int32_t device = 0;
  GpuMetric metric = GpuMetric::sm_clock_mhz;
  std::int64_t value = 0;  // throttle_reasons: bits of CUpti_EnvironmentClocksThrottleReason
};

struct JitRow {  // GPUTRACE_JIT: compilations, and loads from and stores to their cache
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0;
  std::uint64_t global_tid = 0;
  std::int32_t device = 0;
  std::int64_t operation = 0, entry = 0;  // CUpti_ActivityJitOperationType, CUpti_ActivityJitEntryType
  std::int64_t cache_bytes = 0;
  FileStringId cache_path = 0;
};

struct ExternalCorrelationRow {  // GPUTRACE_EXTERNAL_CORRELATION: ids of a framework, to those of CUDA calls
  std::int64_t correlation = 0, external_kind = 0, external_id = 0;  // CUpti_ExternalCorrelationKind
  std::uint64_t global_pid = 0;
};

struct CounterRow {  // GPUTRACE_COUNTER: a sample; importers have them
  std::int64_t start_ns = 0;
  std::uint64_t global_pid = 0;  // 0: of no one process
  std::int32_t device = -1;      // -1: of no GPU
  FileStringId name = 0, unit = 0;  // unit 0: not captured
  double value = 0;
};

struct NvtxSchemaEntry {
  std::int64_t flags = 0, type = 0, array_or_union_detail = 0, offset = 0;
  std::string name{}, description{};
};
struct NvtxSchema {  // NVTX_PAYLOAD_SCHEMAS and NVTX_PAYLOAD_SCHEMA_ENTRIES
  std::int64_t domain = 0, schema = 0, type = 0, flags = 0, payload_bytes = 0, alignment = 0;
  std::string name{};
  std::vector<NvtxSchemaEntry> entries{};
};
struct NvtxEnumEntry {
  std::int64_t value = 0;
  bool is_flag = false;
  std::string name{};
};
struct NvtxEnum {  // NVTX_PAYLOAD_ENUMS and NVTX_PAYLOAD_ENUM_ENTRIES
  std::int64_t domain = 0, schema = 0, value_bytes = 0;
  std::string name{};
  std::vector<NvtxEnumEntry> entries{};
};

}  // namespace gputrace::trace
