#include "gui/device_activity.h"

#include <catch2/catch.hpp>

namespace gputrace::gui {
namespace {

using Work = DeviceActivity::Work;

struct Stretch {
  std::int64_t start_ns, end_ns;
  Category category;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

std::vector<Stretch> stretches(DeviceActivity& activity) {
  const EventRow row = activity.build();
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < row.size(); ++i) all.push_back({row.start_ns(i), row.end_ns(i), row.category(i)});
  return all;
}

TEST_CASE("Kernels at once, and copies beside them, are told apart to the nanosecond") {
  DeviceActivity activity;
  activity.add(Work::kernel, {0, 10});
  activity.add(Work::kernel, {4, 6});
  activity.add(Work::copy, {8, 20});
  activity.add(Work::fill, {15, 25});
  CHECK(stretches(activity) == std::vector<Stretch>{{0, 4, Category::one_kernel},
                                                    {4, 6, Category::several_kernels},
                                                    {6, 8, Category::one_kernel},
                                                    {8, 10, Category::kernel_and_copy},
                                                    {10, 20, Category::only_copies},
                                                    {20, 25, Category::only_fills}});
}

TEST_CASE("Work that starts where other work ends leaves no gap, and a nanosecond later one") {
  DeviceActivity touching, apart;
  touching.add(Work::kernel, {0, 10});
  touching.add(Work::kernel, {10, 20});
  CHECK(stretches(touching) == std::vector<Stretch>{{0, 20, Category::one_kernel}});
  apart.add(Work::kernel, {0, 10});
  apart.add(Work::kernel, {11, 20});
  CHECK(stretches(apart) == std::vector<Stretch>{{0, 10, Category::one_kernel}, {11, 20, Category::one_kernel}});
}

TEST_CASE("What starts together is one state, in whatever order it comes; what takes no time is none") {
  for (const bool copy_first : {false, true}) {
    DeviceActivity activity;
    activity.add(copy_first ? Work::copy : Work::kernel, {5, 10});
    activity.add(copy_first ? Work::kernel : Work::copy, {5, 10});
    activity.add(Work::kernel, {7, 7});
    CHECK(stretches(activity) == std::vector<Stretch>{{5, 10, Category::kernel_and_copy}});
  }
}

TEST_CASE("Times may be any int64") {
  DeviceActivity activity;
  activity.add(Work::kernel, {INT64_MIN, INT64_MAX});
  activity.add(Work::copy, {INT64_MAX, INT64_MAX});
  CHECK(stretches(activity) == std::vector<Stretch>{{INT64_MIN, INT64_MAX, Category::one_kernel}});
}

TEST_CASE("A GPU that ran nothing is empty, and one that only ran what takes no time is not") {
  DeviceActivity nothing, instant;
  CHECK(nothing.empty());
  CHECK(stretches(nothing).empty());
  instant.add(Work::kernel, {3, 3});
  CHECK_FALSE(instant.empty());
  CHECK(stretches(instant).empty());
}

}  // namespace
}  // namespace gputrace::gui
