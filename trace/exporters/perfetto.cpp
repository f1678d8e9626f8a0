// Perfetto's protobuf: a track per thread, and per process one for each of its GPUs with a track per stream below; flows from a
// launch to what it launched; counters per GPU. Categories and arguments are those of the Chrome export. Negative times (an axis
// that begins before its zero) are shifted, since Perfetto's are unsigned: the shift is an argument of the first packet's track.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "trace/device_event_names.h"
#include "trace/exported_ids.h"
#include "trace/exporter.h"
#include "trace/gpu_counters.h"
#include "trace/nested_lanes.h"
#include "trace/perfetto_packets.h"

namespace gputrace::trace {
namespace {

using Uuid = PerfettoPackets::Uuid;

enum class Kind : std::uint8_t { kernel, copy, fill, synchronization, graph_launch, call, overhead, range };

struct Slice {
  Span span;
  Kind kind;
  std::uint32_t row;
};

// Outer slices before inner ones.
bool opens_first(const Slice& a, const Slice& b) {
  if (a.span.start_ns != b.span.start_ns) return a.span.start_ns < b.span.start_ns;
  const auto end_ns = [](const Slice& slice) { return slice.span.end_ns == kNoEnd ? INT64_MAX : slice.span.end_ns; };
  return end_ns(a) > end_ns(b);
}

std::string dimensions(const Dim3& dim) { return fmt::format("{} {} {}", dim.x, dim.y, dim.z); }

class PerfettoWriter {
 public:
  PerfettoWriter(const Trace& trace, ByteSink& sink) : trace_(trace), packets_(sink), ids_(trace) {}

  void write(std::span<const Annotation> annotations) {
    std::int64_t first_ns = trace_.span().start_ns;
    for (const auto* starts : {&trace_.overheads.start_ns, &trace_.counters.start_ns}) {
      for (const std::int64_t start_ns : *starts) first_ns = std::min(first_ns, start_ns);
    }
    shift_ns_ = std::max<std::int64_t>(0, -first_ns);
    write_own_metadata();
    write_processes();
    number_flows();
    write_device_slices();
    write_host_slices();
    write_marks_and_overlapping_ranges();
    write_counters();
    write_recorded_counters();
    for (const Annotation& annotation : annotations) write_annotation(annotation);
    packets_.flush();
  }

 private:
  // What the trace says of itself, at its beginning and on a track of its own.
  void write_own_metadata() {
    const Metadata& metadata = trace_.metadata;
    const Uuid track = packets_.track(0, "gputrace");
    packets_.instant(track, 0, "gputrace metadata", "trace",
                     {{"producer", metadata.producer},
                      {"simulated", std::int64_t{metadata.simulated}},
                      {"machine", metadata.machine},
                      {"complete", std::int64_t{metadata.complete}},
                      {"incomplete_why", metadata.incomplete_why},
                      {"dropped_records", metadata.dropped_records},
                      {"shift_ns", shift_ns_}});
    for (const Gpu& gpu : trace_.gpus) {
      packets_.instant(track, 0, "gputrace gpu", "gpu",
                       {{"device", gpu.device.value},
                        {"name", gpu.name},
                        {"uuid", gpu.uuid},
                        {"busLocation", gpu.bus_location},
                        {"numSms", gpu.sm_count},
                        {"computeMajor", gpu.compute_major},
                        {"computeMinor", gpu.compute_minor},
                        {"clockHz", gpu.clock_hz},
                        {"memoryBandwidthBytesPerSecond", gpu.memory_bandwidth_bytes_per_s},
                        {"totalGlobalMem", gpu.memory_bytes}});
    }
  }

  void write_processes() {
    for (std::size_t i = 0; i < trace_.processes.size(); ++i)
      process_tracks_.push_back(packets_.process_track(ids_.pid(ProcessIndex{static_cast<std::int32_t>(i)}), trace_.processes[i].name));
    for (std::size_t i = 0; i < trace_.threads.size(); ++i) {
      const ThreadIndex thread{static_cast<std::int32_t>(i)};
      thread_tracks_.push_back(packets_.thread_track(ids_.pid_of(thread), ids_.tid(thread), trace_.threads[i].name));
    }
  }

  Uuid process_track(ProcessIndex process) const { return process.value < 0 ? 0 : process_tracks_[static_cast<std::size_t>(process.value)]; }

  Uuid gpu_track(ProcessIndex process, DeviceId device) {
    Uuid& track = gpu_tracks_[{process, device}];
    if (track == 0) track = packets_.track(process_track(process), fmt::format("GPU {}", device.value));
    return track;
  }

  std::int64_t shifted(std::int64_t time_ns) const { return time_ns + shift_ns_; }

  // One flow per launch that launched something, by process and correlation id.
  void number_flows() {
    const ApiCalls& calls = trace_.api_calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls.correlation[i].value == 0 || calls.thread[i].value < 0) continue;
      const ProcessIndex process = trace_.threads[static_cast<std::size_t>(calls.thread[i].value)].process;
      launches_.try_emplace({process, calls.correlation[i]}, launches_.size() + 1);
    }
  }
  std::uint64_t flow(ProcessIndex process, CorrelationId correlation) const {
    const auto found = launches_.find({process, correlation});
    return found == launches_.end() ? 0 : found->second;
  }

  void write_device_slices() {
    std::map<std::tuple<ProcessIndex, DeviceId, StreamId>, std::vector<Slice>> streams;
    const auto collect = [&streams](const DeviceColumns& rows, Kind kind) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        streams[{rows.process[i], rows.device[i], rows.stream[i]}].push_back({rows.span(i), kind, static_cast<std::uint32_t>(i)});
    };
    collect(trace_.kernels, Kind::kernel);
    collect(trace_.copies, Kind::copy);
    collect(trace_.fills, Kind::fill);
    collect(trace_.synchronizations, Kind::synchronization);
    collect(trace_.graph_launches, Kind::graph_launch);
    for (auto& [key, slices] : streams) {
      const auto [process, device, stream] = key;
      const std::string name = fmt::format("stream {}", stream.value);
      write_slices(slices, 0, gpu_track(process, device), name);
    }
  }

  void write_host_slices() {
    std::map<ThreadIndex, std::vector<Slice>> threads;
    for (std::size_t i = 0; i < trace_.api_calls.size(); ++i)
      threads[trace_.api_calls.thread[i]].push_back({trace_.api_calls.span(i), Kind::call, static_cast<std::uint32_t>(i)});
    for (std::size_t i = 0; i < trace_.overheads.size(); ++i)
      threads[trace_.overheads.thread[i]].push_back({{trace_.overheads.start_ns[i], trace_.overheads.end_ns[i]}, Kind::overhead, static_cast<std::uint32_t>(i)});
    for (std::size_t i = 0; i < trace_.nvtx.size(); ++i) {
      if (trace_.nvtx.kind[i] == NvtxKind::push_pop)
        threads[trace_.nvtx.thread[i]].push_back({{trace_.nvtx.start_ns[i], trace_.nvtx.end_ns[i]}, Kind::range, static_cast<std::uint32_t>(i)});
    }
    for (auto& [thread, slices] : threads) {
      if (thread.value < 0)
        write_slices(slices, 0, 0, "unknown thread");
      else
        write_slices(slices, thread_tracks_[static_cast<std::size_t>(thread.value)], thread_tracks_[static_cast<std::size_t>(thread.value)], "overlapping");
    }
  }

  // On `first_track`, or a new track below `parent`; slices that overlap without nesting on more tracks below.
  void write_slices(std::vector<Slice>& slices, Uuid first_track, Uuid parent, const std::string& name) {
    std::sort(slices.begin(), slices.end(), opens_first);
    std::vector<Span> spans;
    for (const Slice& slice : slices) spans.push_back(slice.span);
    const std::vector<std::uint32_t> lane_of = nested_lanes(spans);
    const std::uint32_t lanes = *std::max_element(lane_of.begin(), lane_of.end()) + 1;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const Uuid track = lane == 0 && first_track != 0 ? first_track : packets_.track(parent, lane == 0 ? name : fmt::format("{} ({})", name, lane + 1));
      write_lane(slices, lane_of, lane, track);
    }
  }

  void write_lane(const std::vector<Slice>& slices, const std::vector<std::uint32_t>& lane_of, std::uint32_t lane, Uuid track) {
    std::vector<std::int64_t> open;  // ends, outermost first
    const auto close_until = [&](std::int64_t time_ns) {
      for (; !open.empty() && open.back() <= time_ns; open.pop_back()) packets_.end(track, shifted(open.back()));
    };
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (lane_of[i] != lane) continue;
      close_until(slices[i].span.start_ns);
      begin(track, slices[i]);
      open.push_back(slices[i].span.end_ns == kNoEnd ? INT64_MAX : slices[i].span.end_ns);
      if (slices[i].span.duration_ns() == 0) close_until(slices[i].span.start_ns);
    }
    close_until(INT64_MAX - 1);
  }

  void begin(Uuid track, const Slice& slice) {
    switch (slice.kind) {
      case Kind::kernel:
        return begin_kernel(track, slice.row);
      case Kind::copy:
        return begin_copy(track, slice.row);
      case Kind::fill:
        return begin_device(track, trace_.fills, slice.row, "gpu_memset", fill_event_name(trace_.fills.memory[slice.row]), {"bytes", trace_.fills.bytes[slice.row]});
      case Kind::synchronization:
        return begin_device(track, trace_.synchronizations, slice.row, "cuda_sync", synchronization_event_name(trace_.synchronizations.kind[slice.row]), {"bytes", std::int64_t{0}});
      case Kind::graph_launch:
        return begin_device(track, trace_.graph_launches, slice.row, "cuda_graph", fmt::format("CUDA graph {}", trace_.graph_launches.graph[slice.row]), {"graph", trace_.graph_launches.graph[slice.row]});
      case Kind::call:
        return begin_call(track, slice.row);
      case Kind::overhead:
        return packets_.begin(track, shifted(trace_.overheads.start_ns[slice.row]), "overhead", overhead_event_name(trace_.overheads.kind[slice.row]), 0, {});
      case Kind::range:
        return begin_range(track, slice.row);
    }
  }

  void begin_kernel(Uuid track, std::size_t i) {
    const Kernels& rows = trace_.kernels;
    const std::string grid = dimensions(rows.grid[i]), block = dimensions(rows.block[i]);
    packets_.begin(track, shifted(rows.start_ns[i]), "kernel", trace_.text(rows.name[i]), flow(rows.process[i], rows.correlation[i]),
                   {{"device", rows.device[i].value},
                    {"context", rows.context[i].value},
                    {"stream", rows.stream[i].value},
                    {"correlation", rows.correlation[i].value},
                    {"process", ids_.pid(rows.process[i])},
                    {"grid", grid},
                    {"block", block},
                    {"registers per thread", rows.registers_per_thread[i]},
                    {"static shared memory", rows.static_shared_bytes[i]},
                    {"dynamic shared memory", rows.dynamic_shared_bytes[i]},
                    {"graph node id", rows.graph_node[i]},
                    {"mangled", trace_.text(rows.mangled[i])}});
  }

  void begin_copy(Uuid track, std::size_t i) {
    const Copies& rows = trace_.copies;
    packets_.begin(track, shifted(rows.start_ns[i]), "gpu_memcpy", copy_event_name(rows.kind[i], rows.source_memory[i], rows.destination_memory[i]),
                   flow(rows.process[i], rows.correlation[i]),
                   {{"device", rows.device[i].value},
                    {"context", rows.context[i].value},
                    {"stream", rows.stream[i].value},
                    {"correlation", rows.correlation[i].value},
                    {"process", ids_.pid(rows.process[i])},
                    {"bytes", rows.bytes[i]},
                    {"fromDevice", rows.source_device[i].value},
                    {"toDevice", rows.destination_device[i].value}});
  }

  void begin_device(Uuid track, const DeviceColumns& rows, std::size_t i, const char* category, const std::string& name, const PerfettoPackets::Argument& own) {
    packets_.begin(track, shifted(rows.start_ns[i]), category, name, flow(rows.process[i], rows.correlation[i]),
                   {{"device", rows.device[i].value},
                    {"context", rows.context[i].value},
                    {"stream", rows.stream[i].value},
                    {"correlation", rows.correlation[i].value},
                    {"process", ids_.pid(rows.process[i])},
                    own});
  }

  void begin_call(Uuid track, std::size_t i) {
    const ApiCalls& rows = trace_.api_calls;
    const ProcessIndex process = rows.thread[i].value < 0 ? ProcessIndex{-1} : trace_.threads[static_cast<std::size_t>(rows.thread[i].value)].process;
    packets_.begin(track, shifted(rows.start_ns[i]), rows.api_class[i] == ApiClass::driver ? "cuda_driver" : "cuda_runtime", trace_.text(rows.name[i]),
                   flow(process, rows.correlation[i]), {{"correlation", rows.correlation[i].value}, {"return value", rows.return_value[i]}});
  }

  void begin_range(Uuid track, std::size_t i) {
    const NvtxRanges& rows = trace_.nvtx;
    packets_.begin(track, shifted(rows.start_ns[i]), "nvtx", trace_.text(rows.text[i]), 0,
                   {{"domain", trace_.text(rows.domain[i])},
                    {"category", trace_.text(rows.category[i])},
                    {"color", std::int64_t{rows.color_argb[i]}},
                    {"kind", rows.kind[i] == NvtxKind::start_end ? "start/end" : "push/pop"}});
  }

  Uuid host_track(ThreadIndex thread) {
    if (thread.value >= 0) return thread_tracks_[static_cast<std::size_t>(thread.value)];
    if (unknown_thread_ == 0) unknown_thread_ = packets_.track(0, "unknown thread");
    return unknown_thread_;
  }

  void write_marks_and_overlapping_ranges() {
    const NvtxRanges& rows = trace_.nvtx;
    std::map<ThreadIndex, std::vector<Slice>> overlapping;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.kind[i] == NvtxKind::mark)
        packets_.instant(host_track(rows.thread[i]), shifted(rows.start_ns[i]), "nvtx", trace_.text(rows.text[i]),
                         {{"domain", trace_.text(rows.domain[i])}, {"category", trace_.text(rows.category[i])}, {"color", std::int64_t{rows.color_argb[i]}}});
      else if (rows.kind[i] == NvtxKind::start_end)
        overlapping[rows.thread[i]].push_back({{rows.start_ns[i], rows.end_ns[i]}, Kind::range, static_cast<std::uint32_t>(i)});
    }
    for (auto& [thread, slices] : overlapping) write_slices(slices, 0, host_track(thread), "start/end ranges");
  }

  void write_counters() {
    const ProcessIndex owner{trace_.processes.size() == 1 ? 0 : -1};
    for (const GpuCounter& counter : gpu_counters(trace_)) {
      const Uuid track = packets_.counter_track(gpu_track(owner, counter.device), counter.name, counter.unit, kDerivedCounter);
      for (const CounterSample& sample : counter.samples) packets_.counter(track, shifted(sample.time_ns), sample.value);
    }
  }

  // What the trace itself has.
  void write_recorded_counters() {
    const Counters& rows = trace_.counters;
    std::map<std::tuple<ProcessIndex, DeviceId, StringId, StringId>, Uuid> tracks;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Uuid& track = tracks[{rows.process[i], rows.device[i], rows.name[i], rows.unit[i]}];
      if (track == 0) {
        const Uuid parent = rows.device[i].value < 0 ? process_track(rows.process[i]) : gpu_track(rows.process[i], rows.device[i]);
        track = packets_.counter_track(parent, trace_.text(rows.name[i]), trace_.text(rows.unit[i]), kRecordedCounter);
      }
      packets_.counter(track, shifted(rows.start_ns[i]), rows.value[i]);
    }
  }

  void write_annotation(const Annotation& annotation) {
    const ProcessIndex owner{trace_.processes.size() == 1 ? 0 : -1};
    const Uuid track = packets_.track(annotation.device ? gpu_track(owner, *annotation.device) : 0, "findings");
    packets_.begin(track, shifted(annotation.span.start_ns), "gputrace finding", annotation.title, 0, {{"text", annotation.text}});
    packets_.end(track, shifted(annotation.span.end_ns));
  }

  const Trace& trace_;
  PerfettoPackets packets_;
  ExportedIds ids_;
  std::int64_t shift_ns_ = 0;
  std::vector<Uuid> process_tracks_, thread_tracks_;
  std::map<std::pair<ProcessIndex, DeviceId>, Uuid> gpu_tracks_;
  std::map<std::pair<ProcessIndex, CorrelationId>, std::uint64_t> launches_;
  Uuid unknown_thread_ = 0;
};

void write_perfetto(const Trace& trace, std::span<const Annotation> annotations, ByteSink& sink) { PerfettoWriter(trace, sink).write(annotations); }

}  // namespace

extern const Exporter perfetto;
constinit const Exporter perfetto{"perfetto", ".pftrace", write_perfetto};

}  // namespace gputrace::trace
