// TensorFlow's and JAX's profile (XSpace, *.xplane.pb): planes, one for the host and one per GPU, with lines (threads, streams) of
// events. Times of an event are picoseconds from its line's start. Lines of a GPU plane that derive from its streams ("TensorFlow
// Ops", "Steps") tell the same time again and are not read. Formula and field numbers: tsl/profiler/protobuf/xplane.proto.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

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

struct Stat {
  std::int64_t number = 0;
  std::string_view text{};
};

struct Names {
  std::unordered_map<std::int64_t, std::string> events{}, stats{};
};

std::pair<std::int64_t, std::string> read_metadata(pbf_reader entry) {
  std::pair<std::int64_t, std::string> named{0, {}};
  while (entry.next()) {
    if (entry.tag() == metadata::kKey) {
      named.first = entry.get_int64();
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
      else if (reader.tag() == plane::kEventMetadata) names.events.insert(read_metadata(reader.get_message()));
      else if (reader.tag() == plane::kStatMetadata) names.stats.insert(read_metadata(reader.get_message()));
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
    std::int64_t metadata = 0;
    Span span{};
    std::unordered_map<std::string_view, Stat> stats{};
    std::int64_t number(std::string_view name) const {
      const auto found = stats.find(name);
      return found == stats.end() ? 0 : found->second.number;
    }
    std::string_view text(std::string_view name) const {
      const auto found = stats.find(name);
      return found == stats.end() ? std::string_view() : found->second.text;
    }
  };

  Event read_event(std::string_view bytes, std::int64_t line_start_ns, const Names& names) {
    Event result;
    std::int64_t offset_ps = 0, duration_ps = 0;
    for (pbf_reader reader(bytes.data(), bytes.size()); reader.next();) {
      if (reader.tag() == event::kMetadata) result.metadata = reader.get_int64();
      else if (reader.tag() == event::kOffsetPs) offset_ps = reader.get_int64();
      else if (reader.tag() == event::kDurationPs) duration_ps = reader.get_int64();
      else if (reader.tag() == event::kStats) add_stat(reader.get_message(), names, result);
      else reader.skip();
    }
    // A wrapped sum shows as an end before the start, or out of range, and is counted there.
    const auto plus = [](std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); };
    result.span.start_ns = plus(line_start_ns, offset_ps / kPsPerNs);
    result.span.end_ns = plus(line_start_ns, plus(offset_ps, duration_ps) / kPsPerNs);
    return result;
  }

  static void add_stat(pbf_reader reader, const Names& names, Event& event) {
    std::string_view name;
    Stat value;
    const auto named = [&names](std::int64_t id) {
      const auto found = names.stats.find(id);
      return found == names.stats.end() ? std::string_view() : std::string_view(found->second);
    };
    while (reader.next()) {
      if (reader.tag() == stat::kMetadata) name = named(reader.get_int64());
      else if (reader.tag() == stat::kUnsigned) value.number = static_cast<std::int64_t>(reader.get_uint64());
      else if (reader.tag() == stat::kSigned) value.number = reader.get_int64();
      else if (reader.tag() == stat::kText) value.text = view(reader.get_view());
      else if (reader.tag() == stat::kReference) value.text = named(static_cast<std::int64_t>(reader.get_uint64()));
      else reader.skip();
    }
    event.stats.emplace(name, value);
  }

  std::string_view event_name(const Names& names, std::int64_t id) const {
    const auto found = names.events.find(id);
    return found == names.events.end() ? std::string_view() : std::string_view(found->second);
  }

  void add_host_line(pbf_reader reader, const Names& names) {
    const Line line = read_line(reader);
    threads_.name_thread(kHostProcess, line.id, line.name);
    const ThreadIndex thread = threads_.thread(kHostProcess, line.id);
    for (const std::string_view bytes : line.events) {
      const Event event = read_event(bytes, line.start_ns, names);
      const std::string_view name = event_name(names, event.metadata);
      const std::int64_t correlation = event.number("correlation_id");
      const StringId id = trace_.strings.intern(name);
      const bool is_call = (name.starts_with("cu") || name.starts_with("hip")) && event.stats.contains("correlation_id");
      if (is_call)
        rows_.add_call(event.span, thread, id, correlation, name.starts_with("cuda") ? ApiClass::runtime : ApiClass::driver);
      else
        rows_.add_range({.span = event.span, .thread = thread, .domain = trace_.strings.intern("TensorFlow/JAX"), .text = id,
                         .kind = event.span.duration_ns() == 0 ? NvtxKind::mark : NvtxKind::push_pop});
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
      for (const std::string_view event : line.events) add_gpu_event(read_event(event, line.start_ns, names), names, gpu.device.value, stream);
    });
    trace_.gpus.push_back(std::move(gpu));
  }

  static void add_properties(std::string_view bytes, const Names& names, Gpu& gpu) {
    Event properties;
    for (pbf_reader reader(bytes.data(), bytes.size()); reader.next(plane::kStats);) add_stat(reader.get_message(), names, properties);
    constexpr std::int64_t kHzPerKhz = 1000;
    gpu.clock_hz = kHzPerKhz * std::clamp<std::int64_t>(properties.number("clock_rate"), 0, 1'000'000'000);
    gpu.sm_count = clamped(properties.number("core_count"));
    gpu.memory_bytes = std::max<std::int64_t>(0, properties.number("memory_size"));
    gpu.memory_bandwidth_bytes_per_s = std::max<std::int64_t>(0, properties.number("memory_bandwidth"));
    gpu.compute_major = clamped(properties.number("compute_cap_major"));
    gpu.compute_minor = clamped(properties.number("compute_cap_minor"));
    gpu.name = properties.text("device_type_string");
  }

  void add_gpu_event(const Event& event, const Names& names, std::int32_t device, std::int32_t stream) {
    const std::string name(event_name(names, event.metadata));
    const DeviceEvent row{.span = event.span,
                          .device = device,
                          .context = context_of(event),
                          .stream = stream,
                          .correlation = event.number("correlation_id"),
                          .process = threads_.process(kHostProcess)};
    const std::string_view copy = event.text("memcpy_details"), fill = event.text("memset_details"), kernel = event.text("kernel_details");
    if (name.starts_with("Memcpy") && kernel.empty()) return add_copy(row, name, copy);
    if (name.starts_with("Memset") && kernel.empty())
      return rows_.add_fill(row, number_after(fill, "num_bytes:", number_after(fill, "size:", 0)), MemoryKind::unknown);
    const std::string full = demangled(name);
    rows_.add_kernel(row, full,
                     {.grid = dim3_after(kernel, "grid:"),
                      .block = dim3_after(kernel, "block:"),
                      .registers_per_thread = clamped(number_after(kernel, "regs:", 0)),
                      .static_shared_bytes = clamped(number_after(kernel, "static_shared:", 0)),
                      .dynamic_shared_bytes = clamped(number_after(kernel, "dynamic_shared:", number_after(kernel, "shm:", 0))),
                      .mangled = full == name ? std::string_view() : std::string_view(name)});
  }

  static CopyKind copy_kind(std::string_view name) {
    if (name == "MemcpyH2D") return CopyKind::host_to_device;
    if (name == "MemcpyD2H") return CopyKind::device_to_host;
    if (name == "MemcpyD2D") return CopyKind::device_to_device;
    return name == "MemcpyP2P" ? CopyKind::peer_to_peer : CopyKind::unknown;
  }

  static std::int32_t context_of(const Event& event) {
    const std::string_view text = event.text("context_id");  // "$$7"
    if (text.starts_with("$$")) return clamped(number_after(text, "$$", 0));
    return clamped(event.number("context_id"));
  }

  // "MemcpyH2D" with "size:4 dest:1 async:1", later "kind_src:pinned kind_dst:device size:4 dest:1 async:1".
  void add_copy(const DeviceEvent& row, const std::string& name, std::string_view details) {
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
