// rocprof's JSON (results.json of --hip-trace and --hsa-trace): Chrome's trace events, where a "process" is a kind of track, told by
// its name ("2 CPU HIP API", "1 COPY", "3 GPU0", "0 Markers and Ranges"; older versions leave out the number), and the exact times
// and the process stand in the arguments:
//   {"ts": 12, "dur": 3, "ph": "X", "name": "add(float*)", "pid": 6, "tid": 0, "args": {"BeginNs": "12000", "EndNs": "15000",
//    "dev-id": "0", "queue-id": "0", "stream-id": "1", "pid": "4711", "tid": "4711"}}
// Its flows from calls to kernels are not read: kernels, copies and names are.
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "trace/chrome_json_file.h"
#include "trace/importer.h"
#include "trace/json_reader.h"
#include "trace/kernel_names.h"
#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

bool is_rocprof_json(const SniffedFile& file) {
  const auto has = [&file](std::string_view text) { return file.head.find(text) != std::string::npos; };
  return is_chrome_trace(file) && (has("CPU HIP API\"") || has("CPU HSA API\""));
}

struct Track {
  enum class Kind { gpu, copies, hip_calls, hsa_calls, ranges, not_read } kind = Kind::not_read;
  std::int32_t gpu = -1;
};

Track track_named(std::string_view name) {
  const std::size_t number = name.find_first_not_of("0123456789");
  if (number != std::string_view::npos && number > 0 && name[number] == ' ') name.remove_prefix(number + 1);
  constexpr std::string_view kGpu = "GPU";
  Track track;
  if (name == "COPY") track.kind = Track::Kind::copies;
  else if (name == "CPU HIP API") track.kind = Track::Kind::hip_calls;
  else if (name == "CPU HSA API") track.kind = Track::Kind::hsa_calls;
  else if (name == "Markers and Ranges") track.kind = Track::Kind::ranges;
  if (!name.starts_with(kGpu)) return track;
  const auto [end, error] = std::from_chars(name.data() + kGpu.size(), name.data() + name.size(), track.gpu);
  if (error == std::errc{} && end == name.data() + name.size()) track.kind = Track::Kind::gpu;  // not "GPU Barriers0"
  return track;
}

struct Args {
  std::optional<std::int64_t> begin_ns, end_ns, device, queue, stream, pid, tid;
};

Args decode(std::string_view object) {
  Args args;
  const std::pair<std::string_view, std::optional<std::int64_t>*> known[] = {{"BeginNs", &args.begin_ns}, {"EndNs", &args.end_ns},  {"dev-id", &args.device},
                                                                             {"queue-id", &args.queue},   {"stream-id", &args.stream}, {"pid", &args.pid}, {"tid", &args.tid}};
  for (JsonFields fields(object); fields.next();) {
    for (const auto& [key, value] : known) {
      if (fields.key() == key) *value = json_integer(fields.value());
    }
  }
  return args;
}

CopyKind copy_kind(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("HostToDevice")) return CopyKind::host_to_device;
  if (has("DeviceToHost")) return CopyKind::device_to_host;
  return has("DeviceToDevice") ? CopyKind::device_to_device : CopyKind::unknown;
}

class RocprofJsonReader {
 public:
  explicit RocprofJsonReader(Trace& trace) : trace_(trace) {}

  void add_event(std::string_view object) {
    const KinetoEvent event = decode_event(object);
    const std::int64_t row = json_integer(event.pid).value_or(-1);
    if (event.phase == 'M') return keep_track(event, row);
    if (event.phase != 'X') return;
    const Track& track = tracks_[row];
    const Args args = decode(event.args);
    const auto span = span_of(event, args);
    if (!span) return rows_.range_problems().count(RowProblem::no_time);
    if (track.kind == Track::Kind::gpu || track.kind == Track::Kind::copies) return add_gpu_event(event, args, track, *span);
    if (track.kind == Track::Kind::not_read) return void(++other_events_);
    const ThreadIndex thread = threads_.thread(args.pid.value_or(1), args.tid.value_or(json_integer(event.tid).value_or(1)));
    const StringId name = trace_.strings.intern(json_text(event.name));
    if (track.kind == Track::Kind::ranges) return rows_.add_range({.span = *span, .thread = thread, .domain = trace_.strings.intern("rocTX"), .text = name});
    rows_.add_call(*span, thread, name, 0, track.kind == Track::Kind::hip_calls ? ApiClass::runtime : ApiClass::driver);
  }

  void finish() {
    rows_.finish();
    if (other_events_ > 0) trace_.diagnostics.push_back({"events of rows that are not read, such as barriers (left out)", other_events_});
    trace_.metadata.producer = "rocprof";
  }

 private:
  void keep_track(const KinetoEvent& event, std::int64_t row) {
    if (json_text(event.name) != "process_name") return;
    for (JsonFields fields(event.args); fields.next();) {
      if (fields.key() == "name") tracks_[row] = track_named(json_text(fields.value()));
    }
  }

  // Microseconds are what is left where the arguments have no times.
  static std::optional<Span> span_of(const KinetoEvent& event, const Args& args) {
    if (args.begin_ns && args.end_ns) return Span{*args.begin_ns, *args.end_ns};
    Span span{event.start_ns.value_or(0), 0};
    if (!event.start_ns || !event.duration_ns || __builtin_add_overflow(span.start_ns, *event.duration_ns, &span.end_ns)) return std::nullopt;
    return span;
  }

  // A copy's row is of all GPUs: where the event does not name one, it is known only where there is one.
  std::int32_t device_of(const Args& args, const Track& track) const {
    if (track.kind == Track::Kind::gpu) return track.gpu;
    if (args.device) return *args.device >= 0 && *args.device <= INT32_MAX ? static_cast<std::int32_t>(*args.device) : -1;
    std::int32_t only = -1;
    for (const auto& [row, other] : tracks_) {
      if (other.kind != Track::Kind::gpu) continue;
      if (only >= 0) return -1;
      only = other.gpu;
    }
    return only;
  }

  void add_gpu_event(const KinetoEvent& event, const Args& args, const Track& track, Span span) {
    const std::string name = json_text(event.name);
    const std::int64_t stream = args.stream.value_or(args.queue.value_or(json_integer(event.tid).value_or(0)));
    const DeviceEvent row{.span = span,
                          .device = device_of(args, track),
                          .stream = stream >= 0 && stream <= INT32_MAX ? static_cast<std::int32_t>(stream) : 0,
                          .process = threads_.process(args.pid.value_or(1))};
    if (name.starts_with("FillBuffer")) return rows_.add_fill(row, 0, MemoryKind::unknown);
    if (track.kind == Track::Kind::copies || name.starts_with("Copy")) return rows_.add_copy(row, {.kind = copy_kind(name)});
    rows_.add_kernel(row, demangled(name.ends_with(".kd") ? name.substr(0, name.size() - 3) : name));
  }

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  std::map<std::int64_t, Track> tracks_;
  std::int64_t other_events_ = 0;
};

Result<Trace> read_rocprof_json(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  RocprofJsonReader reader{trace};
  const ChromeJsonVisitor visitor{.event = [&reader](std::string_view object) { reader.add_event(object); }, .metadata = {}};
  if (auto done = read_chrome_json(file, options, trace, visitor); !done) return tl::unexpected(std::move(done.error()));
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer rocprof_json;
constinit const Importer rocprof_json{"rocprof JSON", is_rocprof_json, read_rocprof_json};

}  // namespace gputrace::trace
