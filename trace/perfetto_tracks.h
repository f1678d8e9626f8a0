// The tracks of a Perfetto trace, which stand below each other: whose thread, process and GPU an event's track is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/native_threads.h"
#include "trace/trace.h"

namespace gputrace::trace {

class PerfettoTracks {
 public:
  using Uuid = std::uint64_t;

  explicit PerfettoTracks(NativeThreads& threads) : threads_(threads) {}

  // A TrackDescriptor message. Throws protozero::exception.
  void add_descriptor(std::string_view bytes);

  // By the name of the track or of one above it: "GPU 3". None: no such name.
  std::optional<std::int32_t> device(Uuid track) const;
  // The thread of the track or of one above it; else a thread of the track's own, in the process above it. To be asked once all
  // descriptors are known.
  ThreadIndex thread(Uuid track);
  ProcessIndex process(Uuid track);  // -1: of none

  struct Counter {
    std::string name{}, unit{};
    double multiplier = 1;
    bool is_incremental = false;  // a value is what is added to the one before
    bool is_derived = false;      // gputrace's own export: read back it would no longer be derived
  };
  Counter counter(Uuid track) const;

 private:
  struct Track {
    Uuid parent = 0;
    std::optional<std::int64_t> pid{}, tid{};
    std::string name{};
    Counter counter{};
  };

  // The track and those above it, innermost first; ends where a track is not known, or after kDeepest.
  template <class Visit>
  void climb(Uuid track, Visit visit) const;

  NativeThreads& threads_;
  std::unordered_map<Uuid, Track> tracks_;
  std::unordered_map<Uuid, ThreadIndex> threads_of_tracks_;
};

}  // namespace gputrace::trace
