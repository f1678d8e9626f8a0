// What the pictures of a report show, as plain data: drawn by reports and the viewer, which compute nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/ids.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// The shares of a stretch of time in which each kind runs, 0 to 1. Kinds can run side by side, so they may sum to more.
struct ActivityShares {
  float compute = 0, communication = 0, copy = 0;
};

// One GPU over Diagnosis::trace_span, in stretches of equal length.
struct ActivityStrip {
  trace::DeviceId device{};
  std::vector<ActivityShares> stretches;
};

enum class LaneKind : std::uint8_t { host, compute, communication, copy };

// One event, or several short ones close together that a picture shows as one.
struct LaneSpan {
  trace::Span span;
  std::int64_t events = 1;
  std::int64_t busy_ns = 0;  // the sum of the events' durations
  std::string text;          // what the longest of them is: "eigen: y = pad(x)"
  std::string op_class;      // of that one, where it is a kernel
};

struct Lane {
  LaneKind kind = LaneKind::host;
  std::optional<trace::DeviceId> device;
  std::string name;             // of a host thread: "thread 1234"
  std::vector<LaneSpan> spans;  // by start
};

// One step as it ran; where there are no steps, the window of the figures.
struct StepPicture {
  std::optional<std::size_t> step;  // into Steps::spans
  trace::Span span;
  std::vector<Lane> lanes;          // hosts first, then by GPU; empty where nothing was captured
  std::int64_t merged_below_ns = 0;  // shorter events that lie closer together than this are one span
};

// Copies from one place to another.
struct PlaceTraffic {
  std::string from, to;  // "host", "GPU 3"
  std::int64_t count = 0, bytes = 0, total_ns = 0;
  std::optional<double> gbps;       // while copying, of copies from thresholds::kLinkBoundBytes on; 1e9 bytes per second
  std::optional<double> best_gbps;  // the fastest of those
  std::optional<double> link_gbps;  // what the link could do
  std::string link_source;          // "recorded: PCIe 3.0 x16"
};

// Copies of one direction, memory and size.
struct CopySize {
  std::string direction, memory;
  std::int64_t from_bytes = 0, below_bytes = 0;  // below_bytes 0: no upper end; both 0: sizes were not captured
  std::int64_t count = 0, bytes = 0, total_ns = 0;
};

struct ChartData {
  std::vector<ActivityStrip> activity;  // GPUs that ran anything, by id
  StepPicture step;
  std::vector<PlaceTraffic> traffic;    // by from, to: the host first, then GPUs by id
  std::vector<CopySize> copy_sizes;     // by direction, memory, size; only sizes that are there
};

}  // namespace gputrace::analyzer
