// The recording of this process: buffers, lanes, and the thread that writes them to the spool. The one global of the
// library; never destroyed, since callbacks and threads of the host may come until the very end of the process.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <cstdint>

#include "collector/guest/buffer_pool.h"
#include "collector/guest/capture_window.h"
#include "collector/guest/lane.h"
#include "collector/guest/options.h"
#include "collector/guest/spool_writer.h"

namespace gputrace::guest {

using TimestampFunction = std::uint32_t (*)(std::uint64_t*);  // cuptiGetTimestamp
using FlushFunction = void (*)(bool forced) noexcept;

class Session {
 public:
  // The session of this process, begun on first use; null where nothing is to be recorded. A forked child gets its own.
  static Session* current() noexcept;
  // As current(), with options given instead of the environment's; null where one is running already. For tests.
  static Session* begin(Options options);
  // Writes out all and closes the spool; waits at most `limit_ms`, and then leaves the threads to themselves.
  // False: not all was written in time.
  bool end(std::uint32_t limit_ms) noexcept;

  const Options& options() const { return options_; }
  bool recording() const noexcept { return services_.recording.load(std::memory_order_relaxed); }

  Lane* thread_lane();                // the calling thread's; null where memory is out
  Lane* new_lane(std::size_t max_texts, std::size_t max_text_bytes);  // for a caller that takes turns by a lock
  CaptureWindow& window() noexcept { return window_; }
  void count_cut(std::uint64_t events) noexcept { cut_events_.fetch_add(events, std::memory_order_relaxed); }
  void trigger_begins();  // of the window; the writer then looks after its end
  void set_switch(bool on);
  BufferPool& cupti_buffers() noexcept { return cupti_buffers_; }

  // Host time: CUPTI's clock once it is known. `flags` gets spool::kRealtime where it is not.
  std::int64_t now_ns(std::uint8_t& flags) noexcept;
  void use_clock(TimestampFunction clock, Lane& lane);  // writes the offset between the clocks into `lane`
  bool has_clock() const noexcept { return clock_.load(std::memory_order_relaxed) != nullptr; }

  void call_periodically(FlushFunction flush);
  void count_dropped_by_cupti(std::uint64_t records) noexcept { dropped_by_cupti_ += records; }
  void count_refused_cupti_buffer() noexcept { ++refused_cupti_buffers_; }

  void switch_off(const char* where) noexcept;

 private:
  explicit Session(Options options);
  bool start_threads() noexcept;
  void write_loop();
  void drain(bool all);
  void update_header(spool::State state, std::int64_t drained_from_ns);
  void flush_spool(spool::State state);
  void work(bool all);
  void look_after_new_window() noexcept;
  void flush_loop();
  Lane* take_retired_lane() noexcept;

  Options options_;
  Session* previous_ = nullptr;  // ended before this one
  BufferPool blocks_, cupti_buffers_;
  LaneServices services_;
  std::atomic<Lane*> lanes_{nullptr};
  std::atomic<std::uint32_t> next_lane_id_{1};
  std::atomic<TimestampFunction> clock_{nullptr};
  std::atomic<FlushFunction> flush_{nullptr};
  std::atomic<std::uint64_t> dropped_by_cupti_{0}, refused_cupti_buffers_{0}, cut_events_{0};
  std::atomic<const char*> switched_off_in_{nullptr};
  std::uint64_t dropped_write_failed_ = 0;  // the writer's
  std::uint64_t drained_bytes_ = 0;         // the writer's; of all lanes but its own
  Lane* writer_lane_ = nullptr;             // the writer's
  SpoolWriter file_;                        // the writer's
  CaptureWindow window_;
  std::atomic<bool> stop_flusher_{false}, stop_writer_{false};
  sem_t wake_writer_, wake_flusher_, writer_done_, flusher_done_;
};

// Has the session end when the process exits, before all that has been loaded up to now is torn down.
void end_at_exit() noexcept;

}  // namespace gputrace::guest
