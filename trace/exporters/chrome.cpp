// Chrome's trace event format, for chrome://tracing, Perfetto's viewer and every tool that reads PyTorch's traces: categories and
// arguments are those of PyTorch's profiler, what it has no word for is in arguments of our own, so that importing the file
// gives back every row. GPUs are "processes" of their own, with a row per stream.
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "trace/device_event_names.h"
#include "trace/exported_ids.h"
#include "trace/exporter.h"
#include "trace/gpu_counters.h"
#include "trace/json_writer.h"

namespace gputrace::trace {
namespace {

constexpr std::int64_t kGpuPids = 1'000'000'000, kDevicesPerProcess = 4096;  // above every exported process number

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, ByteSink& sink) : trace_(trace), sink_(sink), ids_(trace) {}

  void write(std::span<const Annotation> annotations) {
    text_ = "{\n\"schemaVersion\": 1,\n";
    write_own_metadata();
    if (trace_.has(Table::gpus)) write_gpus();
    text_ += "\"traceEvents\": [\n";
    write_names();
    write_kernels();
    write_copies();
    write_fills();
    write_synchronizations();
    write_graph_launches();
    write_calls();
    write_overheads();
    write_ranges();
    write_flows();
    write_counters();
    for (const Annotation& annotation : annotations) write_annotation(annotation);
    text_ += "\n]}\n";
    flush();
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void add_string(std::string_view text) { append_json_string(text_, text); }

  void flush() {
    sink_.append(text_);
    text_.clear();
  }

  // Microseconds with three decimals: exact for any ns.
  void add_time(const char* key, std::int64_t ns) {
    const std::uint64_t size = ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    add(",\"{}\":{}{}.{:03}", key, ns < 0 ? "-" : "", size / 1000, size % 1000);
  }

  void begin_event(char phase, std::string_view category, std::string_view name, std::int64_t pid, std::int64_t tid) {
    constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
    if (text_.size() > kFlushBytes) flush();
    text_ += is_first_ ? "" : ",\n";
    is_first_ = false;
    add("{{\"ph\":\"{}\",\"cat\":\"{}\",\"name\":", phase, category);
    add_string(name);
    add(",\"pid\":{},\"tid\":{}", pid, tid);
  }
  void add_span(Span span) {
    add_time("ts", span.start_ns);
    add_time("dur", span.duration_ns());
  }

  void write_own_metadata() {
    const Metadata& metadata = trace_.metadata;
    text_ += "\"gputrace\": {\"producer\": ";
    add_string(metadata.producer);
    add(", \"simulated\": {}, \"machine\": ", metadata.simulated);
    add_string(metadata.machine);
    add(", \"complete\": {}, \"incomplete_why\": ", metadata.complete);
    add_string(metadata.incomplete_why);
    add(", \"dropped_records\": {}}},\n", metadata.dropped_records);
    if (metadata.start_utc_ns != 0) add("\"baseTimeNanoseconds\": {},\n", metadata.start_utc_ns);
  }

  void write_gpus() {
    text_ += "\"deviceProperties\": [";
    bool is_first = true;
    for (const Gpu& gpu : trace_.gpus) {
      add("{}\n{{\"id\": {}, \"name\": ", is_first ? "" : ",", gpu.device.value);
      is_first = false;
      add_string(gpu.name);
      text_ += ", \"uuid\": ";
      add_string(gpu.uuid);
      text_ += ", \"busLocation\": ";
      add_string(gpu.bus_location);
      const std::pair<const char*, std::int64_t> numbers[] = {{"totalGlobalMem", gpu.memory_bytes},
                                                              {"computeMajor", gpu.compute_major},
                                                              {"computeMinor", gpu.compute_minor},
                                                              {"maxThreadsPerMultiprocessor", gpu.max_threads_per_sm},
                                                              {"maxBlocksPerMultiprocessor", gpu.max_blocks_per_sm},
                                                              {"regsPerMultiprocessor", gpu.registers_per_sm},
                                                              {"sharedMemPerMultiprocessor", gpu.shared_bytes_per_sm},
                                                              {"numSms", gpu.sm_count},
                                                              {"clockHz", gpu.clock_hz},
                                                              {"memoryBandwidthBytesPerSecond", gpu.memory_bandwidth_bytes_per_s},
                                                              {"copyEngines", gpu.copy_engines}};
      for (const auto& [key, value] : numbers) {
        if (value != 0) add(", \"{}\": {}", key, value);
      }
      text_ += "}";
    }
    text_ += "],\n";
  }

  std::int64_t gpu_pid(ProcessIndex process, DeviceId device) {
    const std::int64_t pid = kGpuPids + (std::int64_t{process.value} + 1) * kDevicesPerProcess + device.value % kDevicesPerProcess;
    gpu_rows_.emplace(pid, process.value, device.value);
    return pid;
  }

  void write_name(const char* kind, std::int64_t pid, std::int64_t tid, std::string_view name) {
    begin_event('M', "__metadata", kind, pid, tid);
    text_ += ",\"args\":{\"name\":";
    add_string(name);
    text_ += "}}";
  }

  void write_names() {
    for (std::size_t i = 0; i < trace_.processes.size(); ++i) {
      const Process& process = trace_.processes[i];
      if (!process.name.empty()) write_name("process_name", ids_.pid(ProcessIndex{static_cast<std::int32_t>(i)}), 0, process.name);
    }
    for (std::size_t i = 0; i < trace_.threads.size(); ++i) {
      const ThreadIndex thread{static_cast<std::int32_t>(i)};
      if (!trace_.threads[i].name.empty()) write_name("thread_name", ids_.pid_of(thread), ids_.tid(thread), trace_.threads[i].name);
    }
  }

  void write_gpu_names() {
    const auto rows = gpu_rows_;
    for (const auto& [pid, process, device] : rows) {
      const std::string owner = process < 0 || trace_.processes.size() < 2 ? "" : fmt::format(" of process {}", trace_.processes[static_cast<std::size_t>(process)].pid);
      write_name("process_name", pid, 0, fmt::format("GPU {}{}", device, owner));
      begin_event('M', "__metadata", "process_labels", pid, 0);
      add(",\"args\":{{\"labels\":\"GPU {}\"}}}}", device);
    }
  }

  // The event up to its arguments, of which the common ones are written: the caller adds its own, and "}}".
  void begin_device_event(const DeviceColumns& rows, std::size_t i, const char* category, std::string_view name) {
    begin_event('X', category, name, gpu_pid(rows.process[i], rows.device[i]), rows.stream[i].value);
    add_span(rows.span(i));
    add(",\"args\":{{\"device\":{},\"context\":{},\"stream\":{},\"correlation\":{}", rows.device[i].value, rows.context[i].value,
        rows.stream[i].value, rows.correlation[i].value);
    if (rows.process[i].value >= 0) add(",\"process\":{}", ids_.pid(rows.process[i]));
  }

  void write_kernels() {
    const Kernels& rows = trace_.kernels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_event(rows, i, "kernel", trace_.text(rows.name[i]));
      add(",\"grid\":[{},{},{}],\"block\":[{},{},{}],\"registers per thread\":{}", rows.grid[i].x, rows.grid[i].y, rows.grid[i].z,
          rows.block[i].x, rows.block[i].y, rows.block[i].z, rows.registers_per_thread[i]);
      add(",\"shared memory\":{},\"static shared memory\":{}", rows.static_shared_bytes[i] + rows.dynamic_shared_bytes[i],
          rows.static_shared_bytes[i]);
      if (rows.graph_node[i] != 0) add(",\"graph node id\":{}", rows.graph_node[i]);
      if (rows.mangled[i].value != 0) {
        text_ += ",\"mangled\":";
        add_string(trace_.text(rows.mangled[i]));
      }
      text_ += "}}";
    }
  }

  void write_copies() {
    const Copies& rows = trace_.copies;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_event(rows, i, "gpu_memcpy", copy_event_name(rows.kind[i], rows.source_memory[i], rows.destination_memory[i]));
      add(",\"bytes\":{}", rows.bytes[i]);
      if (rows.source_device[i] != rows.device[i]) add(",\"fromDevice\":{}", rows.source_device[i].value);
      if (rows.destination_device[i] != rows.device[i]) add(",\"toDevice\":{}", rows.destination_device[i].value);
      text_ += "}}";
    }
  }

  void write_fills() {
    const Fills& rows = trace_.fills;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_event(rows, i, "gpu_memset", fill_event_name(rows.memory[i]));
      add(",\"bytes\":{}}}}}", rows.bytes[i]);
    }
  }

  void write_synchronizations() {
    const Synchronizations& rows = trace_.synchronizations;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_event(rows, i, "cuda_sync", synchronization_event_name(rows.kind[i]));
      text_ += "}}";
    }
  }

  void write_graph_launches() {
    const GraphLaunches& rows = trace_.graph_launches;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_event(rows, i, "cuda_graph", fmt::format("CUDA graph {}", rows.graph[i]));
      add(",\"graph\":{},\"graph exec\":{}}}}}", rows.graph[i], rows.graph_exec[i]);
    }
  }

  void write_calls() {
    const ApiCalls& rows = trace_.api_calls;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_event('X', rows.api_class[i] == ApiClass::driver ? "cuda_driver" : "cuda_runtime", trace_.text(rows.name[i]),
                  ids_.pid_of(rows.thread[i]), ids_.tid(rows.thread[i]));
      add_span(rows.span(i));
      add(",\"args\":{{\"correlation\":{}", rows.correlation[i].value);
      if (rows.return_value[i] != 0) add(",\"return value\":{}", rows.return_value[i]);
      text_ += "}}";
    }
  }

  void write_overheads() {
    const Overheads& rows = trace_.overheads;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_event('X', "overhead", overhead_event_name(rows.kind[i]), ids_.pid_of(rows.thread[i]), ids_.tid(rows.thread[i]));
      add_span({rows.start_ns[i], rows.end_ns[i]});
      text_ += "}";
    }
  }

  void write_ranges() {
    const NvtxRanges& rows = trace_.nvtx;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_open = rows.end_ns[i] == kNoEnd, overlaps = rows.kind[i] == NvtxKind::start_end;
      if (rows.kind[i] == NvtxKind::mark)
        write_range_event('i', i, rows.start_ns[i]);
      else if (overlaps)
        write_range_event('b', i, rows.start_ns[i]);
      else
        write_range_event(is_open ? 'B' : 'X', i, rows.start_ns[i]);
      if (overlaps && !is_open) write_range_event('e', i, rows.end_ns[i]);
    }
  }

  void write_range_event(char phase, std::size_t i, std::int64_t time_ns) {
    const NvtxRanges& rows = trace_.nvtx;
    begin_event(phase, "nvtx", trace_.text(rows.text[i]), ids_.pid_of(rows.thread[i]), ids_.tid(rows.thread[i]));
    add_time("ts", time_ns);
    if (phase == 'X') add_time("dur", rows.end_ns[i] - rows.start_ns[i]);
    if (phase == 'b' || phase == 'e') add(",\"id\":{}", i + 1);
    if (phase == 'i') text_ += ",\"s\":\"t\"";
    text_ += ",\"args\":{\"domain\":";
    add_string(trace_.text(rows.domain[i]));
    if (rows.category[i].value != 0) {
      text_ += ",\"category\":";
      add_string(trace_.text(rows.category[i]));
    }
    if (rows.color_argb[i] != 0) add(",\"color\":{}", rows.color_argb[i]);
    text_ += "}}";
  }

  // From the call to what it launched, by process and correlation id.
  void write_flows() {
    std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> launches;
    const ApiCalls& calls = trace_.api_calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls.correlation[i].value == 0 || calls.thread[i].value < 0) continue;
      const ProcessIndex process = trace_.threads[static_cast<std::size_t>(calls.thread[i].value)].process;
      launches.try_emplace({process.value, calls.correlation[i].value}, i);
    }
    for (const DeviceColumns* rows : {static_cast<const DeviceColumns*>(&trace_.kernels), static_cast<const DeviceColumns*>(&trace_.copies),
                                      static_cast<const DeviceColumns*>(&trace_.fills), static_cast<const DeviceColumns*>(&trace_.graph_launches)}) {
      for (std::size_t i = 0; i < rows->size(); ++i) {
        const auto launch = launches.find({rows->process[i].value, rows->correlation[i].value});
        if (launch != launches.end()) write_flow(launch->second, *rows, i);
      }
    }
  }

  void write_flow(std::size_t call, const DeviceColumns& rows, std::size_t i) {
    const ThreadIndex thread = trace_.api_calls.thread[call];
    const std::size_t id = ++flows_;
    begin_event('s', "ac2g", "ac2g", ids_.pid_of(thread), ids_.tid(thread));
    add_time("ts", trace_.api_calls.start_ns[call]);
    add(",\"id\":{}}}", id);
    begin_event('f', "ac2g", "ac2g", gpu_pid(rows.process[i], rows.device[i]), rows.stream[i].value);
    add_time("ts", rows.start_ns[i]);
    add(",\"id\":{},\"bp\":\"e\"}}", id);
  }

  void write_counters() {
    const ProcessIndex shared{-1};  // a GPU's counters are of the GPU, whoever uses it
    const bool has_one_process = trace_.processes.size() == 1;
    for (const GpuCounter& counter : gpu_counters(trace_)) {
      const std::int64_t pid = gpu_pid(has_one_process ? ProcessIndex{0} : shared, counter.device);
      for (const CounterSample& sample : counter.samples) {
        begin_event('C', kDerivedCounter, counter.name, pid, 0);
        add_time("ts", sample.time_ns);
        add(",\"args\":{{\"{}\":{:.6g}}}}}", counter.unit, sample.value);
      }
    }
    write_recorded_counters();
    write_gpu_names();
  }

  // What the trace itself has; the id tells counters of one name apart, by GPU.
  void write_recorded_counters() {
    const Counters& rows = trace_.counters;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_event('C', kRecordedCounter, trace_.text(rows.name[i]), ids_.pid(rows.process[i]), 0);
      if (rows.device[i].value >= 0) add(",\"id\":{}", rows.device[i].value);
      add_time("ts", rows.start_ns[i]);
      text_ += ",\"args\":{";
      add_string(rows.unit[i].value == 0 ? "value" : trace_.text(rows.unit[i]));
      add(":{}}}}}", rows.value[i]);
    }
  }

  void write_annotation(const Annotation& annotation) {
    const ProcessIndex process{trace_.processes.size() == 1 ? 0 : -1};
    begin_event('X', "gputrace finding", annotation.title, annotation.device ? gpu_pid(process, *annotation.device) : kGpuPids, annotation.device ? kFindingsTid : 0);
    add_span(annotation.span);
    text_ += ",\"args\":{\"text\":";
    add_string(annotation.text);
    text_ += "}}";
  }

  static constexpr std::int64_t kFindingsTid = 999'999;  // a row of their own below the streams

  const Trace& trace_;
  ByteSink& sink_;
  ExportedIds ids_;
  std::string text_;
  std::set<std::tuple<std::int64_t, std::int32_t, std::int32_t>> gpu_rows_;
  std::size_t flows_ = 0;
  bool is_first_ = true;
};

void write_chrome(const Trace& trace, std::span<const Annotation> annotations, ByteSink& sink) {
  ChromeWriter(trace, sink).write(annotations);
}

}  // namespace

extern const Exporter chrome;
constinit const Exporter chrome{"chrome", ".json", write_chrome};

}  // namespace gputrace::trace
