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
  if (store(record, size_bytes)) return;
  give_back(take_current());
  const Buffer fresh = request();
  {
    const std::lock_guard lock(current_lock_);
    current_ = fresh;
  }
  if (!store(record, size_bytes)) ++dropped_;
}

bool RecordBuffers::store(const void* record, std::size_t size_bytes) {
  const std::lock_guard lock(current_lock_);
  if (!current_.holds(size_bytes)) return false;
  std::memcpy(current_.data + current_.used_bytes, record, size_bytes);
  current_.used_bytes += size_bytes;
  ++current_.records;
  return true;
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
