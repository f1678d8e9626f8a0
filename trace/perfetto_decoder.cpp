#include "trace/perfetto_decoder.h"

#include "trace/perfetto_fields.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {
namespace {

using protozero::pbf_reader;

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }
pbf_reader reader(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// The parts of a packet that are read.
struct Packet {
  std::optional<std::string_view> event, interned, descriptor, snapshot, defaults;
  std::uint64_t time = 0, sequence = 0, flags = 0;
  std::optional<std::uint64_t> clock;
};

Packet split(std::string_view bytes) {
  Packet packet;
  for (pbf_reader message = reader(bytes); message.next();) {
    switch (message.tag()) {
      case perfetto::packet::kTimestamp:
        packet.time = message.get_uint64();
        break;
      case perfetto::packet::kSequence:
        packet.sequence = message.get_uint32();
        break;
      case perfetto::packet::kSequenceFlags:
        packet.flags = message.get_uint32();
        break;
      case perfetto::packet::kClock:
        packet.clock = message.get_uint32();
        break;
      case perfetto::packet::kTrackEvent:
        packet.event = view(message.get_view());
        break;
      case perfetto::packet::kInternedData:
        packet.interned = view(message.get_view());
        break;
      case perfetto::packet::kTrackDescriptor:
        packet.descriptor = view(message.get_view());
        break;
      case perfetto::packet::kClockSnapshot:
        packet.snapshot = view(message.get_view());
        break;
      case perfetto::packet::kDefaults:
        packet.defaults = view(message.get_view());
        break;
      default:
        message.skip();
    }
  }
  return packet;
}

// Of a field that may be repeated, packed or not: the last value. Zero where there is none.
std::uint64_t last_varint(pbf_reader& message) {
  if (message.wire_type() != protozero::pbf_wire_type::length_delimited) return message.get_uint64();
  std::uint64_t last = 0;
  for (const std::uint64_t value : message.get_packed_uint64()) last = value;
  return last;
}
std::uint64_t last_fixed64(pbf_reader& message) {
  if (message.wire_type() != protozero::pbf_wire_type::length_delimited) return message.get_fixed64();
  std::uint64_t last = 0;
  for (const std::uint64_t value : message.get_packed_fixed64()) last = value;
  return last;
}

}  // namespace

std::optional<PerfettoEvent> PerfettoDecoder::decode(std::string_view bytes) {
  const Packet packet = split(bytes);
  Sequence& own = sequence(packet.sequence, (packet.flags & perfetto::packet::kStateCleared) != 0);
  if (packet.defaults) read_defaults(own, *packet.defaults);
  if (packet.snapshot) clocks_.add_snapshot(packet.sequence, *packet.snapshot);
  if (packet.interned) read_interned(own, *packet.interned);
  if (packet.descriptor) tracks_.add_descriptor(*packet.descriptor);
  if (!packet.event) return std::nullopt;
  PerfettoEvent event = read_event(own, *packet.event);
  const std::int64_t time_ns = clocks_.to_default(packet.sequence, packet.clock.value_or(own.default_clock), packet.time);
  // A time far off may wrap; it is then out of range, and counted there.
  event.time_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) - static_cast<std::uint64_t>(shift_ns_));
  return event;
}

PerfettoDecoder::Sequence& PerfettoDecoder::sequence(std::uint64_t id, bool is_cleared) {
  if (last_ == nullptr || id != last_id_) last_ = &sequences_[id], last_id_ = id;
  if (is_cleared) *last_ = {};
  return *last_;
}

void PerfettoDecoder::read_defaults(Sequence& sequence, std::string_view bytes) {
  for (pbf_reader defaults = reader(bytes); defaults.next();) {
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

void PerfettoDecoder::read_interned(Sequence& sequence, std::string_view bytes) {
  for (pbf_reader data = reader(bytes); data.next();) {
    const auto tag = data.tag();
    if (tag != perfetto::interned::kEventNames && tag != perfetto::interned::kCategories && tag != perfetto::interned::kAnnotationNames &&
        tag != perfetto::interned::kAnnotationStrings) {
      data.skip();
      continue;
    }
    std::uint64_t number = 0;
    std::string_view text;
    for (pbf_reader item = data.get_message(); item.next();) {
      if (item.tag() == perfetto::interned::kId) number = item.get_uint64();
      else if (item.tag() == perfetto::interned::kText) text = view(item.get_view());
      else item.skip();
    }
    if (tag == perfetto::interned::kAnnotationNames) {
      sequence.argument_names.set(number, perfetto::argument_key(text));
      continue;
    }
    auto& table = tag == perfetto::interned::kEventNames ? sequence.names : tag == perfetto::interned::kCategories ? sequence.categories : sequence.argument_texts;
    table.set(number, strings_.intern(text));
  }
}

PerfettoEvent PerfettoDecoder::read_event(const Sequence& sequence, std::string_view bytes) {
  PerfettoEvent event{.track = sequence.default_track};
  for (pbf_reader message = reader(bytes); message.next();) {
    switch (message.tag()) {
      case perfetto::event::kType:
        event.type = static_cast<std::uint64_t>(message.get_enum());
        break;
      case perfetto::event::kTrackUuid:
        event.track = message.get_uint64();
        break;
      case perfetto::event::kNameId:
        event.name = sequence.names.value(message.get_uint64());
        break;
      case perfetto::event::kName:
        event.name = strings_.intern(view(message.get_view()));
        break;
      case perfetto::event::kCategories:
        event.category = strings_.intern(view(message.get_view()));
        break;
      case perfetto::event::kCategoryIds:
        event.category = sequence.categories.value(last_varint(message));
        break;
      case perfetto::event::kFlowIds:
        event.flow = last_fixed64(message);
        break;
      case perfetto::event::kCounterValue:
        event.counter_value = static_cast<double>(message.get_int64());
        break;
      case perfetto::event::kDoubleCounterValue:
        event.counter_value = message.get_double();
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

template <class Message>
void PerfettoDecoder::read_argument(const Sequence& sequence, Message message, perfetto::Arguments& arguments) {
  perfetto::ArgumentKey key;
  std::optional<std::int64_t> number;
  std::optional<std::string_view> text;
  std::uint64_t text_number = 0;
  while (message.next()) {
    switch (message.tag()) {
      case perfetto::annotation::kNameId:
        key = sequence.argument_names.value(message.get_uint64());
        break;
      case perfetto::annotation::kName:
        key = perfetto::argument_key(view(message.get_view()));
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
        text = view(message.get_view());
        break;
      case perfetto::annotation::kStringId:
        text_number = message.get_uint64();
        break;
      default:
        message.skip();
    }
  }
  if (number) arguments.set(key, *number);
  if (key.text == perfetto::Text::count) return;  // texts that nothing reads are not kept
  if (text) arguments.set(key, strings_.intern(*text));
  if (text_number != 0) arguments.set(key, sequence.argument_texts.value(text_number));
}

}  // namespace gputrace::trace
