// Sums on demand: of an area of the timeline, and of all events of one name.
#pragma once

#include <array>
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

struct AreaTotals {
  trace::Span span;
  std::vector<CategoryTotal> categories;  // of streams, the largest first
  std::vector<DeviceTotals> devices;
};
AreaTotals area_totals(const Timeline& timeline, trace::Span span);

struct NameStatistics {
  static constexpr std::size_t kBars = 24;
  struct Bar {
    std::uint64_t from_ns = 0, count = 0;  // durations from from_ns to the next bar's
    EventRef example;                      // the first such event
  };
  struct DeviceCount {
    trace::DeviceId device{};
    std::uint64_t count = 0, total_ns = 0;
  };
  std::string name, label;
  std::uint64_t count = 0, total_ns = 0, min_ns = 0, median_ns = 0, p95_ns = 0, max_ns = 0;
  EventRef shortest, longest;
  std::array<Bar, kBars> bars{};     // of equal ratio: durations spread over decades
  std::vector<DeviceCount> devices;  // kernels only
};
// Of the kernels (or API calls, or ranges) that share the event's name.
NameStatistics name_statistics(const Session& session, EventRef event);

}  // namespace gputrace::gui
