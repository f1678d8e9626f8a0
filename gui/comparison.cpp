#include "gui/comparison.h"

#include <algorithm>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

// The step that the time lies in, or the last before it; the first where all are later.
std::size_t step_at(const std::vector<trace::Span>& steps, std::int64_t time_ns) {
  const auto later = std::upper_bound(steps.begin(), steps.end(), time_ns,
                                      [](std::int64_t ns, const trace::Span& step) { return ns < step.start_ns; });
  return later == steps.begin() ? 0 : static_cast<std::size_t>(later - steps.begin()) - 1;
}

double offset_of(const Viewer& viewer, std::int64_t time_ns) { return offset_ns(viewer.view.origin_ns, time_ns); }

double ahead_ns(const Viewer& above, const Viewer& below) {
  const auto& a = above.session.diagnosis;
  const auto& b = below.session.diagnosis;
  if (a.steps.spans.empty() || b.steps.spans.empty())
    return offset_of(below, b.window.start_ns) - offset_of(above, a.window.start_ns);
  const std::int64_t middle_ns = time_at(above.view.origin_ns, above.view.offset_ns + above.view.width_ns / 2);
  const std::size_t step = step_at(a.steps.spans, middle_ns);
  const std::size_t same = std::min(step, b.steps.spans.size() - 1);
  return offset_of(below, b.steps.spans[same].start_ns) - offset_of(above, a.steps.spans[step].start_ns);
}

}  // namespace

Comparison::Comparison(Viewer& above, const Session& other, analyzer::TraceDiff what_changed)
    : below{other, above.look}, diff{std::move(what_changed)} {
  below.leader = &above;
  below.view = aligned_view(above, below);
}

View aligned_view(const Viewer& above, Viewer& below) {
  below.ahead_ns = ahead_ns(above, below);
  View view = above.view;
  view.origin_ns = below.view.origin_ns;
  view.trace_ns = below.view.trace_ns;
  view.offset_ns += below.ahead_ns;
  return view;
}

}  // namespace gputrace::gui
