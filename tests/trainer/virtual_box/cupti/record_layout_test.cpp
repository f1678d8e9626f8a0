#include "tests/trainer/virtual_box/cupti/cupti_library.h"

using namespace virtual_box_test;

namespace {

// How far GetNextRecord steps over a record of this kind: behind it lie marks of another kind at each 8 bytes. 0: not walked.
std::size_t step_of(const Library& cupti, CUpti_ActivityKind kind) {
  const auto next = OF(cupti, cuptiActivityGetNextRecord);
  alignas(8) std::uint8_t buffer[2048] = {};
  for (std::size_t at = 8; at + 8 <= sizeof(buffer); at += 8) {
    const CUpti_ActivityKind mark = CUPTI_ACTIVITY_KIND_RUNTIME;
    std::memcpy(buffer + at, &mark, sizeof(mark));
  }
  std::memcpy(buffer, &kind, sizeof(kind));
  CUpti_Activity* record = nullptr;
  if (next(buffer, sizeof(buffer), &record) != CUPTI_SUCCESS) return 0;
  CHECK(reinterpret_cast<std::uint8_t*>(record) == buffer);
  if (next(buffer, sizeof(buffer), &record) != CUPTI_SUCCESS) return 0;
  return static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(record) - buffer);
}

}  // namespace

TEST_CASE("a walk over records steps by NVIDIA's sizes") {
  const Library cupti(modelled_cupti());
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 216);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_MEMCPY) == 96);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_RUNTIME) == 40);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_INVALID) == 0);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_COUNT) == 0);
}

#ifdef NVIDIA_CUPTI_LIBRARY
TEST_CASE("NVIDIA's own library steps alike for every kind") {
  const Library ours(modelled_cupti()), nvidia(NVIDIA_CUPTI_LIBRARY);
  std::uint32_t our_version = 0, nvidia_version = 0;
  OF(ours, cuptiGetVersion)(&our_version);
  OF(nvidia, cuptiGetVersion)(&nvidia_version);
  if (our_version != nvidia_version) {
    WARN("NVIDIA's library is of another version than the headers; not compared");
    return;
  }
  for (int kind = 0; kind <= CUPTI_ACTIVITY_KIND_COUNT; ++kind) {
    INFO("kind " << kind);
    CHECK(step_of(ours, static_cast<CUpti_ActivityKind>(kind)) == step_of(nvidia, static_cast<CUpti_ActivityKind>(kind)));
  }
}
#endif

TEST_CASE("a walk ends at the valid bytes and refuses what is no record") {
  const Library cupti(modelled_cupti());
  const auto next = OF(cupti, cuptiActivityGetNextRecord);
  CUpti_ActivityAPI records[2] = {};
  records[0].kind = records[1].kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  auto* buffer = reinterpret_cast<std::uint8_t*>(records);
  CUpti_Activity* record = nullptr;
  CHECK(next(buffer, 0, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  CHECK(next(buffer, sizeof(records[0]) - 1, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  CHECK(next(buffer, sizeof(records[0]), &record) == CUPTI_SUCCESS);
  CHECK(next(buffer, sizeof(records[0]), &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_SUCCESS);
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  records[1].kind = static_cast<CUpti_ActivityKind>(4711);
  record = nullptr;
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_SUCCESS);
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_ERROR_INVALID_KIND);
  CHECK(next(nullptr, 100, &record) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(next(buffer, sizeof(records), nullptr) == CUPTI_ERROR_INVALID_PARAMETER);
}
