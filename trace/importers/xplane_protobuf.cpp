// TensorFlow's and JAX's profile (XSpace, *.xplane.pb): planes, one for the host and one per GPU, with lines (threads, streams) of
// events. Times of an event are picoseconds from its line's start. Lines of a GPU plane that derive from its streams ("TensorFlow
// Ops", "Steps") tell the same time again and are not read. Formula and field numbers: tsl/profiler/protobuf/xplane.proto.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trace/by_number.h"
#include "trace/importer.h"
#include "trace/kernel_names.h"
#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/protobuf_file.h"
#include "trace/protobuf_head.h"
#include "trace/timeline_rows.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {
namespace {

using protozero::pbf_reader;

namespace space {
constexpr std::uint32_t kPlanes = 1;
}
namespace plane {
constexpr std::uint32_t kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6;
}
namespace line {
constexpr std::uint32_t kId = 1, kName = 2, kStartNs = 3, kEvents = 4, kDisplayName = 11;
}
namespace event {
constexpr std::uint32_t kMetadata = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4;
}
namespace stat {
constexpr std::uint32_t kMetadata = 1, kUnsigned = 3, kSigned = 4, kText = 5, kReference = 7;
}
namespace metadata {  // of events and of statistics, and the map entries that hold them
constexpr std::uint32_t kKey = 1, kValue = 2, kName = 2;
}

constexpr std::string_view kGpuPlane = "/device:GPU:", kHostPlane = "/host:CPU";
constexpr std::int64_t kPsPerNs = 1000, kHostProcess = 1;

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }

bool is_plane(std::string_view message) {
  for (pbf_reader reader(message.data(), message.size()); reader.next();) {
    if (reader.tag() == plane::kName && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
      const std::string_view name = view(reader.get_view());
      return name.starts_with("/host:") || name.starts_with("/device:") || name == "Task Environment" || name.starts_with("#Chip");
    }
    reader.skip();
  }
  return false;
}

bool is_xplane(const SniffedFile& file) { return head_has_message(file.head, is_plane); }

// The statistics of events and GPUs that are read.
enum class Key : std::uint8_t {
  correlation, context, kernel, copy, fill, clock_rate, core_count, memory_size, memory_bandwidth, compute_major, compute_minor, device_type, count
};
constexpr std::pair<std::string_view, Key> kKeys[] = {{"correlation_id", Key::correlation},      {"context_id", Key::context},
                                                      {"kernel_details", Key::kernel},           {"memcpy_details", Key::copy},
                                                      {"memset_details", Key::fill},             {"clock_rate", Key::clock_rate},
                                                      {"core_count", Key::core_count},           {"memory_size", Key::memory_size},
                                                      {"memory_bandwidth", Key::memory_bandwidth}, {"compute_cap_major", Key::compute_major},
                                                      {"compute_cap_minor", Key::compute_minor}, {"device_type_string", Key::device_type}};

Key key_named(std::string_view name) {
  for (const auto& [text, key] : kKeys) {
    if (text == name) return key;
  }
  return Key::count;
}

class Stats {
 public:
  void set(Key key, std::int64_t number, std::string_view text) {
    if (key == Key::count || has(key)) return;
    numbers_[index(key)] = number;
    texts_[index(key)] = text;
    has_ |= 1U << index(key);
  }
  void clear() { has_ = 0; }
  bool has(Key key) const { return (has_ >> index(key) & 1U) != 0; }
  std::int64_t number(Key key) const { return has(key) ? numbers_[index(key)] : 0; }
  std::string_view text(Key key) const { return has(key) ? texts_[index(key)] : std::string_view(); }

 private:
  static std::size_t index(Key key) { return static_cast<std::size_t>(key); }
  std::array<std::int64_t, static_cast<std::size_t>(Key::count)> numbers_{};
  std::array<std::string_view, static_cast<std::size_t>(Key::count)> texts_{};
  std::uint32_t has_ = 0;
};

struct EventName {
  std::string_view text{};
  StringId id{}, full{}, mangled{};  // as it stands; demangled, and mangled where that is another
};
struct StatName {
  std::string_view text{};
  Key key = Key::count;
};
struct Names {  // of a plane, whose bytes they are views of
  ByNumber<EventName> events{};
  ByNumber<StatName> stats{};
};

std::pair<std::uint64_t, std::string_view> read_metadata(pbf_reader entry) {
  std::pair<std::uint64_t, std::string_view> named{0, {}};
  while (entry.next()) {
    if (entry.tag() == metadata::kKey) {
      named.first = static_cast<std::uint64_t>(entry.get_int64());
    } else if (entry.tag() == metadata::kValue) {
      for (pbf_reader value = entry.get_message(); value.next();) {
        if (value.tag() == metadata::kName) named.second = view(value.get_view());
        else value.skip();
      }
    } else {
      entry.skip();
    }
  }
  return named;
}

std::int64_t number_after(std::string_view text, std::string_view key, std::int64_t otherwise) {
  const std::size_t at = text.find(key);
  std::int64_t number = otherwise;
  if (at != std::string_view::npos) std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  return number;
}

// "grid:160,1,1 block:1024,1,1".
Dim3 dim3_after(std::string_view text, std::string_view key) {
  Dim3 dim;
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return dim;
  const char* next = text.data() + at + key.size();
  for (std::int32_t* size : {&dim.x, &dim.y, &dim.z}) {
    next = std::from_chars(next, text.data() + text.size(), *size).ptr;
    if (next < text.data() + text.size() && *next == ',') ++next;
  }
  return dim;
}

std::int32_t clamped(std::int64_t value) { return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, INT32_MAX)); }

class XPlaneReader {
 public:
  explicit XPlaneReader(Trace& trace) : trace_(trace) {}

  void add_plane(std::string_view bytes) {
    std::string name;
    Names names;
    for (pbf_reader reader(bytes.data(), bytes.size()); reader.next();) {
      if (reader.tag() == plane::kName) name = view(reader.get_view());
      else if (reader.tag() == plane::kEventMetadata) add_event_name(names, read_metadata(reader.get_message()));
      else if (reader.tag() == plane::kStatMetadata) add_stat_name(names, read_metadata(reader.get_message()));
      else reader.skip();
    }
    if (name.starts_with(kGpuPlane)) return add_gpu_plane(bytes, name, names);
    if (name == kHostPlane) return read_lines(bytes, [&](pbf_reader reader) { add_host_line(reader, names); });
    other_planes_ += !name.empty();
  }

  void count_damaged() { ++damaged_; }

  void finish() {
    threads_.give_names();
    rows_.finish();
    if (damaged_ > 0) trace_.diagnostics.push_back({"planes that are malformed (read as far as they go)", damaged_});
    if (other_planes_ > 0) trace_.diagnostics.push_back({"planes of a kind that is not read (left out)", other_planes_});
    if (derived_lines_ > 0) trace_.diagnostics.push_back({"lines that repeat the time of a GPU's streams (left out)", derived_lines_});
    trace_.metadata.producer = "TensorFlow/JAX profile (XPlane)";
  }

 private:
  void add_event_name(Names& names, const std::pair<std::uint64_t, std::string_view>& named) {
    if (const EventName* known = names.events.find(named.first); known != nullptr && !known->text.empty()) return;
    const StringId id = trace_.strings.intern(named.second), full = trace_.strings.intern(demangled(std::string(named.second)));
    names.events.set(named.first, {named.second, id, full, full == id ? StringId{} : id});
  }
  static void add_stat_name(Names& names, const std::pair<std::uint64_t, std::string_view>& named) {
    if (const StatName* known = names.stats.find(named.first); known != nullptr && !known->text.empty()) return;
    names.stats.set(named.first, {named.second, key_named(named.second)});
  }

  template <class Line>
  static void read_lines(std::string_view plane, Line add_line) {
    for (pbf_reader reader(plane.data(), plane.size()); reader.next(plane::kLines);) add_line(reader.get_message());
  }

  struct Line {
    std::int64_t id = 0, start_ns = 0;
    std::string name{};
    std::vector<std::string_view> events{};
  };
  static Line read_line(pbf_reader reader) {
    Line result;
    while (reader.next()) {
      if (reader.tag() == line::kId) result.id = reader.get_int64();
      else if (reader.tag() == line::kName) result.name = view(reader.get_view());
      else if (reader.tag() == line::kDisplayName && result.name.empty()) result.name = view(reader.get_view());
      else if (reader.tag() == line::kStartNs) result.start_ns = reader.get_int64();
      else if (reader.tag() == line::kEvents) result.events.push_back(view(reader.get_view()));
      else reader.skip();
    }
    return result;
  }

  struct Event {
    EventName name{};
    Span span{};
    Stats stats{};
  };

  static void read_event(std::string_view bytes, std::int64_t line_start_ns, const Names& names, Event& result) {
    result.name = {};
    result.stats.clear();
    std::int64_t offset_ps = 0, duration_ps = 0;
    for (pbf_reader reader(bytes.data(), bytes.size()); reader.next();) {
      if (reader.tag() == event::kMetadata) result.name = names.events.value(static_cast<std::uint64_t>(reader.get_int64()));
      else if (reader.tag() == event::kOffsetPs) offset_ps = reader.get_int64();
      else if (reader.tag() == event::kDurationPs) duration_ps = reader.get_int64();
      else if (reader.tag() == event::kStats) add_stat(reader.get_message(), names, result.stats);
      else reader.skip();
    }
    // A wrapped sum shows as an end before the start, or out of range, and is counted there.
    const auto plus = [](std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); };
    result.span.start_ns = plus(line_start_ns, offset_ps / kPsPerNs);
    result.span.end_ns = plus(line_start_ns, plus(offset_ps, duration_ps) / kPsPerNs);
  }

  static void add_stat(pbf_reader reader, const Names& names, Stats& stats) {
    Key key = Key::count;
    std::int64_t number = 0;
    std::string_view text;
    while (reader.next()) {
      if (reader.tag() == stat::kMetadata) key = names.stats.value(static_cast<std::uint64_t>(reader.get_int64())).key;
      else if (reader.tag() == stat::kUnsigned) number = static_cast<std::int64_t>(reader.get_uint64());
      else if (reader.tag() == stat::kSigned) number = reader.get_int64();
      else if (reader.tag() == stat::kText) text = view(reader.get_view());
      else if (reader.tag() == stat::kReference) text = names.stats.value(reader.get_uint64()).text;
      else reader.skip();
    }
    stats.set(key, number, text);
  }

  void add_host_line(pbf_reader reader, const Names& names) {
    const Line line = read_line(reader);
    threads_.name_thread(kHostProcess, line.id, line.name);
    const ThreadIndex thread = threads_.thread(kHostProcess, line.id);
    const StringId domain = trace_.strings.intern("TensorFlow/JAX");
    for (const std::string_view bytes : line.events) {
      read_event(bytes, line.start_ns, names, event_);
      const std::string_view name = event_.name.text;
      const bool is_call = (name.starts_with("cu") || name.starts_with("hip")) && event_.stats.has(Key::correlation);
      if (is_call)
        rows_.add_call(event_.span, thread, event_.name.id, event_.stats.number(Key::correlation), name.starts_with("cuda") ? ApiClass::runtime : ApiClass::driver);
      else
        rows_.add_range({.span = event_.span, .thread = thread, .domain = domain, .text = event_.name.id,
                         .kind = event_.span.duration_ns() == 0 ? NvtxKind::mark : NvtxKind::push_pop});
    }
  }

  void add_gpu_plane(std::string_view bytes, const std::string& name, const Names& names) {
    Gpu gpu;
    gpu.device = DeviceId{clamped(number_after(name, kGpuPlane, 0))};
    add_properties(bytes, names, gpu);
    read_lines(bytes, [&](pbf_reader reader) {
      const Line line = read_line(reader);
      constexpr std::string_view kStream = "Stream #";
      if (!line.name.starts_with(kStream)) return void(++derived_lines_);
      const auto stream = clamped(number_after(line.name, kStream, 0));
      for (const std::string_view bytes : line.events) {
        read_event(bytes, line.start_ns, names, event_);
        add_gpu_event(event_, gpu.device.value, stream);
      }
    });
    trace_.gpus.push_back(std::move(gpu));
  }

  static void add_properties(std::string_view bytes, const Names& names, Gpu& gpu) {
    Stats properties;
    for (pbf_reader reader(bytes.data(), bytes.size()); reader.next(plane::kStats);) add_stat(reader.get_message(), names, properties);
    constexpr std::int64_t kHzPerKhz = 1000;
    gpu.clock_hz = kHzPerKhz * std::clamp<std::int64_t>(properties.number(Key::clock_rate), 0, 1'000'000'000);
    gpu.sm_count = clamped(properties.number(Key::core_count));
    gpu.memory_bytes = std::max<std::int64_t>(0, properties.number(Key::memory_size));
    gpu.memory_bandwidth_bytes_per_s = std::max<std::int64_t>(0, properties.number(Key::memory_bandwidth));
    gpu.compute_major = clamped(properties.number(Key::compute_major));
    gpu.compute_minor = clamped(properties.number(Key::compute_minor));
    gpu.name = properties.text(Key::device_type);
  }

  void add_gpu_event(const Event& event, std::int32_t device, std::int32_t stream) {
    const DeviceEvent row{.span = event.span,
                          .device = device,
                          .context = context_of(event.stats),
                          .stream = stream,
                          .correlation = event.stats.number(Key::correlation),
                          .process = threads_.process(kHostProcess)};
    const std::string_view name = event.name.text, kernel = event.stats.text(Key::kernel), fill = event.stats.text(Key::fill);
    if (name.starts_with("Memcpy") && kernel.empty()) return add_copy(row, name, event.stats.text(Key::copy));
    if (name.starts_with("Memset") && kernel.empty())
      return rows_.add_fill(row, number_after(fill, "num_bytes:", number_after(fill, "size:", 0)), MemoryKind::unknown);
    rows_.add_kernel(row, event.name.full,
                     {.grid = dim3_after(kernel, "grid:"),
                      .block = dim3_after(kernel, "block:"),
                      .registers_per_thread = clamped(number_after(kernel, "regs:", 0)),
                      .static_shared_bytes = clamped(number_after(kernel, "static_shared:", 0)),
                      .dynamic_shared_bytes = clamped(number_after(kernel, "dynamic_shared:", number_after(kernel, "shm:", 0)))},
                     event.name.mangled);
  }

  static CopyKind copy_kind(std::string_view name) {
    if (name == "MemcpyH2D") return CopyKind::host_to_device;
    if (name == "MemcpyD2H") return CopyKind::device_to_host;
    if (name == "MemcpyD2D") return CopyKind::device_to_device;
    return name == "MemcpyP2P" ? CopyKind::peer_to_peer : CopyKind::unknown;
  }

  static std::int32_t context_of(const Stats& stats) {
    const std::string_view text = stats.text(Key::context);  // "$$7"
    if (text.starts_with("$$")) return clamped(number_after(text, "$$", 0));
    return clamped(stats.number(Key::context));
  }

  // "MemcpyH2D" with "size:4 dest:1 async:1", later "kind_src:pinned kind_dst:device size:4 dest:1 async:1".
  void add_copy(const DeviceEvent& row, std::string_view name, std::string_view details) {
    const auto memory = [details](std::string_view key) {
      const std::size_t at = details.find(key);
      if (at == std::string_view::npos) return MemoryKind::unknown;
      const std::string_view word = details.substr(at + key.size());
      return word.starts_with("pageable") ? MemoryKind::pageable : word.starts_with("pinned") ? MemoryKind::pinned : word.starts_with("device") ? MemoryKind::device : MemoryKind::unknown;
    };
    const std::int64_t size = number_after(details, "size:", -1);
    const bool is_peer = name == "MemcpyP2P";
    const std::int32_t destination = clamped(number_after(details, "dest:", row.device));
    rows_.add_copy(row, {.bytes = size < 0 ? std::nullopt : std::optional(size),
                         .kind = copy_kind(name),
                         .source = memory("kind_src:"),
                         .destination = memory("kind_dst:"),
                         .destination_device = is_peer ? std::optional(destination) : std::nullopt});
  }

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  Event event_;  // one at a time
  std::int64_t damaged_ = 0, other_planes_ = 0, derived_lines_ = 0;
};

Result<Trace> read_xplane(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  XPlaneReader reader{trace};
  const auto done = for_each_message(
      file, options, trace, space::kPlanes, [&reader](std::string_view plane) { reader.add_plane(plane); }, [&reader] { reader.count_damaged(); });
  if (!done) return tl::unexpected(done.error());
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer xplane_protobuf;
constinit const Importer xplane_protobuf{"TensorFlow/JAX profile (XPlane)", is_xplane, read_xplane};

}  // namespace gputrace::trace
