// Tables about the machine, the processes and the capture.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "trace/device_numbers.h"
#include "trace/nsys_read.h"

namespace gputrace::trace {
namespace {

constexpr std::size_t kLongestTextBytes = 1 << 20;
constexpr std::size_t kMostProfilerErrors = 32;  // distinct messages

// CUDA numbers GPUs by process (CUDA_VISIBLE_DEVICES), Nsight Systems by machine.
Result<std::vector<CudaDevice>> read_cuda_devices(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"gpuId", "cudaId", "pid"};
  std::vector<CudaDevice> devices;
  RowProblems problems{"CUDA device rows"};
  const auto done = for_each_row(read, "TARGET_INFO_CUDA_DEVICE", kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    if (!cursor.is_integer(0) || !cursor.is_integer(1)) return;
    devices.push_back({.pid = row.integer(2), .cuda_device = row.int32(1), .gpu = row.int32(0)});
  });
  problems.report(read.trace.diagnostics);
  if (!done) return tl::unexpected(done.error());
  return devices;
}

enum GpuColumn : int {
  kId,
  kCuDevice,
  kName,
  kBusLocation,
  kUuid,
  kSmCount,
  kComputeMajor,
  kComputeMinor,
  kClockRate,
  kMemoryBandwidth,
  kTotalMemory,
  kMaxWarps,
  kThreadsPerWarp,
  kMaxBlocks,
  kMaxRegisters,
  kMaxShared,
  kCopyEngines
};
constexpr std::string_view kGpuColumns[] = {"id",
                                            "cuDevice",
                                            "name",
                                            "busLocation",
                                            "uuid",
                                            "smCount",
                                            "computeMajor",
                                            "computeMinor",
                                            "clockRate",
                                            "memoryBandwidth",
                                            "totalMemory",
                                            "maxWarpsPerSm",
                                            "threadsPerWarp",
                                            "maxBlocksPerSm",
                                            "maxRegistersPerSm",
                                            "maxShmemPerSm",
                                            "asyncEngines"};

Gpu gpu_of(const TableCursor& cursor, const RowValues& row) {
  constexpr std::int32_t kUsualThreadsPerWarp = 32;
  Gpu gpu;
  gpu.name = cursor.text(kName);
  gpu.bus_location = cursor.text(kBusLocation);
  gpu.uuid = cursor.text(kUuid);
  gpu.sm_count = row.int32(kSmCount);
  gpu.compute_major = row.int32(kComputeMajor);
  gpu.compute_minor = row.int32(kComputeMinor);
  gpu.clock_hz = row.integer(kClockRate);
  gpu.memory_bandwidth_bytes_per_s = row.integer(kMemoryBandwidth);
  gpu.memory_bytes = row.integer(kTotalMemory);
  const std::int64_t threads =
      std::int64_t{row.int32(kMaxWarps)} * row.int32(kThreadsPerWarp, kUsualThreadsPerWarp);
  gpu.max_threads_per_sm = static_cast<std::int32_t>(std::clamp<std::int64_t>(threads, 0, INT32_MAX));
  gpu.max_blocks_per_sm = row.int32(kMaxBlocks);
  gpu.registers_per_sm = row.int32(kMaxRegisters);
  gpu.shared_bytes_per_sm = row.integer(kMaxShared);
  gpu.copy_engines = row.int32(kCopyEngines);
  return gpu;
}

const CudaDevice* device_of_gpu(std::span<const CudaDevice> devices, std::int32_t gpu) {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [gpu](const CudaDevice& d) { return d.gpu == gpu; });
  return found == devices.end() ? nullptr : &*found;
}

// The table lists display adapters of other makers too; those have no CUDA number and no SMs.
bool is_cuda_gpu(const TableCursor& cursor, const RowValues& row, const CudaDevice* device) {
  return device != nullptr || !cursor.has_column(kSmCount) || row.int32(kSmCount) > 0;
}

// The number by which kernels name the GPU.
DeviceId device_number(const TableCursor& cursor, const RowValues& row, const CudaDevice* device,
                       bool by_machine) {
  if (by_machine) return DeviceId{row.int32(kId)};
  if (device != nullptr) return DeviceId{device->cuda_device};
  return DeviceId{row.int32(cursor.is_integer(kCuDevice) ? kCuDevice : kId)};
}

bool is_true(std::string_view value) { return value == "1" || value == "true"; }

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > INT64_MAX / 10 - 9) return 0;
    value = value * 10 + (c - '0');
  }
  return value;
}

using Settings = std::map<std::string, std::string, std::less<>>;

Result<Settings> read_settings(NsysRead& read, std::string_view table, std::string_view key,
                               std::string_view value) {
  const std::string_view columns[] = {key, value};
  Settings settings;
  const auto done = for_each_row(read, table, columns, [&settings](const TableCursor& cursor) {
    // Numbers stand as text in these tables, but not in files that other programs wrote.
    const std::string_view text = cursor.text(1);
    settings.try_emplace(std::string(cursor.text(0)),
                         cursor.is_integer(1) ? std::to_string(cursor.integer(1)) : std::string(text));
  });
  if (!done) return tl::unexpected(done.error());
  return settings;
}

std::string setting(const Settings& settings, std::string_view key) {
  const auto found = settings.find(key);
  return found == settings.end() ? std::string() : found->second;
}

std::string producer(const Settings& settings) {
  constexpr std::string_view kVendor = "NVIDIA ";
  std::string name = setting(settings, "EXPORT_PRODUCT_NAME");
  if (name.empty()) name = "Nsight Systems";
  if (name.starts_with(kVendor)) name.erase(0, kVendor.size());
  const std::string version = setting(settings, "EXPORT_PRODUCT_VERSION");
  return version.empty() ? name : name + " " + version;
}

Result<void> read_capture_state(NsysRead& read) {
  const auto state = read_settings(read, "GPUTRACE_CAPTURE", "key", "value");
  if (!state) return tl::unexpected(state.error());
  Metadata& metadata = read.trace.metadata;
  metadata.simulated = is_true(setting(*state, "simulated"));
  metadata.machine = setting(*state, "machine");
  metadata.complete = !state->contains("complete") || is_true(setting(*state, "complete"));
  metadata.incomplete_why = setting(*state, "incomplete_why");
  metadata.dropped_records = number(setting(*state, "dropped_records"));
  if (const std::string producer = setting(*state, "producer"); !producer.empty())
    metadata.producer = producer;
  return {};
}

Result<void> read_links(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"kind",       "source", "destination",
                                                  "generation", "width",  "bytesPerSecond"};
  if (!read.file.has_table("GPUTRACE_LINK")) return {};
  mark_captured(read.trace, Table::links);
  RowProblems problems{"link rows"};
  const auto done = for_each_row(read, "GPUTRACE_LINK", kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    read.trace.links.push_back({.kind = row.kind(0, LinkKind::pcie, LinkKind::nvlink, LinkKind::pcie),
                                .from = std::string(cursor.text(1)),
                                .to = std::string(cursor.text(2)),
                                .generation = row.int32(3),
                                .width = row.int32(4),
                                .bytes_per_s = row.integer(5)});
  });
  problems.report(read.trace.diagnostics);
  return done;
}

Result<void> read_op_placements(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"opName", "opType", "requestedDevice", "device"};
  if (!read.file.has_table("GPUTRACE_OP_PLACEMENT")) return {};
  mark_captured(read.trace, Table::op_placements);
  return for_each_row(read, "GPUTRACE_OP_PLACEMENT", kColumns, [&read](const TableCursor& cursor) {
    read.trace.op_placements.push_back({.op_name = std::string(cursor.text(0)),
                                        .op_type = std::string(cursor.text(1)),
                                        .requested_device = std::string(cursor.text(2)),
                                        .device = std::string(cursor.text(3))});
  });
}

Result<void> read_clocks(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"globalPid", "offsetNs", "driftPpb", "residualNs", "matchedCollectives"};
  RowProblems problems{"clock rows"};
  const auto done = for_each_row(read, "GPUTRACE_CLOCK", kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    read.trace.clocks.push_back({.process = read.threads.process(static_cast<std::uint64_t>(row.integer(0))),
                                 .offset_ns = row.integer(1),
                                 .drift_ppb = row.integer(2),
                                 .residual_ns = row.integer(3, -1),
                                 .matched = row.integer(4)});
  });
  problems.report(read.trace.diagnostics);
  return done;
}

Result<void> read_own_diagnostics(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"what", "count"};
  return for_each_row(read, "GPUTRACE_DIAGNOSTIC", kColumns, [&read](const TableCursor& cursor) {
    read.trace.diagnostics.push_back({std::string(cursor.text(0)), cursor.integer(1)});
  });
}

// What the profiler itself called an error ("buffers were dropped"), once per message.
Result<void> read_profiler_errors(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"severity", "text"};
  constexpr std::int64_t kError = 3;
  std::map<std::string, std::int64_t, std::less<>> errors;
  const auto done = for_each_row(read, "DIAGNOSTIC_EVENT", kColumns, [&errors](const TableCursor& cursor) {
    if (cursor.integer(0) != kError) return;
    const std::string_view text = cursor.text(1).substr(0, 400);
    if (const auto found = errors.find(text); found != errors.end())
      ++found->second;
    else if (errors.size() < kMostProfilerErrors)
      errors.emplace(text, 1);
  });
  for (const auto& [text, count] : errors)
    read.trace.diagnostics.push_back({"the profiler reported: " + text, count});
  return done;
}

}  // namespace

Result<void> read_nsys_strings(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"id", "value"};
  RowProblems problems{"string rows"};
  const auto done = for_each_row(read, "StringIds", kColumns, [&](const TableCursor& cursor) {
    if (!cursor.is_integer(0)) return problems.count(RowProblem::wrong_type);
    std::string_view text = cursor.text(1);
    if (text.size() > kLongestTextBytes) {
      problems.count(RowProblem::text_cut);
      text = text.substr(0, kLongestTextBytes);
    }
    if (!read.strings.add(cursor.integer(0), read.trace.strings.intern(text))) {
      problems.count(RowProblem::duplicate_id);
    }
  });
  problems.report(read.trace.diagnostics);
  return done;
}

Result<void> read_nsys_gpus(NsysRead& read) {
  const auto devices = read_cuda_devices(read);
  if (!devices) return tl::unexpected(devices.error());
  const bool by_machine = is_ambiguous(*devices);
  if (by_machine)
    number_devices_by_gpu(read.trace, *devices);
  else if (devices->empty())
    separate_devices_of_nccl_ranks(read.trace);
  if (!read.file.has_table("TARGET_INFO_GPU")) return {};

  mark_captured(read.trace, Table::gpus);
  std::int64_t others = 0;
  RowProblems problems{"GPU rows"};
  const auto done = for_each_row(read, "TARGET_INFO_GPU", kGpuColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    const CudaDevice* device = device_of_gpu(*devices, row.int32(kId));
    if (!is_cuda_gpu(cursor, row, device)) return void(++others);
    read.trace.gpus.push_back(gpu_of(cursor, row));
    read.trace.gpus.back().device = device_number(cursor, row, device, by_machine);
  });
  if (others > 0) read.trace.diagnostics.push_back({"GPUs that CUDA cannot use (left out)", others});
  problems.report(read.trace.diagnostics);
  return done;
}

// An export lists every process and thread of the machine: only those with an event of this trace are taken.
Result<void> read_nsys_process_names(NsysRead& read) {
  static constexpr std::string_view kProcessColumns[] = {"globalPid", "pid", "name"};
  static constexpr std::string_view kThreadColumns[] = {"globalTid", "nameId"};
  Trace& trace = read.trace;
  RowProblems problems{"process and thread name rows"};
  auto done = for_each_row(read, "PROCESSES", kProcessColumns, [&](const TableCursor& cursor) {
    const auto global_pid = static_cast<std::uint64_t>(cursor.integer(0));
    if (!cursor.is_integer(0) || (!read.is_own_file && !read.threads.has_process(global_pid))) return;
    Process& process = trace.processes[static_cast<std::size_t>(read.threads.process(global_pid).value)];
    process.name = cursor.text(2);
    if (cursor.is_integer(1)) process.pid = cursor.integer(1);
  });
  if (!done) return done;
  std::set<std::uint64_t> named_by_program;  // with NVTX; that name stays
  for (const Thread& thread : trace.threads) {
    if (!thread.name.empty()) named_by_program.insert(thread.global_tid);
  }
  done = for_each_row(read, "ThreadNames", kThreadColumns, [&](const TableCursor& cursor) {
    const auto global_tid = static_cast<std::uint64_t>(cursor.integer(0));
    if (!cursor.is_integer(0) || (!read.is_own_file && !read.threads.has_thread(global_tid))) return;
    if (named_by_program.contains(global_tid)) return;
    Thread& thread = trace.threads[static_cast<std::size_t>(read.threads.thread(global_tid).value)];
    thread.name = trace.text(RowValues(cursor, problems).string(1, read.strings));
  });
  problems.report(trace.diagnostics);
  return done;
}

Result<void> read_nsys_metadata(NsysRead& read) {
  Metadata& metadata = read.trace.metadata;
  metadata.file = read.file.path().string();
  const char* table =
      read.file.has_table("META_DATA_EXPORT") ? "META_DATA_EXPORT" : "EXPORT_META_DATA";  // to 3.1.7
  const auto settings = read_settings(read, table, "name", "value");
  if (!settings) return tl::unexpected(settings.error());
  metadata.producer = producer(*settings);
  metadata.schema_version = setting(*settings, "EXPORT_SCHEMA_VERSION");
  static constexpr std::string_view kColumns[] = {"utcEpochNs"};
  auto done =
      for_each_row(read, "TARGET_INFO_SESSION_START_TIME", kColumns, [&metadata](const TableCursor& cursor) {
        if (metadata.start_utc_ns == 0) metadata.start_utc_ns = cursor.integer(0);
      });
  if (!done) return done;
  return read_profiler_errors(read);
}

Result<void> read_gputrace_tables(NsysRead& read) {
  for (const auto part : {read_capture_state, read_links, read_op_placements, read_clocks, read_own_diagnostics}) {
    if (auto done = part(read); !done) return done;
  }
  return {};
}

}  // namespace gputrace::trace
