// The profiler's buffers: requested when a record needs one, given back when full or flushed. Its callbacks are called
// without the state lock, so they may flush, walk records and ask for the time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include <cupti.h>

namespace trainer::virtual_box {

class RecordBuffers {
 public:
  void set_callbacks(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed);
  bool has_callbacks() const { return complete_.load() != nullptr; }

  // Copies the record, or drops and counts it where the profiler gives no buffer that holds it.
  void append(const void* record, std::size_t size_bytes);
  template <class Record>
  void append(const Record& record) {
    append(&record, sizeof(record));
  }
  void flush();
  std::size_t take_dropped() { return dropped_.exchange(0); }
  // Flushes every period of real time, from a thread of its own as CUPTI's; 0 ends that. It moves the borders between
  // buffers, never what is in them.
  void set_flush_period(std::uint32_t period_ms);

 private:
  struct Buffer {
    std::uint8_t* data = nullptr;
    std::size_t size_bytes = 0, used_bytes = 0;
    std::size_t records = 0, max_records = 0;  // 0: as many as fit
    bool holds(std::size_t bytes) const {
      return data && used_bytes + bytes <= size_bytes && (max_records == 0 || records < max_records);
    }
    void store(const void* record, std::size_t record_bytes);
  };
  Buffer take_current();
  void give_back(const Buffer& buffer);
  Buffer request();
  void flush_periodically();

  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete_{nullptr};
  std::atomic<std::size_t> dropped_{0};
  std::mutex appending_;  // one appender at a time; held across the request callback
  std::mutex current_lock_;
  Buffer current_;        // under current_lock_; empty or with at least one record
  std::mutex period_lock_;
  std::condition_variable period_changed_;
  std::uint32_t period_ms_ = 0;  // under period_lock_
  bool flusher_started_ = false;
};

}  // namespace trainer::virtual_box
