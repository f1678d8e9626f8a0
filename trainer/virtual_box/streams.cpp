#include "trainer/virtual_box/streams.h"

#include <algorithm>
#include <utility>

namespace trainer::virtual_box {

int Streams::add() {
  streams_.emplace_back();
  return static_cast<int>(streams_.size()) - 1;
}

StreamPoint Streams::submit(int stream, std::int64_t visible_ns, std::vector<StreamPoint> after, Begin begin) {
  Stream& queue = streams_[stream];
  std::erase_if(after, [this](const StreamPoint& point) { return reached(point); });
  queue.queue.push_back({visible_ns, std::move(after), std::move(begin)});
  ++queue.submitted;
  scheduler_.at(visible_ns, [this, stream] { begin_if_ready(stream); });
  return last(stream);
}

StreamPoint Streams::last(int stream) const { return {stream, streams_[stream].submitted}; }

bool Streams::reached(const StreamPoint& point) const { return streams_[point.stream].done >= point.sequence; }

bool Streams::full(int stream) const { return streams_[stream].submitted - streams_[stream].done >= queue_limit_; }

void Streams::park_until(const StreamPoint& point) {
  if (reached(point)) return;
  waiters_.push_back({&scheduler_.current(), point});
  scheduler_.park();
}

void Streams::park_while_full(int stream) {
  while (full(stream)) park_until({stream, streams_[stream].submitted - queue_limit_ + 1});
}

void Streams::begin_if_ready(int stream) {
  Stream& queue = streams_[stream];
  if (queue.running || queue.queue.empty()) return;
  const Command& first = queue.queue.front();
  if (first.visible_ns > scheduler_.now_ns()) return;  // its own event comes
  if (!std::all_of(first.after.begin(), first.after.end(), [this](const StreamPoint& point) { return reached(point); })) return;
  queue.running = true;
  const Begin begin = first.begin;
  begin([this, stream] { finish(stream); });
}

void Streams::finish(int stream) {
  Stream& queue = streams_[stream];
  queue.queue.pop_front();
  ++queue.done;
  queue.running = false;
  for (const Waiter& waiter : waiters_)
    if (reached(waiter.point)) scheduler_.release(*waiter.thread, scheduler_.now_ns());
  std::erase_if(waiters_, [this](const Waiter& waiter) { return reached(waiter.point); });
  // An event of its own, so that a long run of empty commands does not nest; any stream's head may have waited for this one.
  for (int other = 0; other < static_cast<int>(streams_.size()); ++other) {
    const Stream& waiting = streams_[other];
    if (other == stream || (!waiting.running && !waiting.queue.empty() && !waiting.queue.front().after.empty()))
      scheduler_.at(scheduler_.now_ns(), [this, other] { begin_if_ready(other); });
  }
}

}  // namespace trainer::virtual_box
