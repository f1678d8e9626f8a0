#include "trace/perfetto_tracks.h"

#include <charconv>

#include "trace/perfetto_fields.h"
#include "trace/gpu_counters.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {
namespace {

using protozero::pbf_reader;

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }

// Perfetto's CounterDescriptor.Unit.
std::string unit_name(std::int32_t unit) {
  enum Unit { kTimeNs = 1, kCount = 2, kBytes = 3 };
  return unit == kTimeNs ? "ns" : unit == kCount ? "count" : unit == kBytes ? "bytes" : "";
}

PerfettoTracks::Counter read_counter(pbf_reader message) {
  PerfettoTracks::Counter counter;
  std::string unit_text;
  while (message.next()) {
    switch (message.tag()) {
      case perfetto::descriptor::kCounterCategories:
        counter.is_derived = view(message.get_view()) == kDerivedCounter;
        break;
      case perfetto::descriptor::kCounterUnit:
        counter.unit = unit_name(message.get_enum());
        break;
      case perfetto::descriptor::kCounterUnitMultiplier:
        counter.multiplier = static_cast<double>(message.get_int64());
        break;
      case perfetto::descriptor::kCounterIsIncremental:
        counter.is_incremental = message.get_bool();
        break;
      case perfetto::descriptor::kCounterUnitName:
        unit_text = view(message.get_view());
        break;
      default:
        message.skip();
    }
  }
  if (counter.multiplier == 0) counter.multiplier = 1;
  if (!unit_text.empty()) counter.unit = std::move(unit_text);
  return counter;
}

struct Owner {
  std::optional<std::int64_t> pid{}, tid{};
  std::string name{};
};

Owner read_process(pbf_reader message) {
  Owner owner;
  while (message.next()) {
    if (message.tag() == perfetto::descriptor::kProcessPid) owner.pid = message.get_int32();
    else if (message.tag() == perfetto::descriptor::kProcessName) owner.name = view(message.get_view());
    else message.skip();
  }
  return owner;
}

Owner read_thread(pbf_reader message) {
  Owner owner;
  while (message.next()) {
    if (message.tag() == perfetto::descriptor::kThreadPid) owner.pid = message.get_int32();
    else if (message.tag() == perfetto::descriptor::kThreadTid) owner.tid = message.get_int32();
    else if (message.tag() == perfetto::descriptor::kThreadName) owner.name = view(message.get_view());
    else message.skip();
  }
  return owner;
}

constexpr int kDeepest = 8;

}  // namespace

void PerfettoTracks::add_descriptor(std::string_view bytes) {
  Track track;
  Uuid uuid = 0;
  Owner process, thread;
  for (pbf_reader descriptor(bytes.data(), bytes.size()); descriptor.next();) {
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
        process = read_process(descriptor.get_message());
        break;
      case perfetto::descriptor::kThread:
        thread = read_thread(descriptor.get_message());
        break;
      case perfetto::descriptor::kCounter:
        track.counter = read_counter(descriptor.get_message());
        break;
      default:
        descriptor.skip();
    }
  }
  track.pid = thread.pid ? thread.pid : process.pid;
  track.tid = thread.tid;
  if (track.pid && !process.name.empty()) threads_.name_process(*track.pid, process.name);
  if (track.pid && track.tid && !thread.name.empty()) threads_.name_thread(*track.pid, *track.tid, thread.name);
  tracks_[uuid] = std::move(track);
}

template <class Visit>
void PerfettoTracks::climb(Uuid uuid, Visit visit) const {
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto track = tracks_.find(uuid);
    if (track == tracks_.end() || !visit(track->second)) return;
    uuid = track->second.parent;
  }
}

std::optional<std::int32_t> PerfettoTracks::device(Uuid uuid) const {
  static constexpr std::string_view kGpu = "GPU ";
  std::optional<std::int32_t> device;
  climb(uuid, [&device](const Track& track) {
    std::int32_t number = -1;
    const std::string& name = track.name;
    if (name.starts_with(kGpu) && std::from_chars(name.data() + kGpu.size(), name.data() + name.size(), number).ec == std::errc{}) device = number;
    return !device;
  });
  return device;
}

ThreadIndex PerfettoTracks::thread(Uuid uuid) {
  const auto added = threads_of_tracks_.try_emplace(uuid, ThreadIndex{-1});
  ThreadIndex& found = added.first->second;
  if (!added.second) return found;
  std::string name;
  climb(uuid, [&](const Track& track) {
    if (track.tid) return found = threads_.thread(track.pid.value_or(0), *track.tid), false;
    if (name.empty()) name = track.name;
    if (!track.pid) return true;
    const auto own = static_cast<std::int64_t>(uuid | std::uint64_t{1} << 62);  // beyond every thread id
    threads_.name_thread(*track.pid, own, name);
    return found = threads_.thread(*track.pid, own), false;
  });
  return found;
}

ProcessIndex PerfettoTracks::process(Uuid uuid) {
  ProcessIndex process{-1};
  climb(uuid, [&](const Track& track) {
    if (track.pid) process = threads_.process(*track.pid);
    return !track.pid;
  });
  return process;
}

PerfettoTracks::Counter PerfettoTracks::counter(Uuid uuid) const {
  const auto track = tracks_.find(uuid);
  if (track == tracks_.end()) return {};
  Counter counter = track->second.counter;
  counter.name = track->second.name;
  return counter;
}

}  // namespace gputrace::trace
