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
       l < timeline.lanes.size() && timeline.lanes[l].parent == static_cast<int>(gpu_lane); ++l) {
    if (timeline.lanes[l].kind != LaneKind::stream) continue;
    for (const EventRow& row : timeline.lanes[l].rows) {
      const std::size_t i = row.first_starting_from(time_ns);
      const Category category = i < row.size() ? row.category(i) : Category::fill;
      const bool counts_as_work = category != Category::fill && category != Category::graph_launch;
      if (i < row.size() && row.start_ns(i) == time_ns && counts_as_work) return row.ref(i);
    }
  }
  return {};
}

void explain(const Session& session, IdleGap& gap) {
  if (!gap.next.valid()) {
    gap.cause = "no more work";
    gap.why = "Nothing ran on this GPU afterwards.";
    return;
  }
  const std::string next = event_label(session, gap.next);
  const auto calls = linked_events(session, gap.next);
  if (calls.empty()) {
    gap.cause = "cause not captured";
    gap.why = fmt::format("The call that launched '{}', which ended the gap, was not captured.", next);
    return;
  }
  const trace::Span call = event_span(session.trace, calls.front());
  const std::string api = event_label(session, calls.front());
  if (call.end_ns <= gap.span.start_ns) {
    gap.cause = "waiting";
    gap.why = fmt::format(
        "'{}' had been launched before the gap began: it waited for another stream, copy, event or GPU.",
        next);
  } else if (call.start_ns > gap.span.start_ns) {
    gap.cause = "host late";
    gap.why =
        fmt::format("The host called {} for '{}' only {} after the GPU had run dry.", api, next,
                    duration_text(distance_ns(gap.span.start_ns, std::min(call.start_ns, gap.span.end_ns))));
  } else {
    gap.cause = "launch";
    gap.why = fmt::format("{} for '{}' was under way when the GPU ran dry: launch latency.", api, next);
  }
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
  explain(session, gap);
  return gap;
}

}  // namespace gputrace::gui
