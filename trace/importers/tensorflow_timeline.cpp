// TensorFlow's timeline (timeline.Timeline(run_metadata.step_stats).generate_chrome_trace_format()): one "process" per device
// track, named
//   /job:localhost/replica:0/task:0/device:CPU:0 Compute     ops, as the executor's threads ran or launched them
//   /device:GPU:0/stream:all Compute                         every kernel and copy of GPU 0
//   /device:GPU:0/stream:13 Compute                          those of one stream, again
//   /device:GPU:0/memcpy Compute                             its copies, again
// and, before TensorFlow 1.4, /gpu:0 and /cpu:0 in place of /device:GPU:0 and /device:CPU:0.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace/chrome_json_file.h"
#include "trace/importer.h"
#include "trace/json_reader.h"
#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/op_placements.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

constexpr std::string_view kCompute = " Compute", kTensors = " Tensors";

bool is_tensorflow_timeline(const SniffedFile& file) {
  const auto has = [&file](std::string_view text) { return file.head.find(text) != std::string::npos; };
  if (!is_chrome_trace(file) || !has(" Compute\"")) return false;
  return has("/job:") || has("/device:") || has("\"/gpu:") || has("\"/cpu:");
}

struct Track {
  enum class Kind { ops, stream, all_streams, copies, not_read } kind = Kind::ops;
  std::string device{};  // "/job:localhost/replica:0/task:0/device:GPU:0"
  std::string task{};    // what stands before the device: "/job:localhost/replica:0/task:0"
  std::int32_t gpu = -1, stream = 0;
};

std::int32_t number_after(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return -1;
  std::int32_t number = -1;
  std::from_chars(text.data() + at + marker.size(), text.data() + text.size(), number);
  return number;
}

Track track_named(std::string_view name) {
  Track track;
  if (name.ends_with(kTensors)) return track.kind = Track::Kind::not_read, track;
  if (name.ends_with(kCompute)) name.remove_suffix(kCompute.size());
  const std::size_t stream = name.find("/stream:"), copies = name.find("/memcpy");
  track.device = name.substr(0, std::min({stream, copies, name.size()}));
  track.gpu = std::max(number_after(name, "GPU:"), number_after(name, "gpu:"));
  const std::size_t device_at = std::min({track.device.find("/device:"), track.device.find("/gpu:"), track.device.find("/cpu:"), track.device.size()});
  track.task = track.device.substr(0, device_at);
  if (stream != std::string_view::npos) {
    track.stream = number_after(name, "/stream:");
    track.kind = track.stream < 0 ? Track::Kind::all_streams : Track::Kind::stream;
  } else if (copies != std::string_view::npos) {
    track.kind = Track::Kind::copies;
  }
  return track;
}

struct GpuEvent {
  Span span;
  std::int32_t device = 0, stream = 0;
  StringId name;  // of the op, as a kernel's name; "MEMCPYHtoD" for a copy
  auto key() const { return std::tuple(device, span.start_ns, span.end_ns, name.value); }
};

class TimelineReader {
 public:
  explicit TimelineReader(Trace& trace) : trace_(trace) {}

  void add_event(std::string_view object) {
    const KinetoEvent event = decode_event(object);
    const std::int64_t pid = json_integer(event.pid).value_or(-1);
    if (event.phase == 'M') return keep_track(event, pid);
    if (event.phase != 'X') return;  // tensors, their flows and counters
    const Track& track = tracks_[pid];
    if (track.kind == Track::Kind::not_read) return;
    const auto span = span_of(event, track.kind == Track::Kind::ops ? rows_.range_problems() : rows_.kernel_problems());
    if (!span) return;
    if (track.kind == Track::Kind::ops) return add_op(event, track, pid, *span);
    held_[track.kind].push_back({*span, device_of(track), std::max(0, track.stream), trace_.strings.intern(gpu_name(event))});
  }

  void finish() {
    add_gpu_events();
    threads_.give_names();
    for (const auto& [task, process] : task_processes_) give_task_name(task, process);
    rows_.finish();
    trace_.metadata.producer = "TensorFlow timeline";
  }

 private:
  static std::optional<Span> span_of(const KinetoEvent& event, RowProblems& problems) {
    if (!event.start_ns || !event.duration_ns) return problems.count(RowProblem::no_time), std::nullopt;
    Span span{*event.start_ns, 0};
    if (__builtin_add_overflow(span.start_ns, *event.duration_ns, &span.end_ns))
      return problems.count(RowProblem::time_out_of_range), std::nullopt;
    return span;
  }

  void keep_track(const KinetoEvent& event, std::int64_t pid) {
    if (json_text(event.name) != "process_name") return;
    for (JsonFields fields(event.args); fields.next();) {
      if (fields.key() == "name") tracks_[pid] = track_named(json_text(fields.value()));
    }
  }

  // "GPU 0" of two tasks is two GPUs: the second gets the next free number.
  std::int32_t device_of(const Track& track) {
    const std::pair<std::string, std::int32_t> key(track.task, track.gpu);
    if (const auto known = devices_.find(key); known != devices_.end()) return known->second;
    std::int32_t device = track.gpu;
    while (std::any_of(devices_.begin(), devices_.end(), [device](const auto& other) { return other.second == device; })) ++device;
    devices_.emplace(key, device);
    return device;
  }

  std::int64_t process_of(const std::string& task) {
    return task_processes_.try_emplace(task, static_cast<std::int64_t>(task_processes_.size()) + 1).first->second;
  }

  void give_task_name(const std::string& task, std::int64_t number) {
    for (Process& process : trace_.processes) {
      if (process.pid == number) process.name = task.empty() ? "TensorFlow" : task;
    }
  }

  struct OpArgs {
    std::string name{}, type{}, inputs{};
  };
  static OpArgs op_args(std::string_view args) {
    OpArgs op;
    for (JsonFields fields(args); fields.next();) {
      if (fields.key() == "name") op.name = json_text(fields.value());
      if (fields.key() == "op") op.type = json_text(fields.value());
      if (fields.key().starts_with("input")) op.inputs += (op.inputs.empty() ? "" : ", ") + json_text(fields.value());
    }
    return op;
  }

  // In the form in which the analyzer reads ops of any framework from ranges.
  void add_op(const KinetoEvent& event, const Track& track, std::int64_t pid, Span span) {
    const OpArgs op = op_args(event.args);
    std::string text = op.type.empty() ? json_text(event.name) : op.type;
    if (!op.name.empty()) text += ", name = " + op.name;
    if (!track.device.empty()) text += ", device = " + track.device;
    if (!op.inputs.empty()) text += ", inputs = [" + op.inputs + "]";
    const std::int64_t process = process_of(track.task), tid = pid * kThreadsPerTrack + json_integer(event.tid).value_or(0);
    threads_.name_thread(process, tid, track.device);
    rows_.add_range({.span = span, .thread = threads_.thread(process, tid), .domain = trace_.strings.intern("TensorFlow op"), .text = trace_.strings.intern(text)});
    placements_.add({.op_name = op.name, .op_type = op.type, .requested_device = {}, .device = track.device});
  }

  // Events of a GPU are named by their op; its type is missing where the tracer did not know it.
  static std::string gpu_name(const KinetoEvent& event) {
    const OpArgs op = op_args(event.args);
    const std::size_t copy = op.name.find("MEMCPY"), fill = op.name.find("MEMSET");
    if (const std::size_t at = std::min(copy, fill); at != std::string::npos) return op.name.substr(at);
    const std::string type = op.type.empty() ? json_text(event.name) : op.type;
    if (!type.empty() && type != "unknown") return type;
    return op.name.empty() ? "unknown" : op.name.substr(op.name.rfind('/') + 1);
  }

  // The streams of their own first; of what `stream:all` and `memcpy` show, only that which no stream has shown.
  void add_gpu_events() {
    std::map<decltype(GpuEvent{}.key()), std::int64_t> shown;
    for (const auto kind : {Track::Kind::stream, Track::Kind::all_streams, Track::Kind::copies}) {
      auto left = shown;
      for (const GpuEvent& event : held_[kind]) {
        if (const auto same = left.find(event.key()); same != left.end() && same->second > 0) {
          --same->second;
          continue;
        }
        ++shown[event.key()];
        add_gpu_event(event);
      }
    }
  }

  void add_gpu_event(const GpuEvent& event) {
    const std::string_view name = trace_.strings[event.name];
    const ProcessIndex process = trace_.processes.size() == 1 ? ProcessIndex{0} : ProcessIndex{-1};
    const DeviceEvent device{.span = event.span, .device = event.device, .stream = event.stream, .process = process};
    if (name.starts_with("MEMCPY")) {
      rows_.add_copy(device, {.kind = copy_nature("Memcpy " + std::string(name.substr(6, 4))).kind});
    } else if (name.starts_with("MEMSET")) {
      rows_.add_fill(device, 0, MemoryKind::unknown);
    } else {
      rows_.add_kernel(device, std::string(name));
    }
  }

  static constexpr std::int64_t kThreadsPerTrack = 1000;  // "threads" are lanes that the timeline numbers from 0

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  OpPlacements placements_{trace_};
  std::unordered_map<std::int64_t, Track> tracks_;
  std::map<std::string, std::int64_t> task_processes_;
  std::map<std::pair<std::string, std::int32_t>, std::int32_t> devices_;
  std::map<Track::Kind, std::vector<GpuEvent>> held_;
};

Result<Trace> read_tensorflow_timeline(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  TimelineReader reader{trace};
  const ChromeJsonVisitor visitor{.event = [&reader](std::string_view object) { reader.add_event(object); }, .metadata = {}};
  if (auto done = read_chrome_json(file, options, trace, visitor); !done) return tl::unexpected(std::move(done.error()));
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer tensorflow_timeline;
constinit const Importer tensorflow_timeline{"TensorFlow timeline", is_tensorflow_timeline, read_tensorflow_timeline};

}  // namespace gputrace::trace
