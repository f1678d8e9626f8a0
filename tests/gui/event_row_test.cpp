#include "gui/event_row.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace gputrace::gui {
namespace {

using trace::Span;
using trace::Table;

EventRow row_of(const std::vector<Span>& spans, Category category = Category::matmul) {
  EventRow row;
  for (std::size_t i = 0; i < spans.size(); ++i)
    row.add(spans[i].start_ns, spans[i].end_ns, EventRef{Table::kernels, i}, category);
  row.finish();
  return row;
}

std::vector<RowItem> folded(const EventRow& row, Span window, int shift) {
  std::vector<RowItem> items;
  row.fold(window, shift, items);
  return items;
}

// Events of random length and distance, in bursts with long pauses between.
std::vector<Span> bursts(std::size_t count, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_int_distribution<std::int64_t> length{0, 900}, pause{0, 200}, long_pause{100'000, 5'000'000};
  std::vector<Span> spans;
  std::int64_t now = -1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    now += i % 100 == 99 ? long_pause(random) : pause(random);
    spans.push_back({now, now + length(random)});
    now = spans.back().end_ns;
  }
  return spans;
}

std::uint64_t busy_by_hand(const std::vector<Span>& spans, Span window) {
  std::uint64_t busy = 0;
  for (const Span& span : spans) {
    const std::int64_t from = std::max(span.start_ns, window.start_ns),
                       to = std::min(span.end_ns, window.end_ns);
    if (to > from) busy += static_cast<std::uint64_t>(to - from);
  }
  return busy;
}

TEST_CASE("An event as long as a column is drawn itself, a shorter one joins its column") {
  const EventRow row = row_of({{0, 16}, {16, 31}, {31, 32}, {33, 40}});
  const auto items = folded(row, {0, 100}, 4);
  REQUIRE(items.size() == 3);
  CHECK(items[0].count == 1);
  CHECK(items[0].end_ns == 16);
  CHECK(items[1].count == 2);
  CHECK(items[1].start_ns == 16);
  CHECK(items[1].end_ns == 32);
  CHECK(items[1].busy_share == 1.0F);
  CHECK(items[2].start_ns == 33);
}

TEST_CASE("A long event that starts in a column of short ones is not folded into it") {
  const auto items = folded(row_of({{0, 2}, {3, 5}, {6, 500}}), {0, 1000}, 4);
  REQUIRE(items.size() == 2);
  CHECK(items[0].count == 2);
  CHECK(items[1].first == 2);
  CHECK(items[1].count == 1);
}

TEST_CASE("A run takes the category with the most time, not the most events") {
  EventRow row;
  for (int i = 0; i < 5; ++i) row.add(i * 2, i * 2 + 1, EventRef{Table::kernels, 0}, Category::reduction);
  row.add(20, 30, EventRef{Table::kernels, 5}, Category::matmul);
  row.finish();
  const auto items = folded(row, {0, 64}, 6);
  REQUIRE(items.size() == 1);
  CHECK(items[0].count == 6);
  CHECK(items[0].category == Category::matmul);
}

TEST_CASE("A pause between bursts stays a pause at every zoom at which it is two columns wide") {
  const std::vector<Span> spans = bursts(20'000, 1);
  const EventRow row = row_of(spans);
  for (int shift = 0; shift < 18; ++shift) {
    const std::int64_t column = std::int64_t{1} << shift;
    const auto items = folded(row, {spans.front().start_ns, spans.back().end_ns}, shift);
    std::size_t item = 0;
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
      const Span pause{spans[i].end_ns, spans[i + 1].start_ns};
      if (pause.end_ns - pause.start_ns < 2 * column) continue;
      while (item < items.size() && items[item].end_ns < pause.end_ns) ++item;
      REQUIRE(item < items.size());
      REQUIRE(items[item].start_ns >= pause.end_ns);
      REQUIRE((item == 0 || items[item - 1].end_ns <= pause.start_ns));
    }
  }
}

TEST_CASE("Folding loses no event and counts none twice") {
  const std::vector<Span> spans = bursts(5'000, 2);
  const EventRow row = row_of(spans);
  for (int shift = 0; shift < 40; ++shift) {
    std::size_t next = 0;
    for (const RowItem& item : folded(row, {spans.front().start_ns, spans.back().end_ns + 1}, shift)) {
      REQUIRE(item.first == next);
      next += item.count;
    }
    REQUIRE(next == spans.size());
  }
}

TEST_CASE("The number of items depends on the columns, not on the events") {
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < 100'000; ++i) spans.push_back({i * 10, i * 10 + 7});
  const auto items = folded(row_of(spans), {0, 1'000'000}, 10);
  CHECK(items.size() <= 1'000'000 / 1024 + 1);
  CHECK(items[5].busy_share == Approx(0.7).margin(0.02));
}

TEST_CASE("Busy time in a window is exact at every edge") {
  const std::vector<Span> spans = bursts(1'000, 3);
  const EventRow row = row_of(spans);
  std::mt19937 random{4};
  std::uniform_int_distribution<std::int64_t> time{spans.front().start_ns - 100, spans.back().end_ns + 100};
  for (int i = 0; i < 500; ++i) {
    std::int64_t a = time(random), b = time(random);
    if (a > b) std::swap(a, b);
    BusyByCategory busy{};
    row.add_busy({a, b}, busy);
    REQUIRE(busy[static_cast<std::size_t>(Category::matmul)] == busy_by_hand(spans, {a, b}));
  }
}

TEST_CASE("Busy time is right where the number of events is a multiple of the block") {
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < 64; ++i) spans.push_back({i * 10, i * 10 + 3});
  BusyByCategory busy{};
  row_of(spans).add_busy({0, 640}, busy);
  CHECK(busy[static_cast<std::size_t>(Category::matmul)] == 64 * 3);
}

TEST_CASE("Events of more than 4.29 s and times at the ends of int64 keep their length") {
  const EventRow row =
      row_of({{INT64_MIN, INT64_MIN + 10}, {INT64_MIN + 10, INT64_MAX - 1}, {INT64_MAX - 1, INT64_MAX}});
  CHECK(row.duration_ns(1) == UINT64_MAX - 11);
  CHECK(row.end_ns(1) == INT64_MAX - 1);
  CHECK(folded(row, {INT64_MIN, INT64_MAX}, 62).size() >= 2);
  CHECK(row.longest(0, 3) == 1);
}

TEST_CASE("An event is found by its start wherever the search begins, in blocks of 4.29 s and more too") {
  for (const std::int64_t stretched : {1, 10'000}) {  // a pause is then up to 50 s
    std::vector<Span> spans = bursts(300, 3);
    for (Span& span : spans) span = {span.start_ns * stretched, span.end_ns * stretched};
    const EventRow row = row_of(spans);
    for (std::size_t i = 0; i < spans.size(); ++i)
      for (const std::int64_t time_ns : {spans[i].start_ns, spans[i].start_ns + 1}) {
        const auto found = static_cast<std::size_t>(
            std::count_if(spans.begin(), spans.end(), [&](const Span& s) { return s.start_ns < time_ns; }));
        REQUIRE(row.first_starting_from(time_ns) == found);
        for (const std::size_t near : {std::size_t{0}, i, i + 64, std::size_t{1'000'000}})
          REQUIRE(row.first_starting_from(time_ns, near) == found);
      }
  }
}

TEST_CASE("Busy time by category is exact whichever half of a block a window ends in") {
  EventRow row;
  constexpr std::size_t kEvents = 75;  // two whole blocks and some
  for (std::size_t i = 0; i < kEvents; ++i) {
    const auto at = static_cast<std::int64_t>(i) * 10;
    row.add(at, at + 1 + static_cast<std::int64_t>(i % 7), EventRef{Table::kernels, i}, i % 3 == 0 ? Category::matmul : Category::reduction);
  }
  row.finish();
  for (std::size_t first = 0; first < kEvents; ++first)
    for (std::size_t last = first + 1; last <= kEvents; ++last) {
      BusyByCategory busy{};
      row.add_busy({static_cast<std::int64_t>(first) * 10, static_cast<std::int64_t>(last) * 10}, busy);
      std::uint64_t matmul = 0, reduction = 0;
      for (std::size_t i = first; i < last; ++i) (i % 3 == 0 ? matmul : reduction) += 1 + i % 7;
      REQUIRE(busy[static_cast<std::size_t>(Category::matmul)] == matmul);
      REQUIRE(busy[static_cast<std::size_t>(Category::reduction)] == reduction);
    }
}

TEST_CASE("A row without events draws nothing") {
  EventRow row;
  row.finish();
  CHECK(folded(row, {0, 100}, 3).empty());
  CHECK(row.first_ending_after(0) == 0);
}

TEST_CASE("Events outside the window are not drawn, those that reach into it are") {
  const EventRow row = row_of({{0, 10}, {20, 30}, {40, 50}, {60, 70}});
  const auto items = folded(row, {25, 45}, 0);
  REQUIRE(items.size() == 2);
  CHECK(items[0].start_ns == 20);
  CHECK(items[1].start_ns == 40);
}

}  // namespace
}  // namespace gputrace::gui
