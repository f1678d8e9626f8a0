#include "analyzer/parallel_for.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using gputrace::analyzer::parallel_for;

TEST_CASE("work is done once for each, whatever the number") {
  for (const std::size_t count : {0u, 1u, 2u, 100u}) {
    std::vector<std::atomic<int>> done(count);
    parallel_for(count, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) CHECK(times == 1);
  }
}

TEST_CASE("an exception of the work reaches the caller when no work goes on any more") {
  std::atomic<int> running{0};
  CHECK_THROWS_AS(parallel_for(50, [&](std::size_t i) {
    ++running;
    --running;
    if (i == 10) throw std::runtime_error("no");
  }), std::runtime_error);
  CHECK(running == 0);
}
