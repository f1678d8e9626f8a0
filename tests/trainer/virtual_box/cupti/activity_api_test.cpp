#include "tests/trainer/virtual_box/cupti/cupti_library.h"

using namespace virtual_box_test;

TEST_CASE("what cannot be profiled is refused, what does not occur is not") {
  const Library cupti(modelled_cupti());
  const auto enable = OF(cupti, cuptiActivityEnable);
  CHECK(enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) == CUPTI_SUCCESS);
  CHECK(enable(CUPTI_ACTIVITY_KIND_DRIVER) == CUPTI_SUCCESS);
  CHECK(enable(CUPTI_ACTIVITY_KIND_PC_SAMPLING) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enable(CUPTI_ACTIVITY_KIND_KERNEL) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enable(CUPTI_ACTIVITY_KIND_METRIC) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enable(CUPTI_ACTIVITY_KIND_INVALID) == CUPTI_ERROR_INVALID_KIND);
  CHECK(enable(CUPTI_ACTIVITY_KIND_COUNT) == CUPTI_ERROR_INVALID_KIND);
  CHECK(OF(cupti, cuptiActivityFlushAll)(0) == CUPTI_ERROR_INVALID_OPERATION);  // no callbacks
  std::uint64_t now = 0;
  CHECK(OF(cupti, cuptiGetTimestamp)(&now) == CUPTI_ERROR_NOT_INITIALIZED);     // no machine
}

TEST_CASE("external ids are stacks per kind") {
  const Library cupti(modelled_cupti());
  const auto push = OF(cupti, cuptiActivityPushExternalCorrelationId);
  const auto pop = OF(cupti, cuptiActivityPopExternalCorrelationId);
  std::uint64_t id = 0;
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id) == CUPTI_ERROR_QUEUE_EMPTY);
  CHECK(push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 1) == CUPTI_SUCCESS);
  CHECK(push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 2) == CUPTI_SUCCESS);
  CHECK(push(CUPTI_EXTERNAL_CORRELATION_KIND_INVALID, 3) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id) == CUPTI_SUCCESS);
  CHECK(id == 1);
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, nullptr) == CUPTI_SUCCESS);
}

TEST_CASE("the time is the machine's, and stands still when the machine has gone") {
  std::uint64_t now = 0;
  const Library cupti(modelled_cupti());
  {
    Profiler profiler;
    CHECK(OF(cupti, cuptiGetTimestamp)(&now) == CUPTI_SUCCESS);
    CHECK(now == 4711);
    profiler.clock.time_ns = 5000;
  }
  CHECK(OF(cupti, cuptiGetTimestamp)(&now) == CUPTI_SUCCESS);
  CHECK(now == 5000);
}
