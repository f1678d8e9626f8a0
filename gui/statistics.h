// Sums on demand: of an area of the timeline, and of all events of one name.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gui/session.h"

namespace gputrace::gui {

struct CategoryTotal {
  Category category{};
  std::uint64_t ns = 0;  // summed over lanes: events that run side by side count each
};

struct DeviceTotals {
  trace::DeviceId device{};
  std::string label;
  std::uint64_t busy_ns = 0, idle_ns = 0;  // sum to the area's length
};

struct KernelTotal {
  std::string label;
  std::uint64_t count = 0, ns = 0;  // the time inside the area
  EventRef longest;
};

struct CopyTotal {
  Category category{};
  std::uint64_t count = 0, ns = 0;
  std::int64_t bytes = 0;  // of copies that touch the area, whole
};

struct AreaTotals {
  static constexpr std::size_t kMostKernels = 30;
  trace::Span span;
  std::vector<CategoryTotal> categories;  // of streams, the largest first
  std::vector<CategoryTotal> idle;        // causes, summed over GPUs, the largest first
  std::vector<DeviceTotals> devices;
  std::vector<KernelTotal> kernels;  // by name, the largest first, at most kMostKernels
  std::size_t kernel_names = 0;      // of which kernels shows the first
  std::vector<CopyTotal> copies;
};
// Sums that the index gives at once: categories, idle, devices.
AreaTotals area_totals(const Session& session, trace::Span span);
// Those that look at every event of the area: kernels, copies.
void add_event_totals(const Session& session, AreaTotals& totals);

struct NameStatistics {
  static constexpr std::size_t kBars = 24, kMostStepBars = 360;  // no wider than the panel
  struct Bar {
    std::uint64_t from_ns = 0, count = 0;  // durations from from_ns to the next bar's
    EventRef example;                      // the first such event
  };
  struct DeviceCount {
    trace::DeviceId device{};
    std::uint64_t count = 0, total_ns = 0;
    EventRef longest;
  };
  std::string name, label;
  EventRef event;                       // that it was asked for
  std::optional<trace::DeviceId> only;  // GPU that figures and bars are of; all where not set
  std::uint64_t count = 0, total_ns = 0, min_ns = 0, median_ns = 0, p95_ns = 0, max_ns = 0;
  EventRef shortest, longest;
  std::array<Bar, kBars> bars{};     // of equal ratio: durations spread over decades
  std::uint64_t most_in_bar = 0;     // events
  struct StepCount {
    std::size_t step = 0;
    std::uint64_t count = 0, total_ns = 0;
    EventRef longest;
  };
  std::vector<DeviceCount> devices;  // kernels only
  std::vector<StepCount> steps;      // by where an event starts; empty where the trace has no steps
  std::vector<std::size_t> step_bars;  // of each of at most kMostStepBars equal stretches of `steps`: the one with the most time
  std::uint64_t most_in_step_ns = 0;
};
// Of the kernels (or API calls, or ranges) that share the event's name; of one GPU's kernels only, where given: the
// bars and figures are then of those.
NameStatistics name_statistics(const Session& session, EventRef event,
                               std::optional<trace::DeviceId> only = std::nullopt);

}  // namespace gputrace::gui
