// Rows as a writer takes them. Members are named as in trace.h; strings are ids that TraceWriter::intern gave,
// process and thread are global ids as Nsight Systems packs them. A row is written to the table and columns of the export.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/kinds.h"
#include "trace/trace.h"

namespace gputrace::trace {

using FileStringId = std::int64_t;  // StringIds.id in the file

struct DeviceRow {
  std::int64_t start_ns = 0, end_ns = 0;
  std::int32_t device = 0, context = 0, stream = 0;
  std::int64_t correlation = 0;
  std::uint64_t global_pid = 0;
};

struct KernelRow : DeviceRow {
  FileStringId name = 0, short_name = 0, mangled = 0;
  Dim3 grid{}, block{};
  std::int32_t registers_per_thread = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::int32_t local_bytes_per_thread = 0;
  std::int64_t local_bytes_total = 0, grid_id = 0;
  std::int32_t launch_type = 0, cache_config = 0, shared_bytes_executed = 0;
  std::optional<std::int64_t> graph_node{}, graph{};
  Dim3 cluster{0, 0, 0};
};

struct CopyRow : DeviceRow {
  std::int64_t bytes = 0;
  CopyKind kind = CopyKind::unknown;
  MemoryKind source_memory = MemoryKind::unknown, destination_memory = MemoryKind::unknown;
  std::optional<std::int32_t> source_device{}, source_context{}, destination_device{}, destination_context{};  // peer copies
  std::optional<std::int64_t> graph_node{};
  std::optional<std::int64_t> migration_cause{}, virtual_address{};  // of unified memory: ENUM_CUDA_UNIF_MEM_MIGRATION
};

struct FillRow : DeviceRow {
  std::int64_t bytes = 0, value = 0;
  MemoryKind memory = MemoryKind::unknown;
  std::optional<std::int64_t> graph_node{};
};

struct SynchronizationRow : DeviceRow {
  SyncKind kind = SyncKind::unknown;
  std::int64_t event = 0;
  std::optional<std::int64_t> event_sync{};
};

struct CudaEventRow : DeviceRow {  // start_ns: device time stamp, 0 where CUPTI gives none
  std::int64_t event = 0;
  std::optional<std::int64_t> event_sync{};
};

struct GraphLaunchRow : DeviceRow {
  std::int64_t graph = 0, graph_exec = 0;
};

struct ApiCallRow {
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0;
  std::uint64_t global_tid = 0;
  FileStringId name = 0;
  ApiClass api_class = ApiClass::runtime;
  std::int32_t return_value = 0;
};

struct OverheadRow {
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0;
  std::uint64_t global_tid = 0;
  FileStringId name = 0;
  OverheadKind kind = OverheadKind::unknown;
  bool of_recorder = false;  // the recorder's own: to PROFILER_OVERHEAD, which has no correlation
};

struct NvtxRow {
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns{};  // none: a mark, or a range still open at the end
  NvtxKind kind = NvtxKind::push_pop;
  std::uint64_t global_tid = 0;
  std::optional<std::uint64_t> end_global_tid{};
  std::int64_t domain = 0;  // id; a row of kind domain_create with the same id carries its name
  std::int64_t category = 0, range_id = 0;
  std::optional<std::uint32_t> color_argb{};
  std::optional<FileStringId> text{};
  std::optional<std::int64_t> int64_value{};
  std::optional<double> double_value{};
  std::optional<FileStringId> json{};  // the payload in words
  std::string binary{};                // the payload as it came, after a header; collector/nvtx_payloads.h. "": none
};

struct GpuRow {
  Gpu gpu{};
  std::int64_t pid = 0;
};

struct StreamRow {
  std::int32_t context = 0, stream = 0, priority = 0, flag = 0;  // flag: 1 default, 2 non-blocking, 3 null
  std::int64_t pid = 0;
};

struct ContextRow {
  std::int32_t context = 0, device = 0, null_stream = 0;
  std::int64_t pid = 0;
};

}  // namespace gputrace::trace
