#include "collector/guest/cupti_recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <string>

#include <cupti.h>

#include "collector/guest/activity_encoder.h"
#include "collector/guest/cupti_library.h"
#include "collector/guest/guarded.h"
#include "collector/guest/session.h"

namespace gputrace::guest {

namespace {

constexpr std::size_t kMaxTexts = 65536, kMaxTextBytes = 16 << 20;

// What the callbacks need. CUPTI calls them from its worker thread, from our flusher, and now and then from the
// host's threads.
struct Recorder {
  Recorder(Session& its_session, CuptiLibrary its_cupti, Lane& its_lane)
      : session(its_session), cupti(std::move(its_cupti)), record_bytes(measure_records(cupti)),
        encoder(cupti, its_lane, record_bytes) {}

  Session& session;
  CuptiLibrary cupti;
  std::array<std::uint32_t, kMaxActivityKinds> record_bytes;
  std::mutex lock;  // of the encoder and its lane; nothing under it waits
  ActivityEncoder encoder;
  int flushes_since_over = 0;  // the flusher's
};

// What recording took of this thread, from its making to its end: a row of the trace. The caller holds the recorder's lock at
// the end.
class OwnTime {
 public:
  OwnTime(Recorder& recorder, spool::OwnWork work) : recorder_(recorder) {
    record_.header.id = static_cast<std::uint32_t>(work);
    record_.start_ns = recorder_.session.now_ns(record_.header.flags);
  }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;
  void write() {
    std::uint8_t flags = 0;
    record_.end_ns = recorder_.session.now_ns(flags);
    if (flags != record_.header.flags || !recorder_.session.window().is_open()) return;  // two clocks give no span
    record_.tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    recorder_.encoder.lane().write(spool::RecordType::own_time, record_);
  }

 private:
  Recorder& recorder_;
  spool::OwnTimeRecord record_;
};

std::atomic<Recorder*> g_recorder{nullptr};  // null in a forked child: CUPTI does not work there
std::atomic<bool> g_started{false};          // stays set in a forked child

Recorder* recorder() noexcept {
  Recorder* found = g_recorder.load(std::memory_order_acquire);
  return found != nullptr && found->session.recording() ? found : nullptr;
}

void on_buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = nullptr;
  *bytes = 0;
  *max_records = 0;
  guarded("buffer requested", [&] {
    Recorder* self = g_recorder.load(std::memory_order_acquire);
    if (self == nullptr) return;
    *buffer = self->session.cupti_buffers().acquire();
    if (*buffer != nullptr) *bytes = self->session.cupti_buffers().buffer_bytes();
    else self->session.count_refused_cupti_buffer();
  });
}

void count_dropped(Recorder& self) {
  std::size_t dropped = 0;
  if (self.cupti.dropped_records && self.cupti.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped != 0) {
    self.session.count_dropped_by_cupti(dropped);
  }
}

void encode(Recorder& self, std::uint8_t* buffer, std::size_t valid_bytes) {
  CaptureWindow& window = self.session.window();
  if (!window.limited()) return self.encoder.encode_buffer(buffer, valid_bytes);
  const KeptTimes times = window.kept_times();
  const std::uint64_t cut_before = self.encoder.cut_events();
  self.encoder.keep_only(&times);
  self.encoder.encode_buffer(buffer, valid_bytes);
  self.encoder.keep_only(nullptr);
  self.session.count_cut(self.encoder.cut_events() - cut_before);
}

void on_buffer_completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  guarded("buffer completed", [&] {
    Recorder* self = g_recorder.load(std::memory_order_acquire);
    if (self == nullptr || buffer == nullptr) return;
    if (valid_bytes != 0 && self->session.recording()) {
      OwnTime own(*self, spool::OwnWork::buffer);  // from before the lock: waiting for it is our doing too
      const std::lock_guard held(self->lock);
      encode(*self, buffer, valid_bytes);
      own.write();
    }
    self->session.cupti_buffers().release(buffer);
    count_dropped(*self);
  });
}

// A flush period after the last window, when what started in it has come: the rest of the program then costs nothing.
void disable_once_over(Recorder& self) {
  if (!self.session.window().is_over() || self.cupti.disable == nullptr || ++self.flushes_since_over != 3) return;
  for (const std::uint32_t kind : ActivityEncoder::kinds()) self.cupti.disable(kind);
}

void flush(bool forced) noexcept {
  guarded("flush", [forced] {
    Recorder* self = recorder();
    if (self == nullptr) return;
    OwnTime own(*self, spool::OwnWork::flush);
    self->cupti.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : CUPTI_ACTIVITY_FLAG_NONE);
    count_dropped(*self);
    {
      const std::lock_guard held(self->lock);
      own.write();
    }
    disable_once_over(*self);
  });
}

std::string describe(const CuptiLibrary& cupti, std::uint32_t result) {
  const char* text = nullptr;
  if (cupti.result_string == nullptr || cupti.result_string(result, &text) != CUPTI_SUCCESS || text == nullptr)
    text = "";
  return std::to_string(result) + (*text != '\0' ? " (" + std::string(text) + ")" : "");
}

void write_note(Lane& lane, const std::string& text) {
  lane.write(spool::RecordType::note, spool::NoteRecord{{.id = lane.text(text)}});
}

void write_setting(Lane& lane, spool::SettingKind kind, std::string_view key, std::string_view value) {
  spool::SettingRecord record{};
  record.header.flags = static_cast<std::uint8_t>(kind);
  record.key = lane.text(key);
  record.value = lane.text(value);
  lane.write(spool::RecordType::setting, record);
}

void write_provider(const CuptiLibrary& cupti, Lane& lane) {
  write_setting(lane, spool::SettingKind::process, "cupti", cupti.path);
  if (std::uint32_t version = 0; cupti.version != nullptr && cupti.version(&version) == CUPTI_SUCCESS) {
    write_setting(lane, spool::SettingKind::process, "cupti_version", std::to_string(version));
  }
  if (cupti.provider_metadata == nullptr) return;
  const char* lines = cupti.provider_metadata();
  std::string_view rest = lines != nullptr ? lines : "";
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto equals = line.find('='); equals != line.npos) {
      write_setting(lane, spool::SettingKind::provider, line.substr(0, equals), line.substr(equals + 1));
    }
  }
}

bool is_wanted(std::uint32_t kind, const Options& options) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return options.whole_graphs;
    case CUPTI_ACTIVITY_KIND_MEMORY2: case CUPTI_ACTIVITY_KIND_MEMORY_POOL: return options.memory;
    default: return true;
  }
}

// CUPTI records of unified memory only what it was told of before.
std::uint32_t configure_unified_memory(const Recorder& self) {
  constexpr auto kFaults = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT;
  constexpr CUpti_ActivityUnifiedMemoryCounterKind kCounters[] = {
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, kFaults, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT};
  if (self.cupti.configure_unified_memory == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  std::array<CUpti_ActivityUnifiedMemoryCounterConfig, std::size(kCounters)> configurations{};
  std::uint32_t count = 0;
  for (const auto counter : kCounters) {
    if (counter == kFaults && !self.session.options().page_faults) break;  // the faults stand last
    configurations[count++] = {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE, counter, 0, 1};
  }
  return self.cupti.configure_unified_memory(configurations.data(), count);
}

std::uint32_t enable(const Recorder& self, std::uint32_t kind) {
  if (self.record_bytes[kind] == 0) return CUPTI_ERROR_INVALID_KIND;
  if (kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) {
    if (const std::uint32_t refusal = configure_unified_memory(self); refusal != CUPTI_SUCCESS) return refusal;
  }
  return self.cupti.enable(kind);
}

// Enables each kind that the library knows. Returns how many it took, and the first refusal.
int enable_kinds(const Recorder& self, Lane& lane, std::uint32_t& first_refusal) {
  int enabled = 0;
  for (const std::uint32_t kind : ActivityEncoder::kinds()) {
    if (!is_wanted(kind, self.session.options())) continue;
    const std::uint32_t status = enable(self, kind);
    lane.write(spool::RecordType::captured, spool::CapturedRecord{{.id = kind}, status, self.record_bytes[kind]});
    if (kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER && self.session.options().page_faults) {
      lane.write(spool::RecordType::captured, spool::CapturedRecord{{.id = spool::kPageFaultsKind}, status, self.record_bytes[kind]});
    }
    if (status == CUPTI_SUCCESS) ++enabled;
    else if (first_refusal == CUPTI_SUCCESS) first_refusal = status;
  }
  return enabled;
}

void on_profiler_call(void* user, std::uint32_t domain, std::uint32_t callback, const void* data) {
  guarded("profiler call", [&] {
    const auto site = static_cast<const CUpti_CallbackData*>(data)->callbackSite;
    const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
    const bool start = driver ? callback == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart
                              : callback == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000;
    // The calls themselves are no part of the window.
    if (start == (site == CUPTI_API_EXIT)) static_cast<Session*>(user)->set_switch(start);
  });
}

// CUPTI has room for one subscriber; another profiler may be it.
void listen_to_profiler_calls(Recorder& self, Lane& lane) {
  constexpr std::uint32_t kCalls[][2] = {
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000}};
  void* subscriber = nullptr;
  std::uint32_t refusal = CUPTI_ERROR_NOT_SUPPORTED;
  if (self.cupti.subscribe != nullptr && self.cupti.enable_callback != nullptr) {
    refusal = self.cupti.subscribe(&subscriber, on_profiler_call, &self.session);
    for (const auto& [domain, callback] : kCalls) {
      if (refusal == CUPTI_SUCCESS) refusal = self.cupti.enable_callback(1, subscriber, domain, callback);
    }
  }
  if (refusal == CUPTI_SUCCESS) return;
  write_note(lane, "nothing was recorded: --capture-range profiler-api needs to hear of cuProfilerStart, and " +
                       self.cupti.path + " refused with error " + describe(self.cupti, refusal));
}

// What we say ourselves goes into the calling thread's lane: the encoder's belongs to whoever holds the lock.
void start_library(Session& session, CuptiLibrary cupti, Lane& lane) {
  Lane* records = session.new_lane(kMaxTexts, kMaxTextBytes);
  if (records == nullptr) return;
  auto* self = new (std::nothrow) Recorder(session, std::move(cupti), *records);
  if (self == nullptr) return;
  write_provider(self->cupti, lane);
  // API records must carry the thread id that NVTX records carry, not pthread_self().
  if (self->cupti.set_thread_id_type) self->cupti.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  g_recorder.store(self, std::memory_order_release);
  pthread_atfork(nullptr, nullptr, [] { g_recorder.store(nullptr, std::memory_order_relaxed); });
  std::uint32_t refusal = self->cupti.register_callbacks(on_buffer_requested, on_buffer_completed);
  const int enabled = refusal == CUPTI_SUCCESS ? enable_kinds(*self, lane, refusal) : 0;
  if (enabled == 0) {
    write_note(lane, "no GPU activity was recorded: " + self->cupti.path + " refused with error " +
                         describe(self->cupti, refusal));
    return;
  }
  session.use_clock(self->cupti.timestamp, lane);
  if (session.window().rules().trigger == CaptureRules::Trigger::profiler_api) listen_to_profiler_calls(*self, lane);
  if (self->cupti.flush_period) self->cupti.flush_period(session.options().flush_period_ms);
  session.call_periodically(flush);
  end_at_exit();
}

}  // namespace

void start_cupti(Session& session) {
  if (!session.options().cuda || g_started.exchange(true)) return;
  Lane* lane = session.thread_lane();
  if (lane == nullptr) return;
  CuptiLibrary cupti = open_cupti(session.options().cupti_path);
  if (cupti.usable()) {
    start_library(session, std::move(cupti), *lane);
  } else {
    write_note(*lane, "no GPU activity was recorded: libcupti was not found; install the CUDA toolkit's CUPTI, "
                      "or give its path in GPUTRACE_CUPTI_PATH");
  }
}

void adopt_loaded_cupti_clock(Session& session) {
  if (session.has_clock()) return;
  const CuptiLibrary cupti = loaded_cupti();
  if (!cupti.usable()) return;
  if (Lane* lane = session.thread_lane()) session.use_clock(cupti.timestamp, *lane);
}

}  // namespace gputrace::guest
