#include "trace/perfetto_clocks.h"

#include <optional>
#include <vector>

#include "trace/perfetto_fields.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {

void PerfettoClocks::add_snapshot(std::uint64_t sequence, std::string_view bytes) {
  std::vector<std::pair<std::uint64_t, Clock>> read;
  std::optional<std::int64_t> default_ns;
  for (protozero::pbf_reader snapshot(bytes.data(), bytes.size()); snapshot.next(perfetto::snapshot::kClocks);) {
    Clock clock;
    std::uint64_t id = 0;
    for (protozero::pbf_reader message = snapshot.get_message(); message.next();) {
      if (message.tag() == perfetto::snapshot::kId) id = message.get_uint32();
      else if (message.tag() == perfetto::snapshot::kTime) clock.time = message.get_uint64();
      else if (message.tag() == perfetto::snapshot::kIsIncremental) clock.is_incremental = message.get_bool();
      else if (message.tag() == perfetto::snapshot::kUnitNs) clock.unit_ns = message.get_uint64();
      else message.skip();
    }
    if (clock.unit_ns == 0) clock.unit_ns = 1;
    if (id == kDefaultClock) default_ns = static_cast<std::int64_t>(clock.time * clock.unit_ns);
    read.emplace_back(id, clock);
  }
  if (!default_ns) return;
  for (auto& [id, clock] : read) {
    clock.default_ns = *default_ns;
    clocks_[key(sequence, id)] = clock;
  }
}

std::int64_t PerfettoClocks::to_default(std::uint64_t sequence, std::uint64_t clock_id, std::uint64_t time) {
  if (clock_id == 0 || clock_id == kDefaultClock) return static_cast<std::int64_t>(time);
  const auto found = clocks_.find(key(sequence, clock_id));
  if (found == clocks_.end()) return ++unknown_, static_cast<std::int64_t>(time);
  Clock& clock = found->second;
  if (clock.is_incremental) {  // time is a step from the packet before
    clock.time += time;
    clock.default_ns += static_cast<std::int64_t>(time * clock.unit_ns);
    return clock.default_ns;
  }
  return clock.default_ns + static_cast<std::int64_t>((time - clock.time) * clock.unit_ns);
}

}  // namespace gputrace::trace
