#include "gui/idle_gap.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/event_text.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

EventRef event_starting_at(const Timeline& timeline, std::size_t gpu_lane, std::int64_t time_ns) {
  for (std::size_t l = gpu_lane + 1;
       l < timeline.lanes.size() && timeline.lanes[l].depth > timeline.lanes[gpu_lane].depth; ++l) {
    if (timeline.lanes[l].kind != LaneKind::stream) continue;
    for (const EventRow& row : timeline.lanes[l].rows) {
      const std::size_t i = row.first_starting_from(time_ns);
      if (i < row.size() && row.start_ns(i) == time_ns) return row.ref(i);
    }
  }
  return {};
}

// The host's part in the gap: it came late, or came late because it had waited for the GPU.
void explain_late(const Session& session, const std::string& api, const std::string& next, trace::Span call,
                  Category cause, IdleGap& gap) {
  const std::string late = duration_text(
      distance_ns(gap.span.start_ns, std::clamp(call.start_ns, gap.span.start_ns, gap.span.end_ns)));
  if (cause == Category::idle_sync)
    gap.why = fmt::format(
        "The host waited for the GPU in a blocking call that ended in this gap, and called {} for '{}' only {} "
        "after the GPU had run dry.",
        api, next, late);
  else
    gap.why = fmt::format("The host called {} for '{}' only {} after the GPU had run dry.", api, next, late);
  if (!session.trace.has(trace::Table::synchronizations) && cause == Category::idle_host)
    gap.why += " What it did meanwhile is in the lanes of its thread.";
}

void explain(const Session& session, Category cause, IdleGap& gap) {
  gap.cause = std::string{name(cause)}.substr(std::string_view{"idle: "}.size());
  if (!gap.next.valid()) {
    gap.cause = "no more work";
    gap.why = "Nothing ran on this GPU afterwards.";
    return;
  }
  const std::string next = event_label(session, gap.next);
  const auto calls = linked_events(session, gap.next);
  if (calls.empty()) {
    gap.why = fmt::format("The call that launched '{}', which ended the gap, was not captured.", next);
    return;
  }
  const trace::Span call = event_span(session.trace, calls.front());
  const std::string api = event_label(session, calls.front());
  const bool called_late = call.start_ns > gap.span.start_ns;
  if (cause == Category::idle_waiting)
    gap.why = fmt::format(
        "'{}' had been launched before the gap began: it waited for another stream, copy, event or GPU.", next);
  else if (cause != Category::idle_launch)
    explain_late(session, api, next, call, cause, gap);
  else
    gap.why = fmt::format("{} for '{}' was {}: launch latency.", api, next,
                          called_late ? "called soon after the GPU had run dry, and took the rest of the gap"
                                      : "under way when the GPU ran dry");
}

// The longest piece of the gap names it.
Category main_cause(const Session& session, std::size_t lane, std::size_t gap) {
  std::vector<IdlePiece> pieces;
  session.idle[lane].append_pieces(stretches_of(session.timeline.lanes[lane]), gap, pieces);
  const auto longest = std::max_element(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return a.span.duration_ns() < b.span.duration_ns();
  });
  return longest == pieces.end() ? Category::idle_unknown : longest->cause;
}

}  // namespace

std::optional<IdleGap> idle_gap_at(const Session& session, std::size_t lane, std::int64_t time_ns) {
  const Lane& gpu = session.timeline.lanes[lane];
  if (gpu.kind != LaneKind::gpu) return std::nullopt;
  const EventRow& busy = gpu.rows.front();
  const std::size_t next = busy.first_ending_after(time_ns);
  if (next < busy.size() && busy.start_ns(next) <= time_ns) return std::nullopt;
  IdleGap gap{.span = session.timeline.span, .next = {}, .cause = {}, .why = {}};
  if (next > 0) gap.span.start_ns = busy.end_ns(next - 1);
  if (next < busy.size()) {
    gap.span.end_ns = busy.start_ns(next);
    gap.next = event_starting_at(session.timeline, lane, gap.span.end_ns);
  }
  if (time_ns < gap.span.start_ns || time_ns >= gap.span.end_ns) return std::nullopt;
  if (lane < session.idle.size() && next < session.idle[lane].size())
    explain(session, main_cause(session, lane, next), gap);
  else
    gap.cause = gap.why = "The causes of idle time are still being found.";
  return gap;
}

}  // namespace gputrace::gui
