#include "trainer/virtual_box/fluid_network.h"

#include <catch2/catch.hpp>

#include <limits>

#include "trainer/virtual_box/scheduler.h"

using namespace trainer::virtual_box;

namespace {

constexpr double kUncapped = std::numeric_limits<double>::infinity();

std::vector<double> rates(const std::vector<double>& capacity, const std::vector<FlowDemand>& flows) {
  std::vector<const FlowDemand*> views;
  for (const FlowDemand& flow : flows) views.push_back(&flow);
  return max_min_rates(capacity, views);
}

}  // namespace

TEST_CASE("rates are max-min fair") {
  CHECK(rates({12}, {{kUncapped, {{0}}}, {kUncapped, {{0}}}, {kUncapped, {{0}}}}) == std::vector<double>{4, 4, 4});
  CHECK(rates({12}, {{2, {{0}}}, {kUncapped, {{0}}}, {kUncapped, {{0}}}}) == std::vector<double>{2, 5, 5});  // what one leaves
  // The textbook case: a long flow shares two links with a short one each, and the narrow link decides.
  CHECK(rates({6, 10}, {{kUncapped, {{0}, {1}}}, {kUncapped, {{0}}}, {kUncapped, {{1}}}}) == std::vector<double>{3, 3, 7});
  CHECK(rates({12}, {{kUncapped, {{0, 3}}}, {kUncapped, {{0, 1}}}}) == std::vector<double>{3, 3});  // weights take capacity
  CHECK(rates({}, {}).empty());
  CHECK(rates({5}, {{kUncapped, {}}, {7, {}}}) == std::vector<double>{kUncapped, 7});
}

TEST_CASE("a flow's end moves when another starts, ends or is capped") {
  Scheduler clock(0);
  FluidNetwork network(clock);
  const int link = network.add_link(10);
  std::vector<std::pair<char, std::int64_t>> ends;
  const auto end = [&](char name) { return [&ends, &clock, name] { ends.emplace_back(name, clock.now_ns()); }; };
  const int first = network.start(1000, {kUncapped, {{link}}}, end('a'));
  clock.wait_until(50);                                        // 500 left
  network.start(100, {kUncapped, {{link}}}, end('b'));         // at 5 each: until 70
  clock.wait_until(70);                                        // 400 left
  const std::pair<int, double> cap{first, 4};
  network.set_rate_caps({&cap, 1});                            // until 170
  clock.run_until_idle();
  CHECK(ends == std::vector<std::pair<char, std::int64_t>>{{'b', 70}, {'a', 170}});
}

TEST_CASE("a flow without size ends at once, and ends of one time come in order of start") {
  Scheduler clock(100);
  FluidNetwork network(clock);
  const int link = network.add_link(1);
  std::string order;
  network.start(0, {kUncapped, {{link}}}, [&] { order += "a" + std::to_string(clock.now_ns()); });
  network.start(10, {kUncapped, {{link}}}, [&] { order += "b" + std::to_string(clock.now_ns()); });
  network.start(10, {kUncapped, {{link}}}, [&] { order += "c" + std::to_string(clock.now_ns()); });
  clock.run_until_idle();
  CHECK(order == "a100b120c120");
}
