#include "trainer/virtual_box/scheduler.h"

#include <catch2/catch.hpp>

#include <set>
#include <thread>

using trainer::virtual_box::Scheduler;

TEST_CASE("events come by time, then in the order they were added, and before host threads") {
  Scheduler clock(0);
  std::string order;
  clock.at(20, [&] { order += 'c'; });
  clock.at(10, [&] { order += 'a'; });
  clock.at(20, [&] { order += 'd'; });
  clock.at(10, [&] { order += 'b'; });
  clock.wait_until(9);
  CHECK(order.empty());
  clock.wait_until(10);
  CHECK(order == "ab");
  clock.wait_until(20);
  CHECK(order == "abcd");
}

TEST_CASE("an event that is added for the past comes now") {
  Scheduler clock(100);
  clock.wait_until(200);
  std::int64_t seen_ns = 0;
  clock.at(50, [&] { seen_ns = clock.now_ns(); });
  clock.wait_until(200);
  CHECK(seen_ns == 200);
}

TEST_CASE("threads run in the order of their clocks; the caller goes on at the latest end") {
  Scheduler clock(1000);
  std::string order;
  const auto walk = [&](char name, std::int64_t step_ns) {
    return [&order, &clock, name, step_ns] {
      for (int i = 0; i < 3; ++i) {
        order += name;
        clock.wait_until(clock.now_ns() + step_ns);
      }
    };
  };
  clock.run_threads({{"slow", walk('s', 30)}, {"fast", walk('f', 10)}});
  CHECK(order == "sfffss");  // at 0 both, 10 and 20 the fast one, 30 and 60 the slow one
  CHECK(clock.now_ns() == 1090);
}

TEST_CASE("a name keeps its thread from one call to the next") {
  Scheduler clock(0);
  std::set<std::thread::id> threads;
  const auto note = [&] { threads.insert(std::this_thread::get_id()); };
  for (int i = 0; i < 5; ++i) clock.run_threads({{"worker", note}, {"other", note}});
  CHECK(threads.size() == 2);
  clock.run_threads({{"worker", note}, {"worker", note}});  // the same name twice at once needs a second thread
  CHECK(threads.size() == 3);
}

TEST_CASE("a thread may run threads of its own") {
  Scheduler clock(0);
  std::int64_t joined_ns = 0;
  clock.run_threads({{"outer", [&] {
                        clock.run_threads({{"inner", [&] { clock.wait_until(70); }}});
                        joined_ns = clock.now_ns();
                      }}});
  CHECK(joined_ns == 70);
}

TEST_CASE("a thread that is none of the machine's sees the latest time") {
  Scheduler clock(5);
  clock.wait_until(40);
  std::int64_t seen_ns = 0;
  std::thread([&] { seen_ns = clock.now_ns(); }).join();
  CHECK(seen_ns == 40);
}
