// CUPTI's activity API, as NVIDIA documents it in cupti_activity.h, fed by the modelled machine.
#include "trainer/virtual_box/cupti/record_layout.h"
#include "trainer/virtual_box/cupti/session.h"

namespace trainer::virtual_box {

Session& session() {
  static Session& only = *new Session;
  return only;
}

namespace {

enum class Support : std::uint8_t { yes, no, invalid };

// Supported are the kinds that the modelled program can cause, and those that a program may cause but this one never does
// (graphs, driver calls, markers): no record of these is the truth. Serialised kernels and memory operations are not modelled.
Support support_of(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT) return Support::invalid;
  const bool modelled = kind != CUPTI_ACTIVITY_KIND_KERNEL && kind != CUPTI_ACTIVITY_KIND_MEMORY && kind != CUPTI_ACTIVITY_KIND_MEMORY2;
  return record_size(kind) > 0 && modelled ? Support::yes : Support::no;
}

CUptiResult switch_kind(CUpti_ActivityKind kind, bool on) {
  const Support support = support_of(kind);
  if (support == Support::invalid) return CUPTI_ERROR_INVALID_KIND;
  if (support == Support::no) return on ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
  session().sink.enable(kind, on);
  return CUPTI_SUCCESS;
}

}  // namespace
}  // namespace trainer::virtual_box

using namespace trainer::virtual_box;

extern "C" {

__attribute__((visibility("default"))) ActivitySink* virtual_cupti_connect(const MachineClock* clock) {
  Session& self = session();
  const std::lock_guard lock(self.clock_lock);
  if (!clock && self.clock) self.last_ns = self.clock->now_ns();
  self.clock = clock;
  return &self.sink;
}

// What the records' provider says of itself, "key=value" lines. Valid until the next call.
__attribute__((visibility("default"))) const char* cuptiProviderMetadata(void) {
  static std::string& text = *new std::string;
  text = session().sink.metadata();
  return text.c_str();
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* timestamp) {
  if (!timestamp) return CUPTI_ERROR_INVALID_PARAMETER;
  Session& self = session();
  const std::lock_guard lock(self.clock_lock);
  if (!self.clock && self.last_ns == 0) return CUPTI_ERROR_NOT_INITIALIZED;
  *timestamp = static_cast<uint64_t>(self.clock ? self.clock->now_ns() : self.last_ns);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  if (!requested || !completed) return CUPTI_ERROR_INVALID_PARAMETER;
  session().buffers.set_callbacks(requested, completed);
  return CUPTI_SUCCESS;
}

// The machine counts what moves, whichever counters are asked for.
CUptiResult CUPTIAPI cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig* config, uint32_t count) {
  return config && count > 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) { return switch_kind(kind, true); }
CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) { return switch_kind(kind, false); }
// There is one process-wide set of kinds: a context's own would need handles that this machine does not have.
CUptiResult CUPTIAPI cuptiActivityEnableContext(CUcontext, CUpti_ActivityKind) { return CUPTI_ERROR_NOT_SUPPORTED; }
CUptiResult CUPTIAPI cuptiActivityDisableContext(CUcontext, CUpti_ActivityKind) { return CUPTI_ERROR_NOT_SUPPORTED; }

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t) {
  if (!session().buffers.has_callbacks()) return CUPTI_ERROR_INVALID_OPERATION;
  session().buffers.flush();
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiActivityFlushPeriod(uint32_t period_ms) {
  session().buffers.set_flush_period(period_ms);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  return next_record(buffer, valid_bytes, record);
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (!dropped) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = session().buffers.take_dropped();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  session().sink.push_external_id(kind, id);
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* last_id) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  return session().sink.pop_external_id(kind, last_id) ? CUPTI_SUCCESS : CUPTI_ERROR_QUEUE_EMPTY;
}

CUptiResult CUPTIAPI cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  session().sink.event_timestamps = enable != 0;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT && type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) return CUPTI_ERROR_INVALID_PARAMETER;
  session().sink.system_thread_ids = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  if (!type) return CUPTI_ERROR_INVALID_PARAMETER;
  *type = session().sink.system_thread_ids ? CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM : CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return CUPTI_SUCCESS;
}

// The profiler's buffers are all there is: sizes of CUPTI's own device buffers have nothing to act on.
CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t* size, void* value) {
  return size && value ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult CUPTIAPI cuptiActivityGetAttribute(CUpti_ActivityAttribute, size_t* size, void* value) {
  return size && value ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiFinalize(void) {
  for (int kind = 1; kind < CUPTI_ACTIVITY_KIND_COUNT; ++kind) session().sink.enable(static_cast<CUpti_ActivityKind>(kind), false);
  session().buffers.set_flush_period(0);
  session().buffers.flush();
  return CUPTI_SUCCESS;
}

}  // extern "C"
