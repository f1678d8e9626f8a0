#include "gui/legend.h"

#include "gui/idle_causes.h"

namespace gputrace::gui {

CategorySet legend_of(const Timeline& timeline, const std::vector<IdleRow>& idle) {
  BusyByCategory ns{};
  for (const Lane& lane : timeline.lanes)
    if (lane.kind != LaneKind::nvtx_domain)
      for (const EventRow& row : lane.rows) row.add_busy(timeline.span, ns);
  for (std::size_t l = 0; l < idle.size(); ++l)
    if (!idle[l].empty()) idle[l].add_idle(stretches_of(timeline.lanes[l]), timeline.span, ns);
  CategorySet shown;
  for (std::size_t c = 0; c < kCategoryCount; ++c) shown.set(c, ns[c] > 0);
  return shown;
}

}  // namespace gputrace::gui
