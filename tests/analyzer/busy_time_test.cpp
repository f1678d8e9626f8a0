#include "analyzer/busy_time.h"

#include <catch2/catch.hpp>
#include <random>

using gputrace::analyzer::busy_together;
using gputrace::analyzer::BusyTime;
using gputrace::trace::Span;

TEST_CASE("busy time covers a span as counting every instant does") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    BusyTime busy[2];
    bool running[2][120] = {};
    for (int part = 0; part < 2; ++part) {
      std::int64_t start = 0;
      for (int n = 0; n < 8; ++n) {
        start += static_cast<std::int64_t>(random() % 15);
        const std::int64_t end = start + static_cast<std::int64_t>(random() % 12);
        busy[part].add({start, end});
        for (std::int64_t t = start; t < std::min<std::int64_t>(end, 120); ++t) running[part][t] = true;
      }
    }
    const BusyTime both = busy_together({&busy[0], &busy[1]});
    const auto from = static_cast<std::int64_t>(random() % 60), to = from + static_cast<std::int64_t>(random() % 60);
    std::int64_t one = 0, two = 0;
    for (std::int64_t t = from; t < to; ++t) {
      if (running[0][t]) ++one;
      if (running[0][t] && running[1][t]) ++two;
    }
    REQUIRE(busy[0].covered_ns({from, to}) == one);
    REQUIRE(both.covered_ns({from, to}) == two);
  }
}

TEST_CASE("busy time of nothing covers nothing; three together count as two do") {
  CHECK(BusyTime{}.covered_ns({0, 10}) == 0);
  BusyTime a, b, c;
  a.add({0, 10});
  b.add({2, 8});
  c.add({4, 6});
  CHECK(busy_together({&a, &b, &c}).covered_ns({0, 10}) == 6);
  BusyTime after;
  after.add({10, 20});
  CHECK(busy_together({&a, &after}).spans().empty());  // touching is not together
}
