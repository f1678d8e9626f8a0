#include "gui/device_activity.h"

#include <algorithm>

namespace gputrace::gui {

// What ends where other work starts leaves no gap: the state at a time is settled when all that starts then has come.
void DeviceActivity::add(Work work, trace::Span span) {
  if (!now_ns_) row_.reserve(expected_);
  if (now_ns_ && *now_ns_ != span.start_ns) {
    settle();
    while (!running_.empty() && running_.front().end_ns <= span.start_ns) {
      end_all_at(running_.front().end_ns);
      if (*now_ns_ < span.start_ns) settle();
    }
  }
  now_ns_ = span.start_ns;
  if (span.end_ns <= span.start_ns) return;
  running_.push_back({span.end_ns, work});
  std::push_heap(running_.begin(), running_.end());
  ++count_[static_cast<std::size_t>(work)];
}

EventRow DeviceActivity::build() {
  if (now_ns_) settle();
  while (!running_.empty()) {
    end_all_at(running_.front().end_ns);
    settle();
  }
  row_.finish();
  return std::move(row_);
}

void DeviceActivity::end_all_at(std::int64_t time_ns) {
  while (!running_.empty() && running_.front().end_ns == time_ns) {
    --count_[static_cast<std::size_t>(running_.front().work)];
    std::pop_heap(running_.begin(), running_.end());
    running_.pop_back();
  }
  now_ns_ = time_ns;
}

std::optional<Category> DeviceActivity::state() const {
  const auto [kernels, copies, fills] = count_;
  if (kernels > 0 && copies > 0) return Category::kernel_and_copy;
  if (kernels > 1) return Category::several_kernels;
  if (kernels == 1) return Category::one_kernel;
  if (copies > 0) return Category::only_copies;
  if (fills > 0) return Category::only_fills;
  return std::nullopt;
}

void DeviceActivity::settle() {
  const std::optional<Category> now = state();
  if (now == state_) return;
  if (state_) row_.add(since_ns_, *now_ns_, EventRef{}, *state_);
  state_ = now;
  since_ns_ = *now_ns_;
}

}  // namespace gputrace::gui
