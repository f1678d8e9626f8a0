#include "trace/perfetto_packets.h"

#include <protozero/pbf_writer.hpp>

#include "trace/perfetto_fields.h"

namespace gputrace::trace {
namespace {

using protozero::pbf_writer;
constexpr std::uint32_t kSequenceId = 1;

// Track times are unsigned; a trace whose axis begins before 0 would wrap.
std::uint64_t stamp(std::int64_t time_ns) { return static_cast<std::uint64_t>(time_ns); }

}  // namespace

std::uint64_t PerfettoPackets::Names::number(std::string_view text, std::string& interned) {
  key_.assign(text);
  const auto [entry, is_new] = numbers_.try_emplace(key_, numbers_.size() + 1);
  if (is_new) {
    pbf_writer data(interned);
    pbf_writer item(data, field_);
    item.add_uint64(perfetto::interned::kId, entry->second);
    item.add_string(perfetto::interned::kText, key_);
  }
  return entry->second;
}

void PerfettoPackets::write_packet(std::string& packet) {
  pbf_writer writer(packet);
  writer.add_uint32(perfetto::packet::kSequence, kSequenceId);
  writer.add_uint32(perfetto::packet::kSequenceFlags, is_first_ ? perfetto::packet::kStateCleared : perfetto::packet::kNeedsState);
  is_first_ = false;
  pbf_writer(out_).add_message(perfetto::trace::kPacket, packet);
  packet.clear();
  constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
  if (out_.size() > kFlushBytes) flush();
}

void PerfettoPackets::flush() {
  sink_.append(out_);
  out_.clear();
}

void PerfettoPackets::write_descriptor(const std::string& descriptor) {
  pbf_writer(packet_).add_message(perfetto::packet::kTrackDescriptor, descriptor);
  write_packet(packet_);
}

PerfettoPackets::Uuid PerfettoPackets::process_track(std::int64_t pid, std::string_view name) {
  std::string descriptor;
  pbf_writer writer(descriptor);
  writer.add_uint64(perfetto::descriptor::kUuid, next_uuid_);
  {
    pbf_writer process(writer, perfetto::descriptor::kProcess);
    process.add_int32(perfetto::descriptor::kProcessPid, static_cast<std::int32_t>(pid));
    process.add_string(perfetto::descriptor::kProcessName, name.data(), name.size());
  }
  write_descriptor(descriptor);
  return next_uuid_++;
}

PerfettoPackets::Uuid PerfettoPackets::thread_track(std::int64_t pid, std::int64_t tid, std::string_view name) {
  std::string descriptor;
  pbf_writer writer(descriptor);
  writer.add_uint64(perfetto::descriptor::kUuid, next_uuid_);
  {
    pbf_writer thread(writer, perfetto::descriptor::kThread);
    thread.add_int32(perfetto::descriptor::kThreadPid, static_cast<std::int32_t>(pid));
    thread.add_int32(perfetto::descriptor::kThreadTid, static_cast<std::int32_t>(tid));
    thread.add_string(perfetto::descriptor::kThreadName, name.data(), name.size());
  }
  write_descriptor(descriptor);
  return next_uuid_++;
}

PerfettoPackets::Uuid PerfettoPackets::track(Uuid parent, std::string_view name) {
  std::string descriptor;
  pbf_writer writer(descriptor);
  writer.add_uint64(perfetto::descriptor::kUuid, next_uuid_);
  if (parent != 0) writer.add_uint64(perfetto::descriptor::kParent, parent);
  writer.add_string(perfetto::descriptor::kName, name.data(), name.size());
  write_descriptor(descriptor);
  return next_uuid_++;
}

PerfettoPackets::Uuid PerfettoPackets::counter_track(Uuid parent, std::string_view name, std::string_view unit, std::string_view category) {
  std::string descriptor;
  pbf_writer writer(descriptor);
  writer.add_uint64(perfetto::descriptor::kUuid, next_uuid_);
  if (parent != 0) writer.add_uint64(perfetto::descriptor::kParent, parent);
  writer.add_string(perfetto::descriptor::kName, name.data(), name.size());
  {
    pbf_writer counter(writer, perfetto::descriptor::kCounter);
    counter.add_string(perfetto::descriptor::kCounterCategories, category.data(), category.size());
    counter.add_string(perfetto::descriptor::kCounterUnitName, unit.data(), unit.size());
  }
  write_descriptor(descriptor);
  return next_uuid_++;
}

void PerfettoPackets::add_arguments(std::string& event, Arguments arguments) {
  for (const auto& [name, value] : arguments) {
    annotation_.clear();
    pbf_writer annotation(annotation_);
    annotation.add_uint64(perfetto::annotation::kNameId, argument_names_.number(name, interned_));
    if (const auto* text = std::get_if<std::string_view>(&value))
      annotation.add_string(perfetto::annotation::kString, text->data(), text->size());
    else
      annotation.add_int64(perfetto::annotation::kInt, std::get<std::int64_t>(value));
    pbf_writer(event).add_message(perfetto::event::kAnnotations, annotation_);
  }
}

void PerfettoPackets::write_event(std::uint64_t type, Uuid track, std::int64_t time_ns, std::string_view category, std::string_view name, std::uint64_t flow,
                                  Arguments arguments) {
  event_.clear();
  interned_.clear();
  pbf_writer event(event_);
  event.add_uint64(perfetto::event::kType, type);
  event.add_uint64(perfetto::event::kTrackUuid, track);
  if (type != perfetto::event::kEnd) {
    event.add_uint64(perfetto::event::kCategoryIds, categories_.number(category, interned_));
    event.add_uint64(perfetto::event::kNameId, names_.number(name, interned_));
    if (flow != 0) event.add_fixed64(perfetto::event::kFlowIds, flow);
    add_arguments(event_, arguments);
  }
  pbf_writer packet(packet_);
  packet.add_uint64(perfetto::packet::kTimestamp, stamp(time_ns));
  if (!interned_.empty()) packet.add_message(perfetto::packet::kInternedData, interned_);
  packet.add_message(perfetto::packet::kTrackEvent, event_);
  write_packet(packet_);
}

void PerfettoPackets::begin(Uuid track, std::int64_t time_ns, std::string_view category, std::string_view name, std::uint64_t flow, Arguments arguments) {
  write_event(perfetto::event::kBegin, track, time_ns, category, name, flow, arguments);
}
void PerfettoPackets::end(Uuid track, std::int64_t time_ns) { write_event(perfetto::event::kEnd, track, time_ns, {}, {}, 0, {}); }
void PerfettoPackets::instant(Uuid track, std::int64_t time_ns, std::string_view category, std::string_view name, Arguments arguments) {
  write_event(perfetto::event::kInstant, track, time_ns, category, name, 0, arguments);
}

void PerfettoPackets::counter(Uuid track, std::int64_t time_ns, double value) {
  event_.clear();
  pbf_writer event(event_);
  event.add_uint64(perfetto::event::kType, perfetto::event::kCounter);
  event.add_uint64(perfetto::event::kTrackUuid, track);
  event.add_double(perfetto::event::kDoubleCounterValue, value);
  pbf_writer packet(packet_);
  packet.add_uint64(perfetto::packet::kTimestamp, stamp(time_ns));
  packet.add_message(perfetto::packet::kTrackEvent, event_);
  write_packet(packet_);
}

}  // namespace gputrace::trace
