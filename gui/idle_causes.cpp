#include "gui/idle_causes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/blocking_calls.h"
#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

using GpuKey = std::pair<trace::ProcessIndex, trace::DeviceId>;

struct GpuGaps {
  std::size_t lane = 0;
  const EventRow* stretches = nullptr;
  std::vector<std::uint32_t> call;  // by gap: row of the API call that launched what ended it
  std::size_t next = 0;             // stretch that the table being read has come to
};

constexpr std::uint32_t kNoCall = UINT32_MAX, kNothingYet = UINT32_MAX - 1;

class CauseFinder {
 public:
  CauseFinder(const trace::Trace& trace, const Timeline& timeline, const analyzer::LaunchIndex& launches)
      : trace_{trace}, timeline_{timeline}, launches_{launches}, blocking_{trace} {
    for (std::size_t l = 0; l < timeline.lanes.size(); ++l) {
      const Lane& lane = timeline.lanes[l];
      if (lane.kind != LaneKind::gpu) continue;
      gaps_[{lane.process, *lane.device}] = {
          l, &stretches_of(lane), std::vector<std::uint32_t>(stretches_of(lane).size(), kNothingYet), 0};
    }
  }

  std::vector<IdleRow> find() {
    for (const trace::DeviceColumns* table :
         {static_cast<const trace::DeviceColumns*>(&trace_.kernels),
          static_cast<const trace::DeviceColumns*>(&trace_.copies),
          static_cast<const trace::DeviceColumns*>(&trace_.fills),
          static_cast<const trace::DeviceColumns*>(&trace_.graph_launches)})
      read(*table);
    std::vector<IdleRow> rows(timeline_.lanes.size());
    for (auto& [key, gaps] : gaps_) rows[gaps.lane] = row_of(gaps);
    return rows;
  }

 private:
  // What starts where a stretch does ended the gap before it; of several the first in the order of the tables.
  void read(const trace::DeviceColumns& table) {
    for (auto& [key, gaps] : gaps_) gaps.next = 0;
    GpuKey last_key{trace::ProcessIndex{-2}, trace::DeviceId{-2}};
    GpuGaps* gpu = nullptr;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const GpuKey key{table.process[i], table.device[i]};
      if (key != last_key) {
        const auto found = gaps_.find(key);
        gpu = found == gaps_.end() ? nullptr : &found->second;
        last_key = key;
      }
      if (gpu == nullptr) continue;
      const EventRow& stretches = *gpu->stretches;
      while (gpu->next < stretches.size() && stretches.start_ns(gpu->next) < table.start_ns[i]) ++gpu->next;
      if (gpu->next == stretches.size() || stretches.start_ns(gpu->next) != table.start_ns[i]) continue;
      if (gpu->next > 0 && stretches.end_ns(gpu->next - 1) == table.start_ns[i]) continue;  // no gap
      std::uint32_t& call = gpu->call[gpu->next];
      if (call == kNothingYet)
        call = launches_.call(table.process[i], table.correlation[i]).value_or(kNoCall);
    }
  }

  IdleRow row_of(const GpuGaps& gaps) const {
    IdleRow row{timeline_.span};
    for (std::size_t i = 0; i < gaps.call.size(); ++i) add(row, gaps, i);
    row.add(Category::idle_no_more, 0);
    row.finish(*gaps.stretches);
    return row;
  }

  void add(IdleRow& row, const GpuGaps& gaps, std::size_t i) const {
    const std::uint32_t call_row = gaps.call[i];
    if (call_row >= trace_.api_calls.size()) return row.add(Category::idle_unknown, 0);
    const trace::Span call = trace_.api_calls.span(call_row), gap = row.gap(*gaps.stretches, i);
    if (call.end_ns <= gap.start_ns) return row.add(Category::idle_waiting, 0);
    const std::int64_t launch_from_ns = std::clamp(call.start_ns, gap.start_ns, gap.end_ns);
    const bool waited = launch_from_ns > gap.start_ns && blocking_.held_up(call_row, gap.start_ns);
    row.add(waited ? Category::idle_sync : Category::idle_host, distance_ns(launch_from_ns, gap.end_ns));
  }

  const trace::Trace& trace_;
  const Timeline& timeline_;
  const analyzer::LaunchIndex& launches_;
  analyzer::BlockingCalls blocking_;
  std::map<GpuKey, GpuGaps> gaps_;
};

}  // namespace

std::vector<IdleRow> find_idle_causes(const trace::Trace& trace, const Timeline& timeline,
                                      const analyzer::LaunchIndex& launches) {
  return CauseFinder{trace, timeline, launches}.find();
}

}  // namespace gputrace::gui
