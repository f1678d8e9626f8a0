// Perfetto's trace format: packets, each a message. Slices, tracks, flows and counters are read; what the operating system writes
// (ftrace, process statistics) is not.

#include "trace/importer.h"
#include "trace/perfetto_fields.h"
#include "trace/perfetto_reader.h"
#include "trace/protobuf_file.h"
#include "trace/protobuf_head.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {
namespace {

// Nearly every packet has a writer's sequence, a number; no other format that begins with a message of field 1 has one there.
bool is_packet(std::string_view message) {
  bool has_sequence = false, has_content = false;
  for (protozero::pbf_reader packet(message.data(), message.size()); packet.next();) {
    const auto tag = packet.tag();
    has_sequence |= tag == perfetto::packet::kSequence && packet.wire_type() == protozero::pbf_wire_type::varint;
    has_content |= tag == perfetto::packet::kTimestamp || tag == perfetto::packet::kTrackDescriptor || tag == perfetto::packet::kClockSnapshot ||
                   tag == perfetto::packet::kDefaults || tag == perfetto::packet::kTrackEvent;
    packet.skip();
  }
  return has_sequence && has_content;
}

bool is_perfetto(const SniffedFile& file) { return head_has_message(file.head, is_packet); }

Result<Trace> read_perfetto(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  PerfettoReader reader{trace};
  const auto done = for_each_message(
      file, options, trace, perfetto::trace::kPacket, [&reader](std::string_view packet) { reader.add_packet(packet); },
      [&reader] { reader.count_damaged_packet(); });
  if (!done) return tl::unexpected(done.error());
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer perfetto_protobuf;
constinit const Importer perfetto_protobuf{"Perfetto trace", is_perfetto, read_perfetto};

}  // namespace gputrace::trace
