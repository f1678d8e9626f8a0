#include "tests/trainer/virtual_box/cupti/cupti_library.h"

using namespace virtual_box_test;

#ifdef NVIDIA_CUPTI_LIBRARY
TEST_CASE("callbacks and results have NVIDIA's names") {
  const Library ours(modelled_cupti()), nvidia(NVIDIA_CUPTI_LIBRARY);
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    for (std::uint32_t id = 0; id < 900; ++id) {
      const char *our_name = nullptr, *nvidia_name = nullptr;
      const auto our_result = OF(ours, cuptiGetCallbackName)(domain, id, &our_name);
      const auto nvidia_result = OF(nvidia, cuptiGetCallbackName)(domain, id, &nvidia_name);
      if (nvidia_result != CUPTI_SUCCESS || our_result != CUPTI_SUCCESS) continue;  // headers and library may end at other ids
      if (std::string(our_name) != nvidia_name) FAIL_CHECK(domain << ' ' << id << ": " << our_name << ", NVIDIA's " << nvidia_name);
    }
  for (int result : {0, 1, 12, 21, 27, 39, 999}) {
    const char *our_name = nullptr, *nvidia_name = nullptr;
    CHECK(OF(ours, cuptiGetResultString)(static_cast<CUptiResult>(result), &our_name) == CUPTI_SUCCESS);
    OF(nvidia, cuptiGetResultString)(static_cast<CUptiResult>(result), &nvidia_name);
    CHECK(std::string(our_name) == nvidia_name);
  }
}
#endif

TEST_CASE("one subscriber at a time, and no callbacks") {
  const Library cupti(modelled_cupti());
  const auto callback = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  CUpti_SubscriberHandle first = nullptr, second = nullptr;
  CHECK(OF(cupti, cuptiSubscribe)(&first, callback, nullptr) == CUPTI_SUCCESS);
  CHECK(OF(cupti, cuptiSubscribe)(&second, callback, nullptr) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(OF(cupti, cuptiEnableDomain)(1, first, CUPTI_CB_DOMAIN_RUNTIME_API) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(OF(cupti, cuptiEnableDomain)(0, first, CUPTI_CB_DOMAIN_RUNTIME_API) == CUPTI_SUCCESS);
  CHECK(OF(cupti, cuptiUnsubscribe)(first) == CUPTI_SUCCESS);
  CHECK(OF(cupti, cuptiUnsubscribe)(first) == CUPTI_ERROR_INVALID_PARAMETER);
}
