// A trace in memory: columns (struct of arrays), each table sorted by start time, then by row order in the file.
// Times are nanoseconds on the trace's own axis and may be any int64 value. end_ns >= start_ns in every row except where
// a column says otherwise; rows that break this are left out by the reader and counted in `diagnostics`.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/ids.h"
#include "trace/kinds.h"
#include "trace/string_table.h"

namespace gputrace::trace {

struct Dim3 {
  std::int32_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return std::int64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t duration_ns() const { return end_ns - start_ns; }
  friend bool operator==(const Span&, const Span&) = default;
};

// What every activity on a GPU has: when, and on which queue.
struct DeviceColumns {
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<DeviceId> device;
  std::vector<ContextId> context;
  std::vector<StreamId> stream;
  std::vector<CorrelationId> correlation;  // the API call that asked for it; 0: unknown
  std::vector<ProcessIndex> process;

  std::size_t size() const { return start_ns.size(); }
  Span span(std::size_t i) const { return {start_ns[i], end_ns[i]}; }
};

struct Kernels : DeviceColumns {
  std::vector<StringId> name;        // demangled, in full
  std::vector<StringId> short_name;  // base name
  std::vector<StringId> mangled;     // 0: not captured
  std::vector<Dim3> grid, block;
  std::vector<std::int32_t> registers_per_thread;
  std::vector<std::int32_t> static_shared_bytes, dynamic_shared_bytes;
  std::vector<std::int64_t> graph_node;  // 0: not from a CUDA graph
};

struct Copies : DeviceColumns {
  std::vector<std::int64_t> bytes;  // 0: not captured; what is negative in a file that lies is no size either: ask has_size()
  std::vector<CopyKind> kind;
  std::vector<MemoryKind> source_memory, destination_memory;
  std::vector<DeviceId> source_device, destination_device;  // equal to `device` unless peer to peer
  bool has_size(std::size_t i) const { return bytes[i] > 0; }
};

struct Fills : DeviceColumns {
  std::vector<std::int64_t> bytes;
  std::vector<MemoryKind> memory;
};

struct Synchronizations : DeviceColumns {  // stream -1: the whole context
  std::vector<SyncKind> kind;
  std::vector<std::int64_t> event, event_sync;  // 0: none
};

struct CudaEvents : DeviceColumns {  // cudaEventRecord; start_ns = end_ns = timestamp, or 0 where not captured
  std::vector<std::int64_t> event, event_sync;
};

struct GraphLaunches : DeviceColumns {  // a CUDA graph seen as one span: the kernels inside were not captured
  std::vector<std::int64_t> graph, graph_exec;
};

struct ApiCalls {
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<ThreadIndex> thread;
  std::vector<CorrelationId> correlation;
  std::vector<StringId> name;  // "cudaLaunchKernel_v7000"
  std::vector<ApiClass> api_class;
  std::vector<std::int32_t> return_value;
  std::size_t size() const { return start_ns.size(); }
  Span span(std::size_t i) const { return {start_ns[i], end_ns[i]}; }
};

struct Overheads {  // time that the recorder or the driver took, by thread
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<ThreadIndex> thread;
  std::vector<OverheadKind> kind;
  std::vector<StringId> name;
  std::size_t size() const { return start_ns.size(); }
};

inline constexpr std::int64_t kNoEnd = INT64_MIN;  // a range that was still open when the trace ended

struct NvtxRanges {  // push/pop and start/end ranges, and marks (end_ns = start_ns)
  std::vector<std::int64_t> start_ns, end_ns;  // end_ns may be kNoEnd
  std::vector<NvtxKind> kind;
  std::vector<ThreadIndex> thread;
  std::vector<StringId> domain;    // name; 0: the default domain
  std::vector<StringId> category;  // name; 0: none
  std::vector<StringId> text;
  std::vector<std::uint32_t> color_argb;  // 0: none
  std::size_t size() const { return start_ns.size(); }
};

// Values over time that whoever recorded the trace took down: memory in use, a program's own counters. gputrace derives none of
// these. A sample a row; the value holds until the next one of the same name, process and device. Empty where the format has none,
// from which nothing is concluded: so there is no Table of that name.
struct Counters {
  std::vector<std::int64_t> start_ns;
  std::vector<StringId> name, unit;   // "memory allocated", "bytes"; unit 0: not captured
  std::vector<ProcessIndex> process;  // -1: of no one process
  std::vector<DeviceId> device;       // -1: of no GPU
  std::vector<double> value;
  std::size_t size() const { return start_ns.size(); }
};

struct Gpu {  // 0 and "" mean not captured
  DeviceId device{};
  std::string name{}, bus_location{}, uuid{};
  std::int32_t sm_count = 0, compute_major = 0, compute_minor = 0;
  std::int64_t clock_hz = 0, memory_bandwidth_bytes_per_s = 0, memory_bytes = 0;
  std::int32_t max_threads_per_sm = 0, max_blocks_per_sm = 0, registers_per_sm = 0;
  std::int64_t shared_bytes_per_sm = 0;
  std::int32_t copy_engines = 0;
};

struct Link {  // one edge of the machine's interconnect, from CUPTI PCIE and NVLINK records (table GPUTRACE_LINK)
  LinkKind kind = LinkKind::pcie;
  std::string from{}, to{};         // "gpu:0", "switch:0000:02", "root:0000:00"
  std::int32_t generation = 0;      // PCIe generation or NVLink version; 0: not captured
  std::int32_t width = 0;           // PCIe lanes or NVLinks in parallel
  std::int64_t bytes_per_s = 0;     // one direction, raw signalling less line coding; 0: not captured
};

struct Process {
  std::uint64_t global_pid = 0;  // <HW 8><VM 8><PID 24><0 24>, as in Nsight Systems
  std::int64_t pid = 0;
  std::string name{};
};

struct Thread {
  std::uint64_t global_tid = 0;  // <HW 8><VM 8><PID 24><TID 24>
  ProcessIndex process{-1};
  std::int64_t tid = 0;
  std::string name{};
};

// Which op was asked for which device, and where it ran (table GPUTRACE_OP_PLACEMENT; importers fill it).
struct OpPlacement {
  std::string op_name{}, op_type{}, requested_device{}, device{};
};

// The tables whose presence matters: an absent table means "not captured", never "none".
enum class Table : std::uint8_t {
  kernels, copies, fills, synchronizations, cuda_events, graph_launches, api_calls, overheads, nvtx, gpus, links,
  op_placements, count
};
const char* name(Table table);  // for people: "kernels", "API calls"

struct Diagnostic {  // what the reader or the recorder had to say about the data
  std::string what{};  // "kernel rows that end before they start"
  std::int64_t count = 0;
};

struct Metadata {
  std::string file{};            // as opened
  std::string producer{};        // "gputrace 0.1.0", "Nsight Systems 2024.5.1.113-..."
  std::string schema_version{};  // of the export: "3.25.0"
  bool simulated = false;      // times are modelled
  std::string machine{};         // the modelled machine's name, or ""
  bool complete = true;        // false: the recording was cut short
  std::string incomplete_why{};
  std::int64_t dropped_records = 0;
  std::int64_t start_utc_ns = 0;  // the wall-clock time of time 0 of the axis; 0: not captured
  std::int32_t rank = -1;         // of the one process of a distributed job that the trace shows; -1: not known
};

// How the clock of a process was brought to that of the trace: time = own time + offset + drift x (own time - first own time).
struct ClockAlignment {
  ProcessIndex process{-1};
  std::int64_t offset_ns = 0, drift_ppb = 0;
  std::int64_t residual_ns = -1;  // 95 of 100 matched collectives end within this of each other; -1: nothing matched
  std::int64_t matched = 0;       // collectives
};

struct Trace {
  Metadata metadata;
  StringTable strings;
  Kernels kernels;
  Copies copies;
  Fills fills;
  Synchronizations synchronizations;
  CudaEvents cuda_events;
  GraphLaunches graph_launches;
  ApiCalls api_calls;
  Overheads overheads;
  NvtxRanges nvtx;
  std::vector<Gpu> gpus;
  std::vector<Link> links;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<OpPlacement> op_placements;
  std::vector<ClockAlignment> clocks;  // of traces put together from several files (table GPUTRACE_CLOCK); else empty
  std::vector<Diagnostic> diagnostics;
  std::bitset<static_cast<std::size_t>(Table::count)> captured;
  Counters counters;

  bool has(Table table) const { return captured[static_cast<std::size_t>(table)]; }
  std::string_view text(StringId id) const { return strings[id]; }
  // What two processes' times may be off by: no order of events closer than this is known across them. 0 where the trace has one
  // clock; nullopt where the clocks were not aligned at all.
  std::optional<std::int64_t> clock_residual_ns() const;
  // From the first start to the last end of what the program did; {0, 0} where there is no event. Overheads are not asked: a
  // profiler begins before the program's first event, at a time of its own.
  Span span() const;
};

// Sorts every table by start (stable). Readers and builders call it once at the end.
void sort_by_start(Trace& trace);

}  // namespace gputrace::trace
