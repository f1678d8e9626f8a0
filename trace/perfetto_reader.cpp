#include "trace/perfetto_reader.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "trace/counter_rows.h"
#include "trace/exported_ids.h"
#include "trace/perfetto_fields.h"
#include "trace/table_rows.h"
#include "trace/thread_registry.h"

namespace gputrace::trace {
namespace {

using perfetto::Arguments;
using perfetto::Number;
using perfetto::Text;

constexpr std::string_view kOwnMetadata = "gputrace metadata", kOwnGpu = "gputrace gpu";

// "160 1 1".
Dim3 dim3(std::string_view text) {
  Dim3 dim;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::int32_t* size : {&dim.x, &dim.y, &dim.z}) {
    while (at != end && *at == ' ') ++at;
    at = std::from_chars(at, end, *size).ptr;
  }
  return dim;
}

std::int64_t correlation(const PerfettoEvent& event) { return event.arguments.number(Number::correlation, static_cast<std::int64_t>(event.flow)); }

}  // namespace

void PerfettoReader::add_packet(std::string_view bytes) {
  std::optional<PerfettoEvent> event = decoder_.decode(bytes);
  if (!event) return;
  switch (event->type) {
    case perfetto::event::kBegin:
      return open_[event->track].push_back(*event);
    case perfetto::event::kEnd:
      return end_slice(*event);
    case perfetto::event::kInstant:
      return add_slice(*event, event->time_ns, true);
    case perfetto::event::kCounter:
      return counter_values_.push_back({event->track, event->time_ns, event->counter_value});
    default:
      return;
  }
}

void PerfettoReader::end_slice(const PerfettoEvent& end) {
  std::vector<PerfettoEvent>& open = open_[end.track];
  if (open.empty()) return rows_.range_problems().count(RowProblem::no_begin);
  const PerfettoEvent begin = open.back();
  open.pop_back();
  add_slice(begin, end.time_ns, false);
}

KinetoCategory PerfettoReader::category(StringId name) {
  const auto [entry, is_new] = categories_.try_emplace(name, KinetoCategory::range);
  if (is_new) entry->second = category_of(trace_.strings[name]);
  return entry->second;
}

void PerfettoReader::add_slice(const PerfettoEvent& begin, std::int64_t end_ns, bool is_mark) {
  const KinetoCategory kind = category(begin.category);
  const Span span{begin.time_ns, end_ns};
  switch (kind) {
    case KinetoCategory::not_read:
      return;
    case KinetoCategory::kernel:
    case KinetoCategory::copy:
    case KinetoCategory::fill:
    case KinetoCategory::synchronization:
    case KinetoCategory::graph_launch:
      return add_device_slice(begin, span, kind);
    default:
      if (trace_.strings[begin.category] == kOwnMetadata) return read_own_metadata(begin);
      if (trace_.strings[begin.category] == kOwnGpu) return read_own_gpu(begin);
      return add_host_slice(begin, span, kind, is_mark);
  }
}

void PerfettoReader::add_device_slice(const PerfettoEvent& begin, Span span, KinetoCategory category) {
  const Arguments& arguments = begin.arguments;
  const std::int64_t pid = arguments.number(Number::process);
  const auto device = arguments.int32(Number::device);
  const DeviceEvent event{.span = span,
                          .device = device ? *device : tracks_.device(begin.track).value_or(-1),
                          .context = arguments.int32(Number::context).value_or(0),
                          .stream = arguments.int32(Number::stream).value_or(0),
                          .correlation = correlation(begin),
                          .process = pid == 0 ? ProcessIndex{-1} : threads_.process(pid)};
  const std::string_view name = trace_.strings[begin.name];
  if (category == KinetoCategory::kernel) return add_kernel(begin, event);
  if (category == KinetoCategory::copy) return add_copy(begin, event);
  if (category == KinetoCategory::fill) return rows_.add_fill(event, arguments.number(Number::bytes), fill_memory(name));
  if (category == KinetoCategory::synchronization) return rows_.add_synchronization(event, sync_kind(name));
  rows_.add_graph_launch(event, arguments.number(Number::graph), 0);
}

void PerfettoReader::add_kernel(const PerfettoEvent& begin, const DeviceEvent& event) {
  const Arguments& arguments = begin.arguments;
  rows_.add_kernel(event, begin.name,
                   {.grid = dim3(trace_.strings[arguments.text(Text::grid)]),
                    .block = dim3(trace_.strings[arguments.text(Text::block)]),
                    .registers_per_thread = arguments.int32(Number::registers_per_thread).value_or(0),
                    .static_shared_bytes = arguments.int32(Number::static_shared_memory).value_or(0),
                    .dynamic_shared_bytes = arguments.int32(Number::dynamic_shared_memory).value_or(0),
                    .graph_node = arguments.number(Number::graph_node)},
                   arguments.text(Text::mangled));
}

void PerfettoReader::add_copy(const PerfettoEvent& begin, const DeviceEvent& event) {
  const Arguments& arguments = begin.arguments;
  const CopyNature nature = copy_nature(trace_.strings[begin.name]);
  const std::int64_t bytes = arguments.number(Number::bytes);
  rows_.add_copy(event, {.bytes = bytes > 0 ? std::optional(bytes) : std::nullopt,
                         .kind = nature.kind,
                         .source = nature.source,
                         .destination = nature.destination,
                         .source_device = arguments.int32(Number::from_device),
                         .destination_device = arguments.int32(Number::to_device)});
}

void PerfettoReader::add_host_slice(const PerfettoEvent& begin, Span span, KinetoCategory category, bool is_mark) {
  const Arguments& arguments = begin.arguments;
  const bool is_own = trace_.strings[begin.category] == "nvtx";
  const bool overlaps = trace_.strings[arguments.text(Text::kind)] == "start/end";
  host_slices_.push_back({.track = begin.track,
                          .span = span,
                          .category = category,
                          .kind = is_mark ? NvtxKind::mark : overlaps ? NvtxKind::start_end : NvtxKind::push_pop,
                          .text = begin.name,
                          .domain = is_own ? arguments.text(Text::domain) : begin.category,
                          .range_category = arguments.text(Text::category),
                          .correlation = correlation(begin),
                          .color_argb = static_cast<std::uint32_t>(arguments.number(Number::color))});
}

void PerfettoReader::read_own_metadata(const PerfettoEvent& event) {
  const Arguments& arguments = event.arguments;
  const auto text = [&](Text key) { return std::string(trace_.strings[arguments.text(key)]); };
  is_own_ = true;
  Metadata& metadata = trace_.metadata;
  metadata.producer = text(Text::producer);
  metadata.simulated = arguments.number(Number::simulated) != 0;
  metadata.machine = text(Text::machine);
  metadata.complete = arguments.number(Number::complete, 1) != 0;
  metadata.incomplete_why = text(Text::incomplete_why);
  if (!metadata.complete && metadata.incomplete_why.empty()) metadata.incomplete_why = kIncompleteWithoutReason;
  metadata.dropped_records = arguments.number(Number::dropped_records);
  decoder_.shift_by(arguments.number(Number::shift_ns));
}

void PerfettoReader::read_own_gpu(const PerfettoEvent& event) {
  const Arguments& arguments = event.arguments;
  const auto text = [&](Text key) { return std::string(trace_.strings[arguments.text(key)]); };
  Gpu gpu;
  gpu.device = DeviceId{arguments.int32(Number::device).value_or(0)};
  gpu.name = text(Text::name);
  gpu.uuid = text(Text::uuid);
  gpu.bus_location = text(Text::bus_location);
  gpu.sm_count = arguments.int32(Number::sm_count).value_or(0);
  gpu.compute_major = arguments.int32(Number::compute_major).value_or(0);
  gpu.compute_minor = arguments.int32(Number::compute_minor).value_or(0);
  gpu.clock_hz = arguments.number(Number::clock_hz);
  gpu.memory_bandwidth_bytes_per_s = arguments.number(Number::memory_bandwidth);
  gpu.memory_bytes = arguments.number(Number::memory_bytes);
  trace_.gpus.push_back(std::move(gpu));
}

// Ranges stay open; what a GPU was at when the trace ended has no row, and is counted.
void PerfettoReader::add_open_slices() {
  std::vector<Uuid> tracks;
  for (const auto& [track, events] : open_) tracks.push_back(track);
  std::sort(tracks.begin(), tracks.end());
  for (const Uuid track : tracks) {
    for (const PerfettoEvent& event : open_[track]) {
      rows_.range_problems().count(RowProblem::no_end);
      if (category(event.category) == KinetoCategory::range) add_slice(event, kNoEnd, false);
    }
  }
}

void PerfettoReader::add_host_slices() {
  for (const HostSlice& slice : host_slices_) {
    const ThreadIndex thread = tracks_.thread(slice.track);
    if (slice.category == KinetoCategory::runtime_call || slice.category == KinetoCategory::driver_call) {
      rows_.add_call(slice.span, thread, slice.text, slice.correlation, slice.category == KinetoCategory::driver_call ? ApiClass::driver : ApiClass::runtime);
    } else if (slice.category == KinetoCategory::overhead) {
      rows_.add_overhead(slice.span, thread, slice.text, overhead_kind(trace_.strings[slice.text]));
    } else {
      rows_.add_range({.span = slice.span, .thread = thread, .domain = slice.domain, .text = slice.text, .category = slice.range_category,
                       .kind = slice.kind, .color_argb = slice.color_argb});
    }
  }
}

void PerfettoReader::add_counters() {
  struct Known {
    PerfettoTracks::Counter counter;
    CounterSampleFacts sample;
    double sum = 0;
  };
  std::unordered_map<Uuid, Known> known;
  RowProblems problems{"counter events"};
  for (const CounterValue& value : counter_values_) {
    const auto [entry, is_new] = known.try_emplace(value.track);
    Known& track = entry->second;
    if (is_new) {
      track.counter = tracks_.counter(value.track);
      track.sample = {.name = trace_.strings.intern(track.counter.name),
                      .unit = trace_.strings.intern(track.counter.unit),
                      .process = tracks_.process(value.track),
                      .device = DeviceId{tracks_.device(value.track).value_or(-1)}};
    }
    if (track.counter.is_derived) continue;
    track.sum = track.counter.is_incremental ? track.sum + value.value : value.value;
    track.sample.time_ns = value.time_ns;
    track.sample.value = track.sum * track.counter.multiplier;
    add_counter_sample(trace_, track.sample, problems);
  }
  problems.report(trace_.diagnostics);
}

void PerfettoReader::finish() {
  add_open_slices();
  add_host_slices();
  add_counters();
  threads_.give_names();
  if (!is_own_) resolve_processes_by_correlation(trace_);  // gputrace's own export says whose each row is, where it is known
  rows_.finish();
  if (damaged_ > 0) trace_.diagnostics.push_back({"packets that are malformed (left out)", damaged_});
  if (decoder_.unknown_clock_packets() > 0)
    trace_.diagnostics.push_back({"packets of a clock that no snapshot tells, read as nanoseconds of the trace's own", decoder_.unknown_clock_packets()});
  if (trace_.metadata.producer.empty()) trace_.metadata.producer = "Perfetto trace";
}

}  // namespace gputrace::trace
