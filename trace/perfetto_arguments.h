// The arguments of a Perfetto event that mean something here, each in a place of its own: what profilers write of GPU work, and what
// gputrace's own export adds. All others are passed over.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::trace::perfetto {

enum class Number : std::uint8_t {
  device, context, stream, correlation, process, registers_per_thread, static_shared_memory, dynamic_shared_memory, graph_node, bytes,
  from_device, to_device, color, graph, return_value, simulated, complete, dropped_records, shift_ns, sm_count, compute_major,
  compute_minor, clock_hz, memory_bandwidth, memory_bytes, count
};
enum class Text : std::uint8_t { grid, block, mangled, domain, category, kind, producer, machine, incomplete_why, name, uuid, bus_location, count };

// What a name means as a number and as a text; `count`: nothing.
struct ArgumentKey {
  Number number = Number::count;
  Text text = Text::count;
};
ArgumentKey argument_key(std::string_view name);

class Arguments {  // texts are kept as strings of the trace, since the packet is gone when the slice ends
 public:
  void set(ArgumentKey key, std::int64_t value) {
    if (key.number == Number::count) return;
    numbers_[index(key.number)] = value;
    has_ |= bit(key.number);
  }
  void set(ArgumentKey key, StringId value) {
    if (key.text != Text::count) texts_[static_cast<std::size_t>(key.text)] = value;
  }

  bool has(Number number) const { return (has_ & bit(number)) != 0; }
  std::int64_t number(Number number, std::int64_t otherwise = 0) const { return has(number) ? numbers_[index(number)] : otherwise; }
  std::optional<std::int32_t> int32(Number number) const {
    const std::int64_t value = numbers_[index(number)];
    if (!has(number) || value < INT32_MIN || value > INT32_MAX) return std::nullopt;
    return static_cast<std::int32_t>(value);
  }
  StringId text(Text text) const { return texts_[static_cast<std::size_t>(text)]; }

 private:
  static std::size_t index(Number number) { return static_cast<std::size_t>(number); }
  static std::uint32_t bit(Number number) { return std::uint32_t{1} << index(number); }
  static_assert(static_cast<std::size_t>(Number::count) <= 32);

  std::array<std::int64_t, static_cast<std::size_t>(Number::count)> numbers_{};
  std::array<StringId, static_cast<std::size_t>(Text::count)> texts_{};
  std::uint32_t has_ = 0;
};

}  // namespace gputrace::trace::perfetto
