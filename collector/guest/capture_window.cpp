#include "collector/guest/capture_window.h"

#include <algorithm>
#include <array>

#include "collector/guest/host_clock.h"

namespace gputrace::guest {

namespace {

// Records of a window come within a flush period or two of its end; spans older than these many find none any more.
constexpr std::size_t kMostSpans = 4096;
constexpr std::size_t kStepNameBytes = 64;

// "Step #12" -> "step": as the analysis recognises steps by name.
std::string step_key(std::string_view range) {
  std::string key;
  for (const char c : range.substr(0, kStepNameBytes)) {
    if (c < '0' || c > '9') key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  key.erase(key.find_last_not_of(" #:_-=()[].") + 1);
  return key;
}

}  // namespace

void CaptureRules::set_trigger(std::string_view text) {
  constexpr std::string_view kNvtx = "nvtx:";
  if (text == "profiler-api") trigger = Trigger::profiler_api;
  if (!text.starts_with(kNvtx)) return;
  trigger = Trigger::nvtx_range;
  text.remove_prefix(kNvtx.size());
  const std::size_t at = text.rfind('@');
  range = text.substr(0, at);
  domain = at == text.npos ? "" : text.substr(at + 1);
}

bool KeptTimes::keep(std::int64_t start_ns) const noexcept {
  if (spans_.empty()) return false;
  if (start_ns == 0) return spans_.back().end_ns == INT64_MAX;
  const auto after = std::upper_bound(spans_.begin(), spans_.end(), start_ns,
                                      [](std::int64_t time, const Span& span) { return time < span.start_ns; });
  return after != spans_.begin() && start_ns < std::prev(after)->end_ns;
}

CaptureWindow::CaptureWindow(CaptureRules rules, Clock clock)
    : rules_(std::move(rules)), clock_(std::move(clock)), limited_(rules_.limit_anything()) {
  if (limited_) keep_time(realtime_ns());
  else open_ = true;
}

bool CaptureWindow::is_trigger(std::string_view range, std::string_view domain) const noexcept {
  return rules_.trigger == CaptureRules::Trigger::nvtx_range && range == rules_.range &&
         (rules_.domain == "*" || domain == rules_.domain);
}

void CaptureWindow::trigger_begins() {
  const std::lock_guard held(lock_);
  update_locked(++open_triggers_ > 0);
}

void CaptureWindow::trigger_ends() {
  const std::lock_guard held(lock_);
  if (open_triggers_ > 0) --open_triggers_;
  update_locked(open_triggers_ > 0);
}

void CaptureWindow::set_switch(bool on) {
  const std::lock_guard held(lock_);
  open_triggers_ = on ? 1 : 0;
  update_locked(on);
}

bool CaptureWindow::is_step(std::string_view range) const {
  if (rules_.until_steps == 0) return false;
  if (!rules_.step_range.empty()) return range == rules_.step_range;
  constexpr std::array<std::string_view, 6> kNames{"step", "iteration", "iter", "train_step", "profilerstep", "train step"};
  return std::find(kNames.begin(), kNames.end(), step_key(range)) != kNames.end();
}

void CaptureWindow::step_ends(std::uint32_t thread) {
  const std::lock_guard held(lock_);
  if (!is_open()) return;
  if (steps_ == 0) step_thread_ = thread;
  if (thread == step_thread_ && ++steps_ >= rules_.until_steps) end_locked();
}

std::int64_t CaptureWindow::keep_time(std::int64_t realtime_now_ns) {
  if (!limited_) return INT64_MAX;
  const std::lock_guard held(lock_);
  if (is_over()) return INT64_MAX;
  if (realtime_now_ns >= until_realtime_ns_) return end_locked(), INT64_MAX;
  time_has_come_ = realtime_now_ns >= rules_.from_realtime_ns;
  update_locked(open_triggers_ > 0);
  return time_has_come_ ? until_realtime_ns_ : rules_.from_realtime_ns;
}

void CaptureWindow::update_locked(bool triggered) {
  const bool wanted = time_has_come_ && !is_over() && (triggered || rules_.trigger == CaptureRules::Trigger::none);
  if (wanted == is_open()) return;
  const std::int64_t now_ns = clock_();
  if (!wanted) {
    spans_.back().end_ns = now_ns;
  } else {
    if (spans_.size() >= 2 * kMostSpans) spans_.erase(spans_.begin(), spans_.begin() + kMostSpans);
    spans_.push_back({now_ns, INT64_MAX});
    if (windows_++ == 0 && rules_.duration_ns != 0) {
      const bool by_time = rules_.trigger == CaptureRules::Trigger::none && rules_.from_realtime_ns != 0;
      until_realtime_ns_ = (by_time ? rules_.from_realtime_ns : realtime_ns()) + rules_.duration_ns;
    }
  }
  open_ = wanted;
}

void CaptureWindow::end_locked() {
  over_ = true;
  update_locked(false);
}

KeptTimes CaptureWindow::kept_times() const {
  const std::lock_guard held(lock_);
  return KeptTimes(spans_);
}

void CaptureWindow::change_clock(std::int64_t ahead_ns, const std::function<void()>& change) {
  const std::lock_guard held(lock_);
  for (KeptTimes::Span& span : spans_) {
    span.start_ns += ahead_ns;
    if (span.end_ns != INT64_MAX) span.end_ns += ahead_ns;
  }
  change();
}

}  // namespace gputrace::guest
