#include "analyzer/sweep.h"

#include <catch2/catch.hpp>
#include <random>

using gputrace::analyzer::Edges;
using gputrace::analyzer::sweep;
using gputrace::analyzer::union_ns;
using gputrace::trace::Span;

TEST_CASE("a union counts time covered twice once") {
  CHECK(union_ns({}) == 0);
  CHECK(union_ns({{0, 10}, {5, 15}, {20, 30}}) == 25);
  CHECK(union_ns({{20, 30}, {0, 40}}) == 40);
  CHECK(union_ns({{0, 10}, {10, 20}}) == 20);
}

TEST_CASE("a sweep covers the window exactly and counts what runs, against counting at every instant") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const Span window{10, 90};
    std::array<Edges, 2> edges;
    std::array<std::array<int, 100>, 2> expected{};
    for (int n = 0; n < 12; ++n) {
      const int kind = static_cast<int>(random() % 2);
      const auto start = static_cast<std::int64_t>(random() % 100);
      const std::int64_t end = start + static_cast<std::int64_t>(random() % 20);
      edges[static_cast<std::size_t>(kind)].add({start, end}, window);
      for (std::int64_t t = start; t < std::min<std::int64_t>(end, 100); ++t) ++expected[static_cast<std::size_t>(kind)][static_cast<std::size_t>(t)];
    }
    std::int64_t at = window.start_ns;
    sweep(window, edges, [&](Span span, const std::array<int, 2>& running) {
      REQUIRE(span.start_ns == at);
      REQUIRE(span.end_ns > span.start_ns);
      for (std::int64_t t = span.start_ns; t < span.end_ns; ++t) {
        REQUIRE(running[0] == expected[0][static_cast<std::size_t>(t)]);
        REQUIRE(running[1] == expected[1][static_cast<std::size_t>(t)]);
      }
      at = span.end_ns;
    });
    REQUIRE(at == window.end_ns);
  }
}
