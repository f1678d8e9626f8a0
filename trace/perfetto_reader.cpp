#include "trace/perfetto_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/perfetto_clocks.h"
#include "trace/perfetto_fields.h"
#include "trace/table_rows.h"
#include "trace/timeline_rows.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {
namespace {

using protozero::pbf_reader;
using Uuid = std::uint64_t;

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }

struct Track {
  Uuid parent = 0;
  std::optional<std::int64_t> pid{}, tid{};
  std::string name{};
};

// The arguments of an event that mean something here; texts are kept, since the packet is gone when the slice ends.
struct Arguments {
  std::map<std::string_view, std::int64_t> numbers{};  // keys are of kNumbers
  std::map<std::string_view, StringId> texts{};        // keys are of kTexts

  std::int64_t number(std::string_view name, std::int64_t otherwise = 0) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? otherwise : found->second;
  }
  std::optional<std::int32_t> int32(std::string_view name) const {
    const auto found = numbers.find(name);
    if (found == numbers.end() || found->second < INT32_MIN || found->second > INT32_MAX) return std::nullopt;
    return static_cast<std::int32_t>(found->second);
  }
  StringId text(std::string_view name) const {
    const auto found = texts.find(name);
    return found == texts.end() ? StringId{} : found->second;
  }
};

constexpr std::string_view kNumbers[] = {"device", "context", "stream", "correlation", "process", "registers per thread", "static shared memory",
                                         "dynamic shared memory", "graph node id", "bytes", "fromDevice", "toDevice", "color", "graph", "return value",
                                         "simulated", "complete", "dropped_records", "shift_ns", "numSms", "computeMajor", "computeMinor", "clockHz",
                                         "memoryBandwidthBytesPerSecond", "totalGlobalMem"};
constexpr std::string_view kTexts[] = {"grid", "block", "mangled", "domain", "category", "kind", "producer", "machine", "incomplete_why", "name", "uuid", "busLocation"};

template <std::size_t n>
std::string_view known(const std::string_view (&names)[n], std::string_view name) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  return found == std::end(names) ? std::string_view() : *found;
}

struct Event {
  std::int64_t time_ns = 0;
  std::uint64_t type = 0, flow = 0;
  Uuid track = 0;
  StringId name{}, category{};
  Arguments arguments{};
};

// What a writer's packets refer to by number.
struct Sequence {
  std::unordered_map<std::uint64_t, StringId> names, categories, argument_names, argument_texts;
  Uuid default_track = 0;
  std::uint64_t default_clock = 0;
};

struct HostSlice {
  Uuid track = 0;
  Span span{};
  KinetoCategory category = KinetoCategory::range;
  NvtxKind kind = NvtxKind::push_pop;
  StringId text{}, domain{}, range_category{};
  std::int64_t correlation = 0;
  std::uint32_t color_argb = 0;
};

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

}  // namespace

class PerfettoReader::Impl {
 public:
  explicit Impl(Trace& trace) : trace_(trace) {}

  void add_packet(std::string_view bytes);
  void count_damaged_packet() { ++damaged_; }
  void finish();

 private:
  void add_interned(Sequence& sequence, pbf_reader data);
  void add_descriptor(pbf_reader descriptor);
  void read_defaults(Sequence& sequence, pbf_reader defaults);
  Event read_event(Sequence& sequence, pbf_reader message);
  void read_argument(Sequence& sequence, pbf_reader message, Arguments& arguments);
  void add_event(Event event);
  void add_slice(const Event& begin, std::int64_t end_ns, bool is_mark);
  void add_device_slice(const Event& begin, Span span, KinetoCategory category);
  void add_host_slice(const Event& begin, Span span, KinetoCategory category, bool is_mark);
  void read_own_metadata(const Event& event);
  void resolve_host_slices();
  ThreadIndex thread_of(Uuid track);
  std::int32_t device_of(const Event& begin) const;

  StringId intern(const protozero::data_view& data) { return trace_.strings.intern(view(data)); }

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  PerfettoClocks clocks_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  std::unordered_map<Uuid, Track> tracks_;
  std::map<Uuid, std::vector<Event>> open_;
  std::unordered_map<Uuid, ThreadIndex> threads_of_tracks_;
  std::vector<HostSlice> host_slices_;
  std::int64_t damaged_ = 0, counter_values_ = 0, shift_ns_ = 0;
  bool is_own_ = false;
};

void PerfettoReader::Impl::add_packet(std::string_view bytes) {
  std::optional<std::string_view> event, interned, descriptor, snapshot, defaults;
  std::uint64_t time = 0, sequence_id = 0, flags = 0;
  std::optional<std::uint64_t> clock;
  for (pbf_reader packet(bytes.data(), bytes.size()); packet.next();) {
    switch (packet.tag()) {
      case perfetto::packet::kTimestamp:
        time = packet.get_uint64();
        break;
      case perfetto::packet::kSequence:
        sequence_id = packet.get_uint32();
        break;
      case perfetto::packet::kSequenceFlags:
        flags = packet.get_uint32();
        break;
      case perfetto::packet::kClock:
        clock = packet.get_uint32();
        break;
      case perfetto::packet::kTrackEvent:
        event = view(packet.get_view());
        break;
      case perfetto::packet::kInternedData:
        interned = view(packet.get_view());
        break;
      case perfetto::packet::kTrackDescriptor:
        descriptor = view(packet.get_view());
        break;
      case perfetto::packet::kClockSnapshot:
        snapshot = view(packet.get_view());
        break;
      case perfetto::packet::kDefaults:
        defaults = view(packet.get_view());
        break;
      default:
        packet.skip();
    }
  }
  const auto reader = [](std::string_view message) { return pbf_reader(message.data(), message.size()); };
  if ((flags & perfetto::packet::kStateCleared) != 0) sequences_.erase(sequence_id);
  Sequence& sequence = sequences_[sequence_id];
  if (defaults) read_defaults(sequence, reader(*defaults));
  if (snapshot) clocks_.add_snapshot(sequence_id, *snapshot);
  if (interned) add_interned(sequence, reader(*interned));
  if (descriptor) add_descriptor(reader(*descriptor));
  if (!event) return;
  Event read = read_event(sequence, reader(*event));
  read.time_ns = clocks_.to_default(sequence_id, clock.value_or(sequence.default_clock), time) - shift_ns_;
  add_event(std::move(read));
}

void PerfettoReader::Impl::read_defaults(Sequence& sequence, pbf_reader defaults) {
  while (defaults.next()) {
    if (defaults.tag() == perfetto::defaults::kClock) {
      sequence.default_clock = defaults.get_uint32();
    } else if (defaults.tag() == perfetto::defaults::kTrackEvent) {
      pbf_reader event = defaults.get_message();
      while (event.next(perfetto::defaults::kTrackUuid)) sequence.default_track = event.get_uint64();
    } else {
      defaults.skip();
    }
  }
}

void PerfettoReader::Impl::add_interned(Sequence& sequence, pbf_reader data) {
  while (data.next()) {
    auto* const table = data.tag() == perfetto::interned::kEventNames        ? &sequence.names
                        : data.tag() == perfetto::interned::kCategories      ? &sequence.categories
                        : data.tag() == perfetto::interned::kAnnotationNames ? &sequence.argument_names
                        : data.tag() == perfetto::interned::kAnnotationStrings ? &sequence.argument_texts
                                                                             : nullptr;
    if (table == nullptr) {
      data.skip();
      continue;
    }
    std::uint64_t id = 0;
    StringId text{};
    for (pbf_reader item = data.get_message(); item.next();) {
      if (item.tag() == perfetto::interned::kId) id = item.get_uint64();
      else if (item.tag() == perfetto::interned::kText) text = intern(item.get_view());
      else item.skip();
    }
    (*table)[id] = text;
  }
}

void PerfettoReader::Impl::add_descriptor(pbf_reader descriptor) {
  Track track;
  Uuid uuid = 0;
  std::string process_name, thread_name;
  while (descriptor.next()) {
    switch (descriptor.tag()) {
      case perfetto::descriptor::kUuid:
        uuid = descriptor.get_uint64();
        break;
      case perfetto::descriptor::kParent:
        track.parent = descriptor.get_uint64();
        break;
      case perfetto::descriptor::kName:
      case perfetto::descriptor::kStaticName:
        track.name = view(descriptor.get_view());
        break;
      case perfetto::descriptor::kProcess:
        for (pbf_reader process = descriptor.get_message(); process.next();) {
          if (process.tag() == perfetto::descriptor::kProcessPid) track.pid = process.get_int32();
          else if (process.tag() == perfetto::descriptor::kProcessName) process_name = view(process.get_view());
          else process.skip();
        }
        break;
      case perfetto::descriptor::kThread:
        for (pbf_reader thread = descriptor.get_message(); thread.next();) {
          if (thread.tag() == perfetto::descriptor::kThreadPid) track.pid = thread.get_int32();
          else if (thread.tag() == perfetto::descriptor::kThreadTid) track.tid = thread.get_int32();
          else if (thread.tag() == perfetto::descriptor::kThreadName) thread_name = view(thread.get_view());
          else thread.skip();
        }
        break;
      default:
        descriptor.skip();
    }
  }
  if (track.pid && !process_name.empty()) threads_.name_process(*track.pid, process_name);
  if (track.pid && track.tid && !thread_name.empty()) threads_.name_thread(*track.pid, *track.tid, thread_name);
  tracks_[uuid] = std::move(track);
}

Event PerfettoReader::Impl::read_event(Sequence& sequence, pbf_reader message) {
  Event event{.track = sequence.default_track};
  while (message.next()) {
    switch (message.tag()) {
      case perfetto::event::kType:
        event.type = static_cast<std::uint64_t>(message.get_enum());
        break;
      case perfetto::event::kTrackUuid:
        event.track = message.get_uint64();
        break;
      case perfetto::event::kNameId:
        event.name = sequence.names[message.get_uint64()];
        break;
      case perfetto::event::kName:
        event.name = intern(message.get_view());
        break;
      case perfetto::event::kCategories:
        event.category = intern(message.get_view());
        break;
      case perfetto::event::kCategoryIds:
        if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
          for (const std::uint64_t id : message.get_packed_uint64()) event.category = sequence.categories[id];
        } else {
          event.category = sequence.categories[message.get_uint64()];
        }
        break;
      case perfetto::event::kFlowIds:
        if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
          for (const std::uint64_t id : message.get_packed_fixed64()) event.flow = id;
        } else {
          event.flow = message.get_fixed64();
        }
        break;
      case perfetto::event::kAnnotations:
        read_argument(sequence, message.get_message(), event.arguments);
        break;
      default:
        message.skip();
    }
  }
  return event;
}

void PerfettoReader::Impl::read_argument(Sequence& sequence, pbf_reader message, Arguments& arguments) {
  std::string_view name;
  std::optional<std::int64_t> number;
  std::optional<StringId> text;
  while (message.next()) {
    switch (message.tag()) {
      case perfetto::annotation::kNameId:
        name = trace_.strings[sequence.argument_names[message.get_uint64()]];
        break;
      case perfetto::annotation::kName:
        name = view(message.get_view());
        break;
      case perfetto::annotation::kBool:
        number = message.get_bool();
        break;
      case perfetto::annotation::kUint:
        number = static_cast<std::int64_t>(message.get_uint64());
        break;
      case perfetto::annotation::kInt:
        number = message.get_int64();
        break;
      case perfetto::annotation::kString:
        text = intern(message.get_view());
        break;
      case perfetto::annotation::kStringId:
        text = sequence.argument_texts[message.get_uint64()];
        break;
      default:
        message.skip();
    }
  }
  if (const auto key = known(kNumbers, name); number && !key.empty()) arguments.numbers[key] = *number;
  if (const auto key = known(kTexts, name); text && !key.empty()) arguments.texts[key] = *text;
}

void PerfettoReader::Impl::add_event(Event event) {
  if (event.type == perfetto::event::kBegin) {
    open_[event.track].push_back(std::move(event));
  } else if (event.type == perfetto::event::kEnd) {
    std::vector<Event>& open = open_[event.track];
    if (open.empty()) return rows_.range_problems().count(RowProblem::no_begin);
    const Event begin = std::move(open.back());
    open.pop_back();
    add_slice(begin, event.time_ns, false);
  } else if (event.type == perfetto::event::kInstant) {
    add_slice(event, event.time_ns, true);
  } else if (event.type == perfetto::event::kCounter) {
    ++counter_values_;
  }
}

void PerfettoReader::Impl::add_slice(const Event& begin, std::int64_t end_ns, bool is_mark) {
  const std::string_view category = trace_.strings[begin.category];
  if (category == "gputrace metadata" || category == "gputrace gpu") return read_own_metadata(begin);
  const KinetoCategory kind = category_of(category);
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
      return add_host_slice(begin, span, kind, is_mark);
  }
}

// By the argument, else by the name of a track above: "GPU 3".
std::int32_t PerfettoReader::Impl::device_of(const Event& begin) const {
  if (const auto device = begin.arguments.int32("device")) return *device;
  constexpr std::string_view kGpu = "GPU ";
  Uuid uuid = begin.track;
  for (int depth = 0; depth < 8; ++depth) {
    const auto track = tracks_.find(uuid);
    if (track == tracks_.end()) return -1;
    const std::string& name = track->second.name;
    std::int32_t device = -1;
    if (name.starts_with(kGpu) && std::from_chars(name.data() + kGpu.size(), name.data() + name.size(), device).ec == std::errc{}) return device;
    uuid = track->second.parent;
  }
  return -1;
}

void PerfettoReader::Impl::add_device_slice(const Event& begin, Span span, KinetoCategory category) {
  const Arguments& arguments = begin.arguments;
  const std::int64_t pid = arguments.number("process");
  const DeviceEvent event{.span = span,
                          .device = device_of(begin),
                          .context = arguments.int32("context").value_or(0),
                          .stream = arguments.int32("stream").value_or(0),
                          .correlation = arguments.number("correlation", static_cast<std::int64_t>(begin.flow)),
                          .process = pid == 0 ? ProcessIndex{-1} : threads_.process(pid)};
  const std::string name(trace_.strings[begin.name]);  // the table may grow
  const auto text = [&](std::string_view key) { return trace_.strings[arguments.text(key)]; };
  if (category == KinetoCategory::kernel) {
    rows_.add_kernel(event, name,
                     {.grid = dim3(text("grid")),
                      .block = dim3(text("block")),
                      .registers_per_thread = arguments.int32("registers per thread").value_or(0),
                      .static_shared_bytes = arguments.int32("static shared memory").value_or(0),
                      .dynamic_shared_bytes = arguments.int32("dynamic shared memory").value_or(0),
                      .graph_node = arguments.number("graph node id"),
                      .mangled = text("mangled")});
  } else if (category == KinetoCategory::copy) {
    const CopyNature nature = copy_nature(name);
    const bool has_size = arguments.numbers.contains("bytes");
    rows_.add_copy(event, {.bytes = has_size ? std::optional(arguments.number("bytes")) : std::nullopt,
                           .kind = nature.kind,
                           .source = nature.source,
                           .destination = nature.destination,
                           .source_device = arguments.int32("fromDevice"),
                           .destination_device = arguments.int32("toDevice")});
  } else if (category == KinetoCategory::fill) {
    rows_.add_fill(event, arguments.number("bytes"), fill_memory(name));
  } else if (category == KinetoCategory::synchronization) {
    rows_.add_synchronization(event, sync_kind(name));
  } else {
    rows_.add_graph_launch(event, arguments.number("graph"), 0);
  }
}

void PerfettoReader::Impl::add_host_slice(const Event& begin, Span span, KinetoCategory category, bool is_mark) {
  const Arguments& arguments = begin.arguments;
  const bool is_own = trace_.strings[begin.category] == "nvtx";
  const bool overlaps = trace_.strings[arguments.text("kind")] == "start/end";
  host_slices_.push_back({.track = begin.track,
                          .span = span,
                          .category = category,
                          .kind = is_mark ? NvtxKind::mark : overlaps ? NvtxKind::start_end : NvtxKind::push_pop,
                          .text = begin.name,
                          .domain = is_own ? arguments.text("domain") : begin.category,
                          .range_category = arguments.text("category"),
                          .correlation = arguments.number("correlation", static_cast<std::int64_t>(begin.flow)),
                          .color_argb = static_cast<std::uint32_t>(arguments.number("color"))});
}

void PerfettoReader::Impl::read_own_metadata(const Event& event) {
  const Arguments& arguments = event.arguments;
  const auto text = [&](std::string_view key) { return std::string(trace_.strings[arguments.text(key)]); };
  if (trace_.strings[event.category] == "gputrace metadata") {
    is_own_ = true;
    Metadata& metadata = trace_.metadata;
    metadata.producer = text("producer");
    metadata.simulated = arguments.number("simulated") != 0;
    metadata.machine = text("machine");
    metadata.complete = arguments.number("complete", 1) != 0;
    metadata.incomplete_why = text("incomplete_why");
    metadata.dropped_records = arguments.number("dropped_records");
    shift_ns_ = arguments.number("shift_ns");
    return;
  }
  Gpu gpu;
  gpu.device = DeviceId{arguments.int32("device").value_or(0)};
  gpu.name = text("name");
  gpu.uuid = text("uuid");
  gpu.bus_location = text("busLocation");
  gpu.sm_count = arguments.int32("numSms").value_or(0);
  gpu.compute_major = arguments.int32("computeMajor").value_or(0);
  gpu.compute_minor = arguments.int32("computeMinor").value_or(0);
  gpu.clock_hz = arguments.number("clockHz");
  gpu.memory_bandwidth_bytes_per_s = arguments.number("memoryBandwidthBytesPerSecond");
  gpu.memory_bytes = arguments.number("totalGlobalMem");
  trace_.gpus.push_back(std::move(gpu));
}

// The thread of a track or of one above it; else a thread of the track's own, in the process above it.
ThreadIndex PerfettoReader::Impl::thread_of(Uuid uuid) {
  const auto [entry, is_new] = threads_of_tracks_.try_emplace(uuid, ThreadIndex{-1});
  if (!is_new) return entry->second;
  std::string name;
  Uuid above = uuid;
  for (int depth = 0; depth < 8; ++depth) {
    const auto track = tracks_.find(above);
    if (track == tracks_.end()) break;
    if (track->second.tid) return entry->second = threads_.thread(track->second.pid.value_or(0), *track->second.tid);
    if (name.empty()) name = track->second.name;
    if (track->second.pid) {
      const auto own = static_cast<std::int64_t>(uuid | std::uint64_t{1} << 62);  // beyond every thread id
      threads_.name_thread(*track->second.pid, own, name);
      return entry->second = threads_.thread(*track->second.pid, own);
    }
    above = track->second.parent;
  }
  return entry->second;
}

void PerfettoReader::Impl::resolve_host_slices() {
  for (const HostSlice& slice : host_slices_) {
    const ThreadIndex thread = thread_of(slice.track);
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

void PerfettoReader::Impl::finish() {
  for (const auto& [track, events] : open_) {
    for (const Event& event : events) {
      rows_.range_problems().count(RowProblem::no_end);
      if (category_of(trace_.strings[event.category]) == KinetoCategory::range) add_slice(event, kNoEnd, false);
    }
  }
  resolve_host_slices();
  threads_.give_names();
  if (!is_own_) resolve_processes_by_correlation(trace_);  // gputrace's own export says whose each row is, where it is known
  rows_.finish();
  if (damaged_ > 0) trace_.diagnostics.push_back({"packets that are malformed (left out)", damaged_});
  if (counter_values_ > 0) trace_.diagnostics.push_back({"values of counters (left out: gputrace has no table for them)", counter_values_});
  if (clocks_.unknown_clock_packets() > 0) trace_.diagnostics.push_back({"packets of a clock that no snapshot tells, read as nanoseconds of the trace's own", clocks_.unknown_clock_packets()});
  if (trace_.metadata.producer.empty()) trace_.metadata.producer = "Perfetto trace";
}

PerfettoReader::PerfettoReader(Trace& trace) : impl_(std::make_unique<Impl>(trace)) {}
PerfettoReader::~PerfettoReader() = default;
void PerfettoReader::add_packet(std::string_view bytes) { impl_->add_packet(bytes); }
void PerfettoReader::count_damaged_packet() { impl_->count_damaged_packet(); }
void PerfettoReader::finish() { impl_->finish(); }

}  // namespace gputrace::trace
