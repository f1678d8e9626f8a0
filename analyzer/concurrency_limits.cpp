#include "analyzer/concurrency_limits.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "analyzer/busy_time.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/launch_index.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

// A hand-over between the default stream and another: work that was asked for long before begins just as the other's ends, and its
// own stream had been free. So many of them show that the streams take turns.
constexpr std::int64_t kBeginsWithinNs = 10'000, kAskedLongBeforeNs = 20'000;
constexpr int kLeastHandovers = 5;

enum class Reason : std::uint8_t { launched_late, fills, graph, same_stream, dependency, default_stream, copy, unknown, count };
constexpr std::array<const char*, static_cast<std::size_t>(Reason::count)> kNames{
    "launched late", "the first fills the GPU", "CUDA graph", "same stream", "dependency", "default stream", "copy", "unknown"};

using StreamKey = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // process, context, stream

StreamKey stream_of(const trace::DeviceColumns& columns, std::size_t i) {
  return {columns.process[i].value, columns.context[i].value, columns.stream[i].value};
}

using ContextKey = std::pair<std::int32_t, std::int32_t>;  // process, context

ContextKey context_of(const StreamKey& stream) { return {std::get<0>(stream), std::get<1>(stream)}; }

struct StreamState {
  std::vector<std::int64_t> waits_ns;       // when the host made it wait for an event, in order
  std::int64_t kernels_until_ns = INT64_MIN;
  bool runs_beside_default = false;         // seen beside its context's default stream: a non-blocking stream
  int handovers = 0;                        // from or to the default stream
  std::optional<std::int64_t> launched_ns;  // its last kernel
  std::vector<Span> others;                 // copies and fills, in the order of start
  std::size_t next_other = 0;
  std::int64_t others_until_ns = INT64_MIN;  // the last end of those that began before the kernel at hand
};

// Kernels in a row that only their stream keeps apart, as if they had run side by side as far as the SMs hold them.
struct SideBySide {
  std::int64_t sum_ns = 0, longest_ns = 0;
  double filled_ns = 0;  // time x share of the GPU
  void add(std::int64_t ns, double fill) {
    sum_ns += ns;
    longest_ns = std::max(longest_ns, ns);
    filled_ns += static_cast<double>(ns) * fill;
  }
  std::int64_t win_ns() const { return std::max<std::int64_t>(0, sum_ns - std::max(longest_ns, static_cast<std::int64_t>(filled_ns))); }
};

struct ContextState {
  StreamKey default_stream;         // of the lowest id: it is made first
  BusyTime default_kernels;
  std::optional<std::size_t> last;  // of the kernels so far, the one that ended last
};

struct DeviceState {
  std::optional<std::size_t> last;  // of the kernels so far, the one that ended last
  double last_fill = 0;
  SideBySide row;
  std::array<ConcurrencyLimit, static_cast<std::size_t>(Reason::count)> limits;
  ConcurrencyReport report;
};

class Neighbours {
 public:
  Neighbours(const Trace& trace, const Metrics& metrics) : trace_(trace), metrics_(metrics), launches_(trace) {
    collect_waits();
    collect_others(trace.copies);
    collect_others(trace.fills);
    for (auto& [key, stream] : streams_) {
      std::stable_sort(stream.others.begin(), stream.others.end(), [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
      std::sort(stream.waits_ns.begin(), stream.waits_ns.end());
    }
    find_default_streams();
    find_handovers();
  }

  std::map<trace::DeviceId, ConcurrencyReport> look() {
    for (std::size_t i = 0; i < trace_.kernels.size(); ++i) {
      if (is_asked(i)) look_at(i);
    }
    std::map<trace::DeviceId, ConcurrencyReport> reports;
    for (auto& [id, device] : devices_) reports[id] = finish(device);
    return reports;
  }

 private:
  bool is_asked(std::size_t i) const {
    const trace::Kernels& kernels = trace_.kernels;
    return kernels.start_ns[i] >= metrics_.window.start_ns && kernels.end_ns[i] <= metrics_.window.end_ns &&
           !metrics_.is_communication[kernels.name[i].value];
  }

  std::optional<std::int64_t> called_ns(const trace::DeviceColumns& columns, std::size_t i) const {
    const auto call = launches_.call(columns.process[i], columns.correlation[i]);
    if (!call) return std::nullopt;
    return trace_.api_calls.start_ns[*call];
  }

  void collect_waits() {
    const trace::Synchronizations& syncs = trace_.synchronizations;
    for (std::size_t i = 0; i < syncs.size(); ++i) {
      if (syncs.kind[i] != trace::SyncKind::stream_wait_event) continue;
      streams_[stream_of(syncs, i)].waits_ns.push_back(called_ns(syncs, i).value_or(syncs.start_ns[i]));
    }
  }

  void collect_others(const trace::DeviceColumns& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) streams_[stream_of(columns, i)].others.push_back(columns.span(i));
  }

  void find_default_streams() {
    const trace::Kernels& kernels = trace_.kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const StreamKey key = stream_of(kernels, i);
      const auto [context, is_new] = contexts_.try_emplace(context_of(key));
      if (is_new || key < context->second.default_stream) context->second.default_stream = key;
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      ContextState& context = contexts_.at(context_of(stream_of(kernels, i)));
      if (stream_of(kernels, i) == context.default_stream) context.default_kernels.add(kernels.span(i));
    }
  }

  void find_handovers() {
    const trace::Kernels& kernels = trace_.kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const StreamKey key = stream_of(kernels, i);
      ContextState& context = contexts_.at(context_of(key));
      StreamState& stream = streams_[key];
      if (key != context.default_stream && context.default_kernels.covered_ns(kernels.span(i)) > 0) stream.runs_beside_default = true;
      if (context.last && waited_for(*context.last, i, stream)) {
        const StreamKey before = stream_of(kernels, *context.last);
        if (key != before && key == context.default_stream) ++streams_[before].handovers;
        if (key != before && before == context.default_stream) ++stream.handovers;
      }
      stream.kernels_until_ns = std::max(stream.kernels_until_ns, kernels.end_ns[i]);
      if (!context.last || kernels.end_ns[i] >= kernels.end_ns[*context.last]) context.last = i;
    }
  }

  // Whether nothing but the end of the kernel before explains when this one began.
  bool waited_for(std::size_t before, std::size_t i, const StreamState& stream) const {
    const std::int64_t before_ns = trace_.kernels.end_ns[before], gap_ns = trace_.kernels.start_ns[i] - before_ns;
    if (gap_ns < 0 || gap_ns > kBeginsWithinNs) return false;
    if (stream.kernels_until_ns != INT64_MIN && before_ns - stream.kernels_until_ns <= kBeginsWithinNs) return false;
    const auto launched_ns = called_ns(trace_.kernels, i);
    return launched_ns && before_ns - *launched_ns >= kAskedLongBeforeNs;
  }

  void look_at(std::size_t i) {
    const trace::Kernels& kernels = trace_.kernels;
    DeviceState& device = devices_[kernels.device[i]];
    StreamState& stream = streams_[stream_of(kernels, i)];
    for (; stream.next_other < stream.others.size() && stream.others[stream.next_other].start_ns <= kernels.start_ns[i]; ++stream.next_other)
      stream.others_until_ns = std::max(stream.others_until_ns, stream.others[stream.next_other].end_ns);
    const auto launched_ns = called_ns(kernels, i);
    const auto fill = gpu_fill(trace_, i);
    device.report.fill_known = device.report.fill_known || fill.has_value();
    const std::int64_t ns = kernels.span(i).duration_ns();
    if (device.last) {
      Reason reason = Reason::count;
      if (kernels.start_ns[i] < kernels.end_ns[*device.last]) {
        ++device.report.overlapping_pairs;
      } else {
        reason = reason_of(*device.last, i, device.last_fill, launched_ns, stream);
        ConcurrencyLimit& limit = device.limits[static_cast<std::size_t>(reason)];
        ++limit.pairs;
        limit.ns += std::min(ns, kernels.span(*device.last).duration_ns());
      }
      if (reason != Reason::same_stream && reason != Reason::default_stream) end_row(device);
    }
    device.row.add(ns, fill.value_or(1));
    if (launched_ns) stream.launched_ns = launched_ns;
    if (device.last && kernels.end_ns[i] < kernels.end_ns[*device.last]) return;
    device.last = i;
    device.last_fill = fill.value_or(0);
  }

  Reason reason_of(std::size_t first, std::size_t second, double first_fill, std::optional<std::int64_t> launched_ns, const StreamState& stream) const {
    const trace::Kernels& kernels = trace_.kernels;
    if (launched_ns && *launched_ns >= kernels.end_ns[first]) return Reason::launched_late;
    if (first_fill >= thresholds::kFullGpuFill) return Reason::fills;
    if (kernels.graph_node[second] != 0 && kernels.graph_node[first] != 0 && kernels.correlation[first] == kernels.correlation[second]) return Reason::graph;
    const StreamKey first_stream = stream_of(kernels, first), second_stream = stream_of(kernels, second);
    if (first_stream == second_stream) return Reason::same_stream;
    if (launched_ns && waited_before(stream, *launched_ns)) return Reason::dependency;
    if (is_held_by_default(first_stream, second_stream)) return Reason::default_stream;
    if (stream.others_until_ns > kernels.end_ns[first]) return Reason::copy;
    return Reason::unknown;
  }

  // Whether the stream was made to wait between its kernel before and this one.
  static bool waited_before(const StreamState& stream, std::int64_t launched_ns) {
    const auto next = std::upper_bound(stream.waits_ns.begin(), stream.waits_ns.end(), launched_ns);
    return next != stream.waits_ns.begin() && (!stream.launched_ns || *std::prev(next) >= *stream.launched_ns);
  }

  bool is_held_by_default(const StreamKey& a, const StreamKey& b) const {
    if (context_of(a) != context_of(b)) return false;
    const StreamKey& default_stream = contexts_.at(context_of(a)).default_stream;
    if (a != default_stream && b != default_stream) return false;
    const StreamState& other = streams_.at(a == default_stream ? b : a);
    return !other.runs_beside_default && other.handovers >= kLeastHandovers;
  }

  static void end_row(DeviceState& device) {
    device.report.streams_win_at_most_ns += device.row.win_ns();
    device.row = {};
  }

  static ConcurrencyReport finish(DeviceState& device) {
    end_row(device);
    for (std::size_t r = 0; r < device.limits.size(); ++r) {
      if (device.limits[r].pairs == 0) continue;
      device.report.limits.push_back(device.limits[r]);
      device.report.limits.back().reason = kNames[r];
    }
    std::stable_sort(device.report.limits.begin(), device.report.limits.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
    return std::move(device.report);
  }

  const Trace& trace_;
  const Metrics& metrics_;
  LaunchIndex launches_;
  std::map<StreamKey, StreamState> streams_;
  std::map<ContextKey, ContextState> contexts_;
  std::map<trace::DeviceId, DeviceState> devices_;
};

}  // namespace

std::map<trace::DeviceId, ConcurrencyReport> concurrency_limits(const Trace& trace, const Metrics& metrics) {
  return Neighbours(trace, metrics).look();
}

}  // namespace gputrace::analyzer
