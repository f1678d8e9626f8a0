// What host threads did.
#include "collector/guest/kind_encoders.h"

#include <cstring>

#include <cupti.h>

#include "collector/guest/activity_encoder.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

void encode_api_call(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityAPI scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  const bool driver = in.kind == CUPTI_ACTIVITY_KIND_DRIVER;
  spool::ApiCallRecord out;
  out.header.id = in.correlationId;
  out.header.flags = driver ? spool::kDriver : 0;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.tid = in.threadId;
  out.name = encoder.callback_name_id(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, in.cbid);
  out.return_value = in.returnValue;
  encoder.lane().write(RecordType::api_call, out);
}

void encode_overhead(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityOverhead3 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::OverheadRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.kind = number_at<offsetof(CUpti_ActivityOverhead3, overheadKind)>(in);
  out.tid = in.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? in.objectId.pt.threadId : 0;
  encoder.lane().write(RecordType::overhead, out);
}

void encode_name(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityName scratch;
  const auto& in = view(data, bytes, scratch);
  if (in.objectKind != CUPTI_ACTIVITY_OBJECT_THREAD || in.name == nullptr) return;
  spool::ThreadNameRecord out;
  out.text = encoder.lane().text(in.name);
  out.tid = in.objectId.pt.threadId;
  encoder.lane().write(RecordType::thread_name, out);
}

void encode_jit(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityJit2 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::JitRecord out;
  out.header.id = in.correlationId;
  out.header.flags = static_cast<std::uint8_t>(number_at<offsetof(CUpti_ActivityJit2, jitOperationType)>(in));
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.cache_bytes = in.cacheSize;
  out.entry = number_at<offsetof(CUpti_ActivityJit2, jitEntryType)>(in);
  out.device = in.deviceId;
  out.tid = in.threadId;
  out.path = in.cachePath != nullptr ? encoder.lane().text(in.cachePath) : 0;
  encoder.lane().write(RecordType::jit, out);
}

// Without a time of its own: kept while a window is open.
void encode_external_correlation(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityExternalCorrelation scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(0)) return;
  spool::ExternalCorrelationRecord out;
  out.header.id = in.correlationId;
  out.header.flags = static_cast<std::uint8_t>(number_at<offsetof(CUpti_ActivityExternalCorrelation, externalKind)>(in));
  out.external_id = in.externalId;
  encoder.lane().write(RecordType::external_correlation, out);
}

}  // namespace

std::span<const KindEncoder> host_kinds() {
  static constexpr KindEncoder kKinds[] = {
      {CUPTI_ACTIVITY_KIND_RUNTIME, encode_api_call},
      {CUPTI_ACTIVITY_KIND_DRIVER, encode_api_call},
      {CUPTI_ACTIVITY_KIND_OVERHEAD, encode_overhead},
      {CUPTI_ACTIVITY_KIND_NAME, encode_name},
      {CUPTI_ACTIVITY_KIND_JIT, encode_jit},
      {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, encode_external_correlation},
  };
  return kKinds;
}

}  // namespace gputrace::guest
