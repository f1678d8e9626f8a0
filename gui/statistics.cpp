#include "gui/statistics.h"

#include <algorithm>
#include <cmath>

#include "gui/event_text.h"
#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

struct Instance {
  std::uint64_t duration_ns;
  EventRef event;
};

const std::vector<trace::StringId>* names_of(const trace::Trace& trace, trace::Table table) {
  if (table == trace::Table::kernels) return &trace.kernels.name;
  if (table == trace::Table::api_calls) return &trace.api_calls.name;
  if (table == trace::Table::nvtx) return &trace.nvtx.text;
  return nullptr;
}

void fill_bars(const std::vector<Instance>& by_duration, NameStatistics& s) {
  const double low = std::log(static_cast<double>(std::max<std::uint64_t>(s.min_ns, 1)));
  const double high =
      std::max(std::log(static_cast<double>(std::max<std::uint64_t>(s.max_ns, 1))), low + 1e-3);
  const double step = (high - low) / NameStatistics::kBars;
  for (std::size_t b = 0; b < NameStatistics::kBars; ++b)
    s.bars[b].from_ns = static_cast<std::uint64_t>(std::exp(low + step * static_cast<double>(b)));
  for (const Instance& instance : by_duration) {
    const double position =
        (std::log(static_cast<double>(std::max<std::uint64_t>(instance.duration_ns, 1))) - low) / step;
    NameStatistics::Bar& bar =
        s.bars[std::min(static_cast<std::size_t>(position), NameStatistics::kBars - 1)];
    if (bar.count++ == 0) bar.example = instance.event;
  }
}

void count_by_device(const trace::Kernels& kernels, const std::vector<Instance>& instances,
                     NameStatistics& s) {
  for (const Instance& instance : instances) {
    const trace::DeviceId device = kernels.device[instance.event.row()];
    auto entry =
        std::find_if(s.devices.begin(), s.devices.end(), [&](const auto& d) { return d.device == device; });
    if (entry == s.devices.end()) entry = s.devices.insert(s.devices.end(), {.device = device});
    ++entry->count;
    entry->total_ns += instance.duration_ns;
  }
  std::sort(s.devices.begin(), s.devices.end(),
            [](const auto& a, const auto& b) { return a.device < b.device; });
}

}  // namespace

AreaTotals area_totals(const Timeline& timeline, trace::Span span) {
  AreaTotals totals{.span = span, .categories = {}, .devices = {}};
  BusyByCategory busy{};
  for (const Lane& lane : timeline.lanes) {
    if (lane.kind == LaneKind::stream)
      for (const EventRow& row : lane.rows) row.add_busy(span, busy);
    if (lane.kind != LaneKind::gpu) continue;
    BusyByCategory states{};
    lane.rows.front().add_busy(span, states);
    DeviceTotals device{.device = *lane.device, .label = lane.label};
    for (const std::uint64_t ns : states) device.busy_ns += ns;
    device.idle_ns = distance_ns(span.start_ns, span.end_ns) - device.busy_ns;
    totals.devices.push_back(device);
  }
  for (std::size_t c = 0; c < kCategoryCount; ++c)
    if (busy[c] > 0) totals.categories.push_back({static_cast<Category>(c), busy[c]});
  std::sort(totals.categories.begin(), totals.categories.end(),
            [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return totals;
}

NameStatistics name_statistics(const Session& session, EventRef event) {
  NameStatistics s;
  const trace::Trace& trace = session.trace;
  const auto* names = names_of(trace, event.table());
  if (names == nullptr) return s;
  s.name = event_full_name(session, event);
  s.label = event_label(session, event);
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < std::min(names->size(), EventRef::kMaxRows); ++i) {
    if ((*names)[i] != (*names)[event.row()]) continue;
    const EventRef ref{event.table(), i};
    const trace::Span span = event_span(trace, ref);
    instances.push_back({distance_ns(span.start_ns, span.end_ns), ref});
    s.total_ns += instances.back().duration_ns;
  }
  std::stable_sort(instances.begin(), instances.end(),
                   [](const auto& a, const auto& b) { return a.duration_ns < b.duration_ns; });
  s.count = instances.size();
  s.min_ns = instances.front().duration_ns;
  s.max_ns = instances.back().duration_ns;
  s.median_ns = instances[instances.size() / 2].duration_ns;
  s.p95_ns = instances[std::min(instances.size() - 1, instances.size() * 95 / 100)].duration_ns;
  s.shortest = instances.front().event;
  s.longest = instances.back().event;
  fill_bars(instances, s);
  if (event.table() == trace::Table::kernels) count_by_device(trace.kernels, instances, s);
  return s;
}

}  // namespace gputrace::gui
