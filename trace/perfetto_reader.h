// Packets of a Perfetto trace as rows: slices of the categories that profilers use for GPU work and API calls go to their tables,
// other slices become ranges on the thread of their track, or on a thread of the track's own; counters become samples.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/perfetto_decoder.h"
#include "trace/perfetto_tracks.h"
#include "trace/timeline_rows.h"
#include "trace/trace.h"

namespace gputrace::trace {

class PerfettoReader {
 public:
  explicit PerfettoReader(Trace& trace) : trace_(trace) {}
  PerfettoReader(const PerfettoReader&) = delete;
  PerfettoReader& operator=(const PerfettoReader&) = delete;

  void add_packet(std::string_view bytes);  // throws protozero::exception where they are malformed
  void count_damaged_packet() { ++damaged_; }
  // Once, after the last packet. The rows are not sorted yet.
  void finish();

 private:
  using Uuid = PerfettoTracks::Uuid;

  struct HostSlice {  // waits until all tracks are known
    Uuid track = 0;
    Span span{};
    KinetoCategory category = KinetoCategory::range;
    NvtxKind kind = NvtxKind::push_pop;
    StringId text{}, domain{}, range_category{};
    std::int64_t correlation = 0;
    std::uint32_t color_argb = 0;
  };
  struct CounterValue {
    Uuid track = 0;
    std::int64_t time_ns = 0;
    double value = 0;
  };

  void end_slice(const PerfettoEvent& end);
  void add_slice(const PerfettoEvent& begin, std::int64_t end_ns, bool is_mark);
  void add_device_slice(const PerfettoEvent& begin, Span span, KinetoCategory category);
  void add_kernel(const PerfettoEvent& begin, const DeviceEvent& event);
  void add_copy(const PerfettoEvent& begin, const DeviceEvent& event);
  void add_host_slice(const PerfettoEvent& begin, Span span, KinetoCategory category, bool is_mark);
  void read_own_metadata(const PerfettoEvent& event);
  void read_own_gpu(const PerfettoEvent& event);
  void add_open_slices();
  void add_host_slices();
  void add_counters();
  KinetoCategory category(StringId name);

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  PerfettoTracks tracks_{threads_};
  PerfettoDecoder decoder_{trace_.strings, tracks_};
  std::unordered_map<Uuid, std::vector<PerfettoEvent>> open_;
  std::vector<HostSlice> host_slices_;
  std::vector<CounterValue> counter_values_;
  std::unordered_map<StringId, KinetoCategory> categories_;
  std::int64_t damaged_ = 0;
  bool is_own_ = false;
};

}  // namespace gputrace::trace
