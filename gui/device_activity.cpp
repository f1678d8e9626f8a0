#include "gui/device_activity.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>

namespace gputrace::gui {
namespace {

// The starts and ends of spans in order of time, with how many run.
class Running {
 public:
  explicit Running(const std::vector<trace::Span>& spans) : spans_{spans} {}

  std::optional<std::int64_t> next_change_ns() const {
    if (next_ == spans_.size() && ends_.empty()) return std::nullopt;
    if (ends_.empty()) return spans_[next_].start_ns;
    return next_ == spans_.size() ? ends_.top() : std::min(ends_.top(), spans_[next_].start_ns);
  }
  void advance_to(std::int64_t now_ns) {
    while (!ends_.empty() && ends_.top() <= now_ns) ends_.pop();
    for (; next_ < spans_.size() && spans_[next_].start_ns <= now_ns; ++next_)
      if (spans_[next_].end_ns > now_ns) ends_.push(spans_[next_].end_ns);
  }
  std::size_t count() const { return ends_.size(); }

 private:
  const std::vector<trace::Span>& spans_;
  std::size_t next_ = 0;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends_;
};

std::vector<trace::Span> spans_of(const std::vector<EventRef>& events, const DrawnEvents& drawn) {
  std::vector<trace::Span> spans(events.size());
  std::transform(events.begin(), events.end(), spans.begin(), [&](EventRef event) { return drawn.span(event); });
  const auto earlier = [](trace::Span a, trace::Span b) { return a.start_ns < b.start_ns; };
  if (!std::is_sorted(spans.begin(), spans.end(), earlier)) std::sort(spans.begin(), spans.end(), earlier);
  return spans;
}

std::optional<Category> state(std::size_t kernels, std::size_t copies, std::size_t fills) {
  if (kernels > 0 && copies > 0) return Category::kernel_and_copy;
  if (kernels > 1) return Category::several_kernels;
  if (kernels == 1) return Category::one_kernel;
  if (copies > 0) return Category::only_copies;
  if (fills > 0) return Category::only_fills;
  return std::nullopt;
}

}  // namespace

EventRow device_activity(const GpuEvents& gpu, const DrawnEvents& drawn) {
  const std::vector<trace::Span> kernel_spans = spans_of(gpu.kernels, drawn), copy_spans = spans_of(gpu.copies, drawn),
                                 fill_spans = spans_of(gpu.fills, drawn);
  Running kernels{kernel_spans}, copies{copy_spans}, fills{fill_spans};
  EventRow row;
  std::optional<Category> now;
  std::int64_t since_ns = 0;
  for (;;) {
    std::optional<std::int64_t> time_ns;
    for (const Running* kind : {&kernels, &copies, &fills})
      if (const auto next = kind->next_change_ns(); next && (!time_ns || *next < *time_ns)) time_ns = next;
    if (!time_ns) break;
    for (Running* kind : {&kernels, &copies, &fills}) kind->advance_to(*time_ns);
    const std::optional<Category> next = state(kernels.count(), copies.count(), fills.count());
    if (next == now) continue;
    if (now) row.add(since_ns, *time_ns, EventRef{}, *now);
    now = next;
    since_ns = *time_ns;
  }
  row.finish();
  return row;
}

}  // namespace gputrace::gui
