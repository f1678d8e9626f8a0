// Packets of a Perfetto trace, decoded: events with their times, names and arguments in the open, whatever packet first told them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "trace/by_number.h"
#include "trace/perfetto_arguments.h"
#include "trace/perfetto_clocks.h"
#include "trace/perfetto_tracks.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct PerfettoEvent {
  std::int64_t time_ns = 0;
  std::uint64_t type = 0, flow = 0;  // perfetto::event::kBegin, ...; flow 0: none
  PerfettoTracks::Uuid track = 0;
  StringId name{}, category{};
  double counter_value = 0;
  perfetto::Arguments arguments{};
};

class PerfettoDecoder {
 public:
  PerfettoDecoder(StringTable& strings, PerfettoTracks& tracks) : strings_(strings), tracks_(tracks) {}

  // The event of a packet that has one. Throws protozero::exception where the packet is malformed.
  std::optional<PerfettoEvent> decode(std::string_view packet);
  // Subtracted from all times that follow.
  void shift_by(std::int64_t shift_ns) { shift_ns_ = shift_ns; }
  std::int64_t unknown_clock_packets() const { return clocks_.unknown_clock_packets(); }

 private:
  struct Sequence {  // what a writer's packets refer to
    ByNumber<StringId> names, categories, argument_texts;
    ByNumber<perfetto::ArgumentKey> argument_names;
    PerfettoTracks::Uuid default_track = 0;
    std::uint64_t default_clock = 0;
  };

  Sequence& sequence(std::uint64_t id, bool is_cleared);
  static void read_defaults(Sequence& sequence, std::string_view bytes);
  void read_interned(Sequence& sequence, std::string_view bytes);
  PerfettoEvent read_event(const Sequence& sequence, std::string_view bytes);
  template <class Message>
  void read_argument(const Sequence& sequence, Message message, perfetto::Arguments& arguments);

  StringTable& strings_;
  PerfettoTracks& tracks_;
  PerfettoClocks clocks_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  std::uint64_t last_id_ = 0;  // packets of a writer come in long runs
  Sequence* last_ = nullptr;
  std::int64_t shift_ns_ = 0;
};

}  // namespace gputrace::trace
