#include <atomic>
#include <thread>

#include "tests/trainer/virtual_box/cupti/cupti_library.h"

using namespace virtual_box_test;

namespace {

const ApiActivity kLaunch{Api::launch_kernel, 10, 20, 3};

std::size_t dropped(const Profiler& profiler) {
  std::size_t count = 0;
  REQUIRE(OF(profiler.cupti, cuptiActivityGetNumDroppedRecords)(nullptr, 0, &count) == CUPTI_SUCCESS);
  return count;
}

}  // namespace

TEST_CASE("a buffer takes as many records as fit, and no more than its limit") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  const auto buffers_for_six = [&](std::size_t size_bytes, std::size_t max_records) {
    profiler.give_buffers_of(size_bytes, max_records);
    const std::size_t before = profiler.completed_buffers();
    for (int i = 0; i < 6; ++i) profiler.sink->add(kLaunch);
    CHECK(profiler.records<CUpti_ActivityAPI>().size() == 6);
    return profiler.completed_buffers() - before;
  };
  CHECK(buffers_for_six(3 * sizeof(CUpti_ActivityAPI), 0) == 2);
  CHECK(buffers_for_six(3 * sizeof(CUpti_ActivityAPI) - 1, 0) == 3);
  CHECK(buffers_for_six(1024, 4) == 2);
  CHECK(dropped(profiler) == 0);
}

TEST_CASE("a record that fits in no buffer is dropped and counted, once") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  profiler.give_buffers_of(sizeof(CUpti_ActivityAPI) - 1, 0);
  profiler.sink->add(kLaunch);
  profiler.sink->add(kLaunch);
  CHECK(profiler.records<CUpti_ActivityAPI>().empty());
  CHECK(dropped(profiler) == 2);
  CHECK(dropped(profiler) == 0);  // asking resets the count
}

TEST_CASE("no record is lost or doubled while another thread flushes") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  std::atomic<bool> done{false};
  std::thread flusher([&done, flush = OF(profiler.cupti, cuptiActivityFlushAll)] {
    while (!done) flush(0);
  });
  constexpr std::uint32_t kRecords = 20'000;
  for (std::uint32_t i = 0; i < kRecords; ++i) profiler.sink->add(ApiActivity{Api::launch_kernel, 10, 20, i});
  done = true;
  flusher.join();
  const auto records = profiler.records<CUpti_ActivityAPI>();
  CHECK(dropped(profiler) == 0);
  CHECK(records.size() == kRecords);
  std::vector<bool> seen(kRecords, false);
  for (const auto& record : records) {
    REQUIRE_FALSE(seen.at(record.correlationId));
    seen[record.correlationId] = true;
  }
}

TEST_CASE("with a flush period records arrive without a flush") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  OF(profiler.cupti, cuptiActivityFlushPeriod)(1);
  profiler.sink->add(ApiActivity{Api::launch_kernel, 10, 20, 3});
  CHECK(profiler.wait_for_records());
}
