#include "gui/view.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

constexpr double kWidthPx = 1000;

TEST_CASE("Zooming keeps the time under the pointer, on a wall-clock axis too") {
  const std::int64_t origin = 1'700'000'000'000'000'000;
  View view = View::whole({origin, origin + 10_s});
  for (int notch = 0; notch < 100; ++notch) {
    const std::int64_t before = view.time_of(700, kWidthPx);
    view.zoom(0.8, 0.7);
    REQUIRE(std::abs(view.x_of(before, kWidthPx) - 700) < 1.0 / (view.ns_per_px(kWidthPx)) + 1e-6);
  }
  CHECK(view.width_ns == kMinViewNs);
}

TEST_CASE("The view shows no more than 1.2 lengths of the trace and no less than 100 ns") {
  View view = View::whole({0, 1_ms});
  view.zoom(1e9, 0.5);
  CHECK(view.width_ns == Approx(1.2e6));
  view.zoom(1e-12, 0.5);
  CHECK(view.width_ns == kMinViewNs);
}

TEST_CASE("The view cannot leave the trace") {
  View view = View::whole({0, 1_ms});
  view.move(100);
  CHECK(view.offset_ns < 1e6);
  view.move(-100);
  CHECK(view.offset_ns + view.width_ns > 0);
}

TEST_CASE("A trace without length, and one of the whole of int64, can be shown") {
  View empty = View::whole({5, 5});
  empty.zoom(2, 0.5);
  CHECK(empty.width_ns >= 1);
  View full = View::whole({INT64_MIN, INT64_MAX});
  full.zoom(0.5, 0.1);
  full.move(3);
  CHECK(full.span().start_ns < full.span().end_ns);
}

TEST_CASE("Showing a span leaves a margin and centres it") {
  View view = View::whole({0, 1_s});
  view.show({100_ms, 200_ms}, 0.5);
  CHECK(view.x_of(150_ms, kWidthPx) == Approx(500));
  CHECK(view.width_ns == Approx(200e6));
}

TEST_CASE("History goes back and forward, and a new jump drops what lay forward") {
  View view = View::whole({0, 1_s});
  const View whole = view;
  ViewHistory history;
  CHECK_FALSE(history.back(view));
  history.remember(view);
  view.show({0, 1_ms});
  const View near = view;
  CHECK(history.back(view));
  CHECK(view == whole);
  CHECK(history.forward(view));
  CHECK(view == near);
  CHECK(history.back(view));
  history.remember(view);
  view.show({0, 2_ms});
  CHECK_FALSE(history.forward(view));
}

TEST_CASE("A column is the least power of two that covers a pixel") {
  CHECK(column_shift(0.1) == 0);
  CHECK(column_shift(1) == 0);
  CHECK(column_shift(1.01) == 1);
  CHECK(column_shift(1024) == 10);
  CHECK(column_shift(1025) == 11);
}

}  // namespace
}  // namespace gputrace::gui
