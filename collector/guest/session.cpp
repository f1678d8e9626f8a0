#include "collector/guest/session.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "collector/guest/capture_switch.h"
#include "collector/guest/guarded.h"
#include "collector/guest/helper_thread.h"
#include "collector/guest/host_clock.h"
#include "collector/guest/notice.h"
#include "collector/guest/process_description.h"

namespace gputrace::guest {

namespace {

constexpr std::size_t kCuptiBufferBytes = 512 << 10;
constexpr std::size_t kThreadTexts = 4096, kThreadTextBytes = 256 << 10;
constexpr std::uint32_t kExitLimitMs = 5000;

std::atomic<Session*> g_session{nullptr};
Session* g_ended = nullptr;                     // kept reachable: threads of the host may still hold their lanes
std::atomic<bool> g_tried{false};               // this process has decided whether to record
std::atomic<std::uint32_t> g_generation{1};     // changes in a forked child: lanes of the parent are not the child's
pthread_mutex_t g_start_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t g_thread_end;

struct ThreadState {
  Lane* lane = nullptr;
  std::uint32_t generation = 0;
};
thread_local ThreadState t_state;

timespec deadline_in_ns(std::int64_t ns) noexcept {
  const std::int64_t at = clock_ns(CLOCK_MONOTONIC) + std::max<std::int64_t>(ns, 0);
  return {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000};
}

timespec deadline_in(std::uint32_t ms) noexcept { return deadline_in_ns(std::int64_t{ms} * 1'000'000); }

bool wait_until(sem_t& semaphore, const timespec& deadline) noexcept {
  while (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

void on_thread_end(void* lane) noexcept {
  t_state = {};
  static_cast<Lane*>(lane)->retired.store(true, std::memory_order_release);
}

// The child has the calling thread alone, and none of ours: forget the parent's session, whatever state it was in.
void in_forked_child() noexcept {
  g_session.store(nullptr, std::memory_order_relaxed);
  g_tried.store(false, std::memory_order_relaxed);
  g_generation.fetch_add(1, std::memory_order_relaxed);
  new (&g_start_lock) pthread_mutex_t(PTHREAD_MUTEX_INITIALIZER);
}

void at_exit() noexcept {
  guarded("at_exit", [] {
    if (Session* session = g_session.load(std::memory_order_acquire)) session->end(kExitLimitMs);
  });
}

}  // namespace

// Handlers run in reverse order: one registered after CUPTI was loaded runs before CUPTI's own, when it can still be
// flushed. Ending twice does nothing.
void end_at_exit() noexcept {
  std::atexit(at_exit);
  std::at_quick_exit(at_exit);
}

namespace {

void register_handlers_once() {
  static const bool registered = [] {
    pthread_key_create(&g_thread_end, on_thread_end);
    pthread_atfork(nullptr, nullptr, in_forked_child);
    end_at_exit();
    return true;
  }();
  static_cast<void>(registered);
}

std::uint64_t records_in(const std::uint8_t* payload, std::uint32_t bytes) {
  std::uint64_t records = 0;
  for (std::uint32_t at = 0; at < bytes; ++records) {
    spool::RecordHeader header;
    std::memcpy(&header, payload + at, sizeof header);
    at += header.words * 8U;
  }
  return records;
}

}  // namespace

void switch_off(const char* where) noexcept {
  if (Session* session = g_session.load(std::memory_order_acquire)) session->switch_off(where);
}

void Session::switch_off(const char* where) noexcept {
  const char* none = nullptr;
  switched_off_in_.compare_exchange_strong(none, where, std::memory_order_relaxed);
  services_.recording.store(false, std::memory_order_relaxed);
}

Session* Session::current() noexcept {
  Session* session = g_session.load(std::memory_order_acquire);
  if (session != nullptr || g_tried.load(std::memory_order_acquire)) return session;
  guarded("start", [] {
    Options options = Options::from_environment();
    if (options.spool_directory.empty()) {
      g_tried.store(true, std::memory_order_release);
    } else {
      begin(std::move(options));
    }
  });
  return g_session.load(std::memory_order_acquire);
}

Session* Session::begin(Options options) {
  pthread_mutex_lock(&g_start_lock);
  Session* session = nullptr;
  if (g_session.load(std::memory_order_relaxed) == nullptr) {
    register_handlers_once();
    session = new (std::nothrow) Session(std::move(options));
    if (session != nullptr && session->start_threads()) g_session.store(session, std::memory_order_release);
  }
  g_tried.store(true, std::memory_order_release);
  pthread_mutex_unlock(&g_start_lock);
  return session;
}

Session::Session(Options options)
    : options_(std::move(options)), window_(options_.capture, [this] {
        std::uint8_t ignored = 0;
        return now_ns(ignored);
      }) {
  sem_init(&wake_writer_, 0, 0);
  sem_init(&wake_flusher_, 0, 0);
  sem_init(&writer_done_, 0, 0);
  sem_init(&flusher_done_, 0, 0);
  services_.blocks = &blocks_;
  services_.context = this;
  services_.block_is_full = [](void* self) noexcept { sem_post(&static_cast<Session*>(self)->wake_writer_); };
  file_.header().pid = getpid();
  file_.header().parent_pid = getppid();
  file_.header().start_realtime_ns = clock_ns(CLOCK_REALTIME);
  file_.header().flush_period_ms = options_.flush_period_ms;
  file_.header().capture_limited = window_.limited();
}

bool Session::start_threads() noexcept {
  const std::size_t half = options_.buffer_bytes / 2;
  if (!blocks_.create(half, kBlockBytes) || !cupti_buffers_.create(half, kCuptiBufferBytes)) return false;
  services_.recording.store(true, std::memory_order_relaxed);
  const auto body = [](void* self) -> void* {
    guarded("writer", [self] { static_cast<Session*>(self)->write_loop(); });
    return nullptr;
  };
  if (!start_thread(body, this, "gputrace-writer")) return false;
  if (!options_.capture_switch.empty()) follow_capture_switch(*this);
  return true;
}

bool Session::end(std::uint32_t limit_ms) noexcept {
  const timespec deadline = deadline_in(limit_ms);
  bool in_time = true;
  if (flush_.load(std::memory_order_acquire) != nullptr && !stop_flusher_.exchange(true)) {
    sem_post(&wake_flusher_);
    in_time = wait_until(flusher_done_, deadline);
  }
  if (!stop_writer_.exchange(true)) {
    // The writer gets a moment of its own where CUPTI has used up the time.
    const timespec last = deadline_in(limit_ms / 4 + 1);
    sem_post(&wake_writer_);
    in_time = wait_until(writer_done_, in_time ? deadline : last) && in_time;
  }
  Session* self = this;
  if (g_session.compare_exchange_strong(self, nullptr)) {
    previous_ = g_ended;
    g_ended = this;
  }
  g_generation.fetch_add(1, std::memory_order_relaxed);
  return in_time;
}

Lane* Session::thread_lane() {
  const std::uint32_t generation = g_generation.load(std::memory_order_relaxed);
  if (t_state.generation == generation) return t_state.lane;
  Lane* lane = take_retired_lane();
  if (lane == nullptr) lane = new_lane(kThreadTexts, kThreadTextBytes);
  if (lane == nullptr) return nullptr;
  std::array<char, 17> name{};
  prctl(PR_GET_NAME, name.data());
  lane->start_thread(static_cast<std::uint32_t>(syscall(SYS_gettid)), name.data());
  t_state = {lane, generation};
  pthread_setspecific(g_thread_end, lane);
  return lane;
}

Lane* Session::take_retired_lane() noexcept {
  for (Lane* lane = lanes_.load(std::memory_order_acquire); lane != nullptr; lane = lane->next_lane) {
    bool retired = true;
    if (lane->retired.load(std::memory_order_relaxed) &&
        lane->retired.compare_exchange_strong(retired, false, std::memory_order_acquire)) {
      return lane;
    }
  }
  return nullptr;
}

Lane* Session::new_lane(std::size_t max_texts, std::size_t max_text_bytes) {
  Lane* lane = new (std::nothrow) Lane(services_, next_lane_id_++, max_texts, max_text_bytes);
  if (lane == nullptr) return nullptr;
  Lane* head = lanes_.load(std::memory_order_relaxed);
  do {
    lane->next_lane.store(head, std::memory_order_relaxed);
  } while (!lanes_.compare_exchange_weak(head, lane, std::memory_order_release, std::memory_order_relaxed));
  return lane;
}

std::int64_t Session::now_ns(std::uint8_t& flags) noexcept {
  std::uint64_t time = 0;
  const TimestampFunction clock = clock_.load(std::memory_order_relaxed);
  if (clock != nullptr && clock(&time) == 0) return static_cast<std::int64_t>(time);
  flags |= spool::kRealtime;
  return clock_ns(CLOCK_REALTIME);
}

void Session::use_clock(TimestampFunction clock, Lane& lane) {
  if (clock_.load(std::memory_order_relaxed) != nullptr) return;
  // Of a few readings the one that took least is nearest to simultaneous.
  spool::ClockRecord best;
  std::int64_t best_width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    std::uint64_t cupti = 0;
    const std::int64_t before = clock_ns(CLOCK_REALTIME);
    if (clock(&cupti) != 0) return;
    const std::int64_t after = clock_ns(CLOCK_REALTIME);
    if (after - before >= best_width) continue;
    best_width = after - before;
    best.realtime_ns = before + best_width / 2;
    best.cupti_ns = static_cast<std::int64_t>(cupti);
  }
  if (!lane.write(spool::RecordType::clock, best)) return;
  const std::int64_t ahead_ns = best.cupti_ns - best.realtime_ns;
  const bool same = ahead_ns <= spool::kSameClockNs && ahead_ns >= -spool::kSameClockNs;
  window_.change_clock(same ? 0 : ahead_ns, [&] { clock_.store(clock, std::memory_order_relaxed); });
}

void Session::look_after_new_window() noexcept {
  if (options_.capture.duration_ns != 0) sem_post(&wake_writer_);
}

void Session::trigger_begins() {
  window_.trigger_begins();
  look_after_new_window();
}

void Session::set_switch(bool on) {
  window_.set_switch(on);
  look_after_new_window();
}

void Session::call_periodically(FlushFunction flush) {
  FlushFunction none = nullptr;
  if (!flush_.compare_exchange_strong(none, flush, std::memory_order_acq_rel)) return;
  const auto body = [](void* self) -> void* {
    guarded("flusher", [self] { static_cast<Session*>(self)->flush_loop(); });
    return nullptr;
  };
  if (!start_thread(body, this, "gputrace-flush")) flush_.store(nullptr, std::memory_order_release);
}

void Session::flush_loop() {
  const FlushFunction flush = flush_.load(std::memory_order_acquire);
  while (!wait_until(wake_flusher_, deadline_in(options_.flush_period_ms))) flush(false);
  flush(true);
  sem_post(&flusher_done_);
}

void Session::write_loop() {
  if (!file_.open(options_.spool_directory, options_.keep)) {
    services_.recording.store(false, std::memory_order_relaxed);
    give_notice(options_.notice_socket, file_.error());
  } else {
    writer_lane_ = new_lane(256, 256 << 10);
    if (writer_lane_ != nullptr) describe_process(options_, *writer_lane_);
  }
  std::int64_t next_flush_ns = 0;  // CLOCK_MONOTONIC
  while (!stop_writer_.load(std::memory_order_acquire)) {
    const std::int64_t edge_in_ns = window_.keep_time(clock_ns(CLOCK_REALTIME)) - clock_ns(CLOCK_REALTIME);
    const std::int64_t left_ns = next_flush_ns - clock_ns(CLOCK_MONOTONIC);
    if (left_ns <= 0) {
      flush_spool(spool::State::recording);
      next_flush_ns = clock_ns(CLOCK_MONOTONIC) + std::int64_t{options_.flush_period_ms} * 1'000'000;
      continue;
    }
    const bool woken = wait_until(wake_writer_, deadline_in_ns(std::min(left_ns, edge_in_ns)));
    while (woken && sem_trywait(&wake_writer_) == 0) {
    }
    work(false);
  }
  // A window that is still open is not cut: what is left of it is written now.
  flush_spool(spool::State::finished);
  services_.recording.store(false, std::memory_order_relaxed);
  file_.close();
  sem_post(&writer_done_);
}

void Session::flush_spool(spool::State state) {
  const std::int64_t drained_from_ns = clock_ns(CLOCK_REALTIME);
  work(true);
  update_header(state, drained_from_ns);
}

// drain(), and what it took as a record, which is written with the next.
void Session::work(bool all) {
  spool::OwnTimeRecord record{{.id = static_cast<std::uint32_t>(spool::OwnWork::writing)}};
  record.start_ns = now_ns(record.header.flags);
  const std::uint64_t before = drained_bytes_;
  drain(all);
  if (drained_bytes_ == before || writer_lane_ == nullptr || !window_.is_open()) return;
  std::uint8_t flags = 0;
  record.end_ns = now_ns(flags);
  if (flags != record.header.flags) return;  // two clocks give no span
  record.tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  writer_lane_->write(spool::RecordType::own_time, record);
}

void Session::drain(bool all) {
  for (Lane* lane = lanes_.load(std::memory_order_acquire); lane != nullptr; lane = lane->next_lane) {
    lane->drain(all, [&](const std::uint8_t* payload, std::uint32_t bytes) {
      if (lane != writer_lane_) drained_bytes_ += bytes;
      if (file_.is_open() && file_.append(lane->id(), payload, bytes)) return;
      dropped_write_failed_ += records_in(payload, bytes);
      services_.recording.store(false, std::memory_order_relaxed);
    });
  }
}

void Session::update_header(spool::State state, std::int64_t drained_from_ns) {
  auto& header = file_.header();
  if (header.state == spool::State::recording) header.state = state;
  header.dropped_by_cupti = dropped_by_cupti_;
  header.dropped_no_buffer = services_.dropped_no_buffer;
  header.dropped_write_failed = dropped_write_failed_;
  header.refused_cupti_buffers = refused_cupti_buffers_;
  if (const char* where = switched_off_in_) {
    std::strncpy(header.switched_off_in, where, sizeof header.switched_off_in - 1);
  }
  header.capture_windows = window_.windows();
  header.cut_events = cut_events_;
  if (file_.is_open()) file_.flush(drained_from_ns);
}

}  // namespace gputrace::guest
