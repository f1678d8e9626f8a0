// Perfetto packets in the order in which they are written: names once, then by number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "trace/byte_sink.h"

namespace gputrace::trace {

class PerfettoPackets {
 public:
  using Uuid = std::uint64_t;  // of a track; 0: none
  using Argument = std::pair<std::string_view, std::variant<std::int64_t, std::string_view>>;
  using Arguments = std::initializer_list<Argument>;

  explicit PerfettoPackets(ByteSink& sink) : sink_(sink) {}

  Uuid process_track(std::int64_t pid, std::string_view name);
  Uuid thread_track(std::int64_t pid, std::int64_t tid, std::string_view name);
  Uuid track(Uuid parent, std::string_view name);
  Uuid counter_track(Uuid parent, std::string_view name, std::string_view unit, std::string_view category);

  void begin(Uuid track, std::int64_t time_ns, std::string_view category, std::string_view name, std::uint64_t flow, Arguments arguments);
  void end(Uuid track, std::int64_t time_ns);
  void instant(Uuid track, std::int64_t time_ns, std::string_view category, std::string_view name, Arguments arguments);
  void counter(Uuid track, std::int64_t time_ns, double value);
  void flush();

 private:
  // Numbers of texts, each given out with the first packet that uses it.
  class Names {
   public:
    explicit Names(std::uint32_t field) : field_(field) {}
    std::uint64_t number(std::string_view text, std::string& interned);

   private:
    std::uint32_t field_;
    std::unordered_map<std::string, std::uint64_t> numbers_;
    std::string key_;
  };

  void write_event(std::uint64_t type, Uuid track, std::int64_t time_ns, std::string_view category, std::string_view name, std::uint64_t flow, Arguments arguments);
  void add_arguments(std::string& event, Arguments arguments);
  void write_descriptor(const std::string& descriptor);
  void write_packet(std::string& packet);

  ByteSink& sink_;
  std::string out_, packet_, event_, interned_, annotation_;
  Names categories_{1}, names_{2}, argument_names_{3};
  Uuid next_uuid_ = 1;
  bool is_first_ = true;
};

}  // namespace gputrace::trace
