// CUPTI's other calls that a profiler makes: version, names of results and of callbacks, subscription. Callbacks themselves
// are not modelled: a subscription is granted, enabling a callback is refused.
#include <algorithm>
#include <array>
#include <cstring>

#include "trainer/virtual_box/cupti/session.h"

namespace trainer::virtual_box {
namespace {

struct CallbackName {
  std::uint32_t id;
  const char* name;
};
#include "callback_names.inc"

const char* name_in(const CallbackName* first, const CallbackName* last, std::uint32_t id) {
  const auto* found = std::find_if(first, last, [id](const CallbackName& entry) { return entry.id == id; });
  return found == last ? nullptr : found->name;
}

#define RESULT_NAME(name) {name, #name}
struct ResultName {
  CUptiResult result;
  const char* name;
};
constexpr ResultName kResultNames[] = {
    RESULT_NAME(CUPTI_SUCCESS), RESULT_NAME(CUPTI_ERROR_INVALID_PARAMETER), RESULT_NAME(CUPTI_ERROR_INVALID_DEVICE),
    RESULT_NAME(CUPTI_ERROR_INVALID_CONTEXT), RESULT_NAME(CUPTI_ERROR_INVALID_OPERATION), RESULT_NAME(CUPTI_ERROR_OUT_OF_MEMORY),
    RESULT_NAME(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT), RESULT_NAME(CUPTI_ERROR_API_NOT_IMPLEMENTED),
    RESULT_NAME(CUPTI_ERROR_MAX_LIMIT_REACHED), RESULT_NAME(CUPTI_ERROR_NOT_READY), RESULT_NAME(CUPTI_ERROR_NOT_COMPATIBLE),
    RESULT_NAME(CUPTI_ERROR_NOT_INITIALIZED), RESULT_NAME(CUPTI_ERROR_QUEUE_EMPTY), RESULT_NAME(CUPTI_ERROR_INVALID_KIND),
    RESULT_NAME(CUPTI_ERROR_DISABLED), RESULT_NAME(CUPTI_ERROR_NOT_SUPPORTED), RESULT_NAME(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
    RESULT_NAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED), RESULT_NAME(CUPTI_ERROR_UNKNOWN)};
#undef RESULT_NAME

char g_subscriber_mark;  // its address is the one subscriber's handle

CUpti_SubscriberHandle subscriber_handle() { return reinterpret_cast<CUpti_SubscriberHandle>(&g_subscriber_mark); }

CUptiResult refuse_callbacks(std::uint32_t enable, CUpti_SubscriberHandle subscriber) {
  if (subscriber != subscriber_handle() || !session().subscribed) return CUPTI_ERROR_INVALID_PARAMETER;
  return enable ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

}  // namespace
}  // namespace trainer::virtual_box

using namespace trainer::virtual_box;

extern "C" {

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
  if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
  *text = "<unknown>";
  for (const ResultName& entry : kResultNames)
    if (entry.result == result) return *text = entry.name, CUPTI_SUCCESS;
  return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
  if (!name) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) *name = name_in(std::begin(kRuntimeNames), std::end(kRuntimeNames), id);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) *name = name_in(std::begin(kDriverNames), std::end(kDriverNames), id);
  return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void*) {
  if (!subscriber || !callback) return CUPTI_ERROR_INVALID_PARAMETER;
  if (session().subscribed.exchange(true)) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *subscriber = subscriber_handle();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  if (subscriber != subscriber_handle() || !session().subscribed.exchange(false)) return CUPTI_ERROR_INVALID_PARAMETER;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain, CUpti_CallbackId) {
  return refuse_callbacks(enable, subscriber);
}
CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain) {
  return refuse_callbacks(enable, subscriber);
}
CUptiResult CUPTIAPI cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) { return refuse_callbacks(enable, subscriber); }

}  // extern "C"
