#include "trace/save_trace.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "trace/thread_registry.h"
#include "trace/trace_writer.h"

namespace gputrace::trace {
namespace {

class Saving {
 public:
  Saving(const Trace& trace, TraceWriter& writer) : trace_(trace), writer_(writer) {}

  void write() {
    declare_captured();
    for (const Process& process : trace_.processes) writer_.add(process);
    for (const Thread& thread : trace_.threads) {
      if (!thread.name.empty()) writer_.add(thread);
    }
    write_gpus();
    for (const Link& link : trace_.links) writer_.add(link);
    for (const OpPlacement& placement : trace_.op_placements) writer_.add(placement);
    for (const ClockAlignment& clock : trace_.clocks) writer_.add(clock, pid_of(clock.process));
    for (const Diagnostic& diagnostic : trace_.diagnostics) writer_.add(diagnostic);
    write_kernels();
    write_copies();
    write_fills();
    write_synchronizations();
    write_events_and_graphs();
    write_calls();
    write_overheads();
    write_ranges();
    write_counters();
  }

 private:
  void declare_captured() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Table::count); ++i) {
      if (trace_.captured[i]) writer_.declare(static_cast<Table>(i));
    }
  }

  FileStringId string(StringId id) {
    if (file_ids_.size() <= id.value) file_ids_.resize(trace_.strings.size(), kNotYet);
    FileStringId& file_id = file_ids_[id.value];
    if (file_id == kNotYet) file_id = writer_.intern(trace_.strings[id]);
    return file_id;
  }

  std::uint64_t pid_of(ProcessIndex process) const {
    return process.value < 0 ? 0 : trace_.processes[static_cast<std::size_t>(process.value)].global_pid;
  }
  std::uint64_t tid_of(ThreadIndex thread) const {
    return thread.value < 0 ? 0 : trace_.threads[static_cast<std::size_t>(thread.value)].global_tid;
  }

  void write_gpus() {
    const std::int64_t pid = trace_.processes.empty() ? 0 : trace_.processes.front().pid;
    for (const Gpu& gpu : trace_.gpus) writer_.add(GpuRow{.gpu = gpu, .pid = pid});
  }

  DeviceRow device_row(const DeviceColumns& rows, std::size_t i) const {
    return {.start_ns = rows.start_ns[i],
            .end_ns = rows.end_ns[i],
            .device = rows.device[i].value,
            .context = rows.context[i].value,
            .stream = rows.stream[i].value,
            .correlation = rows.correlation[i].value,
            .global_pid = pid_of(rows.process[i])};
  }

  static std::optional<std::int64_t> unless_zero(std::int64_t value) {
    return value == 0 ? std::nullopt : std::optional(value);
  }

  void write_kernels() {
    const Kernels& rows = trace_.kernels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      KernelRow row{device_row(rows, i)};
      row.name = string(rows.name[i]);
      row.short_name = string(rows.short_name[i]);
      if (rows.mangled[i].value != 0) row.mangled = string(rows.mangled[i]);
      row.grid = rows.grid[i];
      row.block = rows.block[i];
      row.registers_per_thread = rows.registers_per_thread[i];
      row.static_shared_bytes = rows.static_shared_bytes[i];
      row.dynamic_shared_bytes = rows.dynamic_shared_bytes[i];
      row.graph_node = unless_zero(rows.graph_node[i]);
      writer_.add(row);
    }
  }

  void write_copies() {
    const Copies& rows = trace_.copies;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CopyRow row{device_row(rows, i)};
      row.bytes = rows.bytes[i];
      row.kind = rows.kind[i];
      row.source_memory = rows.source_memory[i];
      row.destination_memory = rows.destination_memory[i];
      row.source_device = rows.source_device[i].value;
      row.destination_device = rows.destination_device[i].value;
      writer_.add(row);
    }
  }

  void write_fills() {
    const Fills& rows = trace_.fills;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      FillRow row{device_row(rows, i)};
      row.bytes = rows.bytes[i];
      row.memory = rows.memory[i];
      writer_.add(row);
    }
  }

  void write_synchronizations() {
    const Synchronizations& rows = trace_.synchronizations;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SynchronizationRow row{device_row(rows, i)};
      row.kind = rows.kind[i];
      row.event = rows.event[i];
      row.event_sync = unless_zero(rows.event_sync[i]);
      writer_.add(row);
    }
  }

  void write_events_and_graphs() {
    const CudaEvents& events = trace_.cuda_events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      CudaEventRow row{device_row(events, i)};
      row.event = events.event[i];
      row.event_sync = unless_zero(events.event_sync[i]);
      writer_.add(row);
    }
    const GraphLaunches& graphs = trace_.graph_launches;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      GraphLaunchRow row{device_row(graphs, i)};
      row.graph = graphs.graph[i];
      row.graph_exec = graphs.graph_exec[i];
      writer_.add(row);
    }
  }

  void write_calls() {
    const ApiCalls& rows = trace_.api_calls;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      writer_.add(ApiCallRow{.start_ns = rows.start_ns[i],
                             .end_ns = rows.end_ns[i],
                             .correlation = rows.correlation[i].value,
                             .global_tid = tid_of(rows.thread[i]),
                             .name = string(rows.name[i]),
                             .api_class = rows.api_class[i],
                             .return_value = rows.return_value[i]});
    }
  }

  void write_overheads() {
    const Overheads& rows = trace_.overheads;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      writer_.add(OverheadRow{.start_ns = rows.start_ns[i],
                              .end_ns = rows.end_ns[i],
                              .global_tid = tid_of(rows.thread[i]),
                              .name = string(rows.name[i]),
                              .kind = rows.kind[i]});
    }
  }

  // Domains and categories are numbers in the file; a row of their own, once per process, gives each its name.
  std::int64_t domain_number(StringId name, std::uint64_t global_tid) {
    if (name.value == 0) return 0;
    const auto [entry, is_new] = domains_.try_emplace({process_of_thread(global_tid), name}, static_cast<std::int64_t>(domains_.size()) + 1);
    if (is_new) writer_.add(NvtxRow{.kind = NvtxKind::domain_create, .global_tid = global_tid, .domain = entry->second, .text = string(name)});
    return entry->second;
  }

  std::int64_t category_number(StringId name, std::uint64_t global_tid, std::int64_t domain) {
    if (name.value == 0) return 0;
    const auto [entry, is_new] = categories_.try_emplace({process_of_thread(global_tid), domain, name}, static_cast<std::int64_t>(categories_.size()) + 1);
    if (is_new)
      writer_.add(NvtxRow{.kind = NvtxKind::category, .global_tid = global_tid, .domain = domain, .category = entry->second, .text = string(name)});
    return entry->second;
  }

  void write_ranges() {
    const NvtxRanges& rows = trace_.nvtx;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      NvtxRow row{.start_ns = rows.start_ns[i], .kind = rows.kind[i], .global_tid = tid_of(rows.thread[i])};
      if (rows.end_ns[i] != kNoEnd && rows.kind[i] != NvtxKind::mark) row.end_ns = rows.end_ns[i];
      row.domain = domain_number(rows.domain[i], row.global_tid);
      row.category = category_number(rows.category[i], row.global_tid, row.domain);
      row.text = string(rows.text[i]);
      if (rows.color_argb[i] != 0) row.color_argb = rows.color_argb[i];
      writer_.add(row);
    }
  }

  void write_counters() {
    const Counters& rows = trace_.counters;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      writer_.add(CounterRow{.start_ns = rows.start_ns[i],
                             .global_pid = pid_of(rows.process[i]),
                             .device = rows.device[i].value,
                             .name = string(rows.name[i]),
                             .unit = rows.unit[i].value == 0 ? 0 : string(rows.unit[i]),
                             .value = rows.value[i]});
    }
  }

  static constexpr FileStringId kNotYet = -1;

  const Trace& trace_;
  TraceWriter& writer_;
  std::vector<FileStringId> file_ids_;
  std::map<std::pair<std::uint64_t, StringId>, std::int64_t> domains_;
  std::map<std::tuple<std::uint64_t, std::int64_t, StringId>, std::int64_t> categories_;
};

}  // namespace

Result<void> save_trace(const Trace& trace, const std::filesystem::path& path, bool overwrite) {
  auto writer = TraceWriter::create(path, overwrite);
  if (!writer) return tl::unexpected(std::move(writer.error()));
  Saving(trace, *writer).write();
  return writer->finish(trace.metadata);
}

}  // namespace gputrace::trace
