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
    s.most_in_bar = std::max(s.most_in_bar, bar.count);
  }
}

void count_by_device(const trace::Kernels& kernels, const std::vector<Instance>& instances,
                     NameStatistics& s) {
  for (const Instance& instance : instances) {  // by duration: the last of a GPU is its longest
    const trace::DeviceId device = kernels.device[instance.event.row()];
    auto entry =
        std::find_if(s.devices.begin(), s.devices.end(), [&](const auto& d) { return d.device == device; });
    if (entry == s.devices.end()) entry = s.devices.insert(s.devices.end(), {.device = device, .longest = {}});
    ++entry->count;
    entry->total_ns += instance.duration_ns;
    entry->longest = instance.event;
  }
  std::sort(s.devices.begin(), s.devices.end(),
            [](const auto& a, const auto& b) { return a.device < b.device; });
}

void count_by_step(const Session& session, const std::vector<Instance>& instances, NameStatistics& s) {
  const auto& steps = session.diagnosis.steps.spans;
  if (steps.empty()) return;
  s.steps.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) s.steps[i].step = i;
  for (const Instance& instance : instances) {
    const std::int64_t start_ns = event_span(session.trace, instance.event).start_ns;
    const auto after = std::upper_bound(steps.begin(), steps.end(), start_ns,
                                        [](std::int64_t ns, const trace::Span& step) { return ns < step.start_ns; });
    if (after == steps.begin() || start_ns >= std::prev(after)->end_ns) continue;  // between steps
    NameStatistics::StepCount& step = s.steps[static_cast<std::size_t>(std::prev(after) - steps.begin())];
    ++step.count;
    step.total_ns += instance.duration_ns;
    step.longest = instance.event;
  }
}

// A bar for each step; where they are many, for several together.
void fill_step_bars(NameStatistics& s) {
  const std::size_t bars = std::min(s.steps.size(), NameStatistics::kMostStepBars);
  for (std::size_t b = 0; b < bars; ++b) {
    const auto bound = [&](std::size_t bar) {
      return s.steps.begin() + static_cast<std::ptrdiff_t>(bar * s.steps.size() / bars);
    };
    const auto most = std::max_element(bound(b), bound(b + 1),
                                       [](const auto& a, const auto& c) { return a.total_ns < c.total_ns; });
    s.step_bars.push_back(most->step);
    s.most_in_step_ns = std::max(s.most_in_step_ns, most->total_ns);
  }
}

void sort_by_time(std::vector<CategoryTotal>& totals) {
  std::sort(totals.begin(), totals.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
}

std::uint64_t overlap_ns(trace::Span a, trace::Span b) {
  const std::int64_t from = std::max(a.start_ns, b.start_ns), to = std::min(a.end_ns, b.end_ns);
  return to > from ? distance_ns(from, to) : 0;
}

// Calls visit(row) for each row of the table that touches the span. What began long before may reach into it, so all rows up
// to the span's end are looked at.
template <class Visit>
void for_each_touching(const trace::DeviceColumns& table, trace::Span span, Visit visit) {
  const auto end = std::lower_bound(table.start_ns.begin(), table.start_ns.end(), span.end_ns);
  for (std::size_t i = 0; i < static_cast<std::size_t>(end - table.start_ns.begin()); ++i)
    if (table.end_ns[i] > span.start_ns) visit(i);
}

void add_kernel_totals(const Session& session, AreaTotals& totals) {
  const trace::Kernels& kernels = session.trace.kernels;
  std::vector<std::uint32_t> total_of(session.trace.strings.size());  // by name: its place, counted from 1
  for_each_touching(kernels, totals.span, [&](std::size_t i) {
    if (i >= EventRef::kMaxRows) return;
    std::uint32_t& place = total_of[kernels.name[i].value];
    if (place == 0) {
      totals.kernels.emplace_back();
      place = static_cast<std::uint32_t>(totals.kernels.size());
    }
    KernelTotal& total = totals.kernels[place - 1];
    ++total.count;
    total.ns += overlap_ns(kernels.span(i), totals.span);
    if (!total.longest.valid() ||
        kernels.span(i).duration_ns() > kernels.span(total.longest.row()).duration_ns())
      total.longest = EventRef{trace::Table::kernels, i};
  });
  totals.kernel_names = totals.kernels.size();
  std::sort(totals.kernels.begin(), totals.kernels.end(),
            [](const auto& a, const auto& b) { return a.ns > b.ns; });
  if (totals.kernels.size() > AreaTotals::kMostKernels) totals.kernels.resize(AreaTotals::kMostKernels);
  for (KernelTotal& total : totals.kernels) total.label = event_label(session, total.longest);
}

void add_copy_totals(const Session& session, AreaTotals& totals) {
  const trace::Copies& copies = session.trace.copies;
  std::array<CopyTotal, kCategoryCount> by_category{};
  for_each_touching(copies, totals.span, [&](std::size_t i) {
    const Category category = copy_category(copies.kind[i], copies.source_memory[i], copies.destination_memory[i]);
    CopyTotal& total = by_category[static_cast<std::size_t>(category)];
    total.category = category;
    ++total.count;
    total.bytes += copies.bytes[i];
    total.ns += overlap_ns(copies.span(i), totals.span);
  });
  for (const CopyTotal& total : by_category)
    if (total.count > 0) totals.copies.push_back(total);
}

}  // namespace

AreaTotals area_totals(const Session& session, trace::Span span) {
  AreaTotals totals{.span = span, .categories = {}, .idle = {}, .devices = {}, .kernels = {}, .copies = {}};
  BusyByCategory busy{}, idle{};
  for (std::size_t l = 0; l < session.timeline.lanes.size(); ++l) {
    const Lane& lane = session.timeline.lanes[l];
    if (lane.kind == LaneKind::stream)
      for (const EventRow& row : lane.rows) row.add_busy(span, busy);
    if (lane.kind != LaneKind::gpu) continue;
    BusyByCategory states{};
    lane.rows.front().add_busy(span, states);
    if (l < session.idle.size()) session.idle[l].add_idle(stretches_of(lane), span, idle);
    DeviceTotals device{.device = *lane.device, .label = lane.label};
    for (const std::uint64_t ns : states) device.busy_ns += ns;
    device.idle_ns = distance_ns(span.start_ns, span.end_ns) - device.busy_ns;
    totals.devices.push_back(device);
  }
  for (std::size_t c = 0; c < kCategoryCount; ++c)
    if (busy[c] > 0) totals.categories.push_back({static_cast<Category>(c), busy[c]});
  for (std::size_t c = 0; c < kCategoryCount; ++c)
    if (idle[c] > 0) totals.idle.push_back({static_cast<Category>(c), idle[c]});
  sort_by_time(totals.categories);
  sort_by_time(totals.idle);
  return totals;
}

void add_event_totals(const Session& session, AreaTotals& totals) {
  add_kernel_totals(session, totals);
  add_copy_totals(session, totals);
}

NameStatistics name_statistics(const Session& session, EventRef event, std::optional<trace::DeviceId> only) {
  NameStatistics s;
  s.event = event;
  s.only = only;
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
  }
  std::stable_sort(instances.begin(), instances.end(),
                   [](const auto& a, const auto& b) { return a.duration_ns < b.duration_ns; });
  const bool kernels = event.table() == trace::Table::kernels;
  if (kernels) count_by_device(trace.kernels, instances, s);
  if (kernels && only)
    instances.erase(std::remove_if(instances.begin(), instances.end(),
                                   [&](const Instance& i) { return trace.kernels.device[i.event.row()] != *only; }),
                    instances.end());
  if (instances.empty()) return s;
  s.count = instances.size();
  for (const Instance& instance : instances) s.total_ns += instance.duration_ns;
  s.min_ns = instances.front().duration_ns;
  s.max_ns = instances.back().duration_ns;
  s.median_ns = instances[instances.size() / 2].duration_ns;
  s.p95_ns = instances[std::min(instances.size() - 1, instances.size() * 95 / 100)].duration_ns;
  s.shortest = instances.front().event;
  s.longest = instances.back().event;
  fill_bars(instances, s);
  count_by_step(session, instances, s);
  fill_step_bars(s);
  return s;
}

}  // namespace gputrace::gui
