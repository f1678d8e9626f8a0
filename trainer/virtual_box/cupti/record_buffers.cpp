#include "trainer/virtual_box/cupti/record_buffers.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace trainer::virtual_box {

void RecordBuffers::set_callbacks(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  request_ = requested;
  complete_ = completed;
}

void RecordBuffers::append(const void* record, std::size_t size_bytes) {
  const std::lock_guard one_appender(appending_);
  {
    const std::lock_guard lock(current_lock_);
    if (current_.holds(size_bytes)) return current_.store(record, size_bytes);
  }
  give_back(take_current());
  Buffer fresh = request();
  if (!fresh.holds(size_bytes)) {
    ++dropped_;
    return give_back(fresh);
  }
  fresh.store(record, size_bytes);  // before a flush can take it away
  const std::lock_guard lock(current_lock_);
  current_ = fresh;
}

void RecordBuffers::Buffer::store(const void* record, std::size_t record_bytes) {
  std::memcpy(data + used_bytes, record, record_bytes);
  used_bytes += record_bytes;
  ++records;
}

RecordBuffers::Buffer RecordBuffers::take_current() {
  const std::lock_guard lock(current_lock_);
  return std::exchange(current_, Buffer{});
}

void RecordBuffers::give_back(const Buffer& buffer) {
  const auto complete = complete_.load();
  if (buffer.data && complete) complete(nullptr, 0, buffer.data, buffer.size_bytes, buffer.used_bytes);
}

RecordBuffers::Buffer RecordBuffers::request() {
  Buffer buffer;
  if (const auto ask = request_.load()) ask(&buffer.data, &buffer.size_bytes, &buffer.max_records);
  return buffer;
}

void RecordBuffers::flush() { give_back(take_current()); }

void RecordBuffers::set_flush_period(std::uint32_t period_ms) {
  const std::lock_guard lock(period_lock_);
  period_ms_ = period_ms;
  period_changed_.notify_all();
  if (period_ms == 0 || flusher_started_) return;
  flusher_started_ = true;
  sigset_t all, before;  // the host's signals are for the host's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { flush_periodically(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void RecordBuffers::flush_periodically() {
  std::unique_lock lock(period_lock_);
  for (;;) {
    if (period_ms_ == 0) {
      period_changed_.wait(lock);
      continue;
    }
    if (period_changed_.wait_for(lock, std::chrono::milliseconds(period_ms_)) == std::cv_status::no_timeout) continue;
    lock.unlock();
    flush();
    lock.lock();
  }
}

}  // namespace trainer::virtual_box
