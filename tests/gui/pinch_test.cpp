#include "gui/pinch.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;
using Phase = PinchStep::Phase;

constexpr float kLeft = 200, kRight = 1200;

struct Pinched {
  View view;
  Pinch pinch;

  explicit Pinched(View from) : view{from} {}
  void step(Phase phase, double scale, float x_px) {
    pinch.follow({.phase = phase, .scale = scale, .x_px = x_px}, kLeft, kRight, view);
  }
  double x_of(std::int64_t time_ns) const { return 200 + view.x_of(time_ns, 1000); }
};

TEST_CASE("Fingers twice as far apart show half the time, and what is beneath the pointer stays there") {
  Pinched pinched{View::whole({0, 1_s})};
  const double whole_ns = pinched.view.width_ns;
  const std::int64_t beneath_ns = pinched.view.time_of(500, 1000);
  pinched.step(Phase::begin, 1, 700);
  CHECK(pinched.view.width_ns == whole_ns);
  pinched.step(Phase::update, 2, 700);
  CHECK(pinched.view.width_ns == Approx(whole_ns / 2));
  CHECK(pinched.x_of(beneath_ns) == Approx(700).margin(0.01));
}

TEST_CASE("A pinch's scale counts from its begin, the next pinch's from its own") {
  Pinched pinched{View::whole({0, 1_s})};
  const double whole_ns = pinched.view.width_ns;
  pinched.step(Phase::begin, 1, 300);
  for (const double scale : {1.5, 3.0, 4.0}) pinched.step(Phase::update, scale, 300);
  CHECK(pinched.view.width_ns == Approx(whole_ns / 4));
  pinched.step(Phase::update, 2, 300);
  pinched.step(Phase::end, 2, 300);
  CHECK(pinched.view.width_ns == Approx(whole_ns / 2));
  pinched.step(Phase::begin, 1, 300);
  pinched.step(Phase::update, 2, 300);
  CHECK(pinched.view.width_ns == Approx(whole_ns / 4));
}

TEST_CASE("Fingers that come back bring the view back, from beyond the closest view too") {
  Pinched pinched{View::whole({0, 1_s})};
  const View whole = pinched.view;
  pinched.step(Phase::begin, 1, 1100);
  pinched.step(Phase::update, 1e12, 1100);
  CHECK(pinched.view.width_ns == kMinViewNs);
  pinched.step(Phase::update, 1, 1100);
  CHECK(pinched.view == whole);
}

TEST_CASE("A cancelled pinch leaves the view as it was, and its later steps do nothing") {
  Pinched pinched{View::whole({0, 1_s})};
  const View whole = pinched.view;
  pinched.step(Phase::begin, 1, 700);
  pinched.step(Phase::update, 3, 700);
  pinched.step(Phase::cancel, 3, 700);
  CHECK(pinched.view == whole);
  pinched.step(Phase::update, 3, 700);
  CHECK(pinched.view == whole);
}

TEST_CASE("A pinch that began beside the timeline does nothing, nor one without a begin") {
  Pinched pinched{View::whole({0, 1_s})};
  const View whole = pinched.view;
  pinched.step(Phase::update, 2, 700);
  for (const float beside : {kLeft - 1, kRight}) {
    pinched.step(Phase::begin, 1, beside);
    pinched.step(Phase::update, 2, 700);
    pinched.step(Phase::end, 2, 700);
  }
  CHECK(pinched.view == whole);
  pinched.step(Phase::begin, 1, kLeft);
  pinched.step(Phase::update, 2, kLeft);
  CHECK_FALSE(pinched.view == whole);
}

TEST_CASE("A scale that is no positive number is passed over") {
  Pinched pinched{View::whole({0, 1_s})};
  pinched.step(Phase::begin, 1, 700);
  pinched.step(Phase::update, 2, 700);
  const View half = pinched.view;
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    pinched.step(Phase::update, scale, 700);
  CHECK(pinched.view == half);
}

}  // namespace
}  // namespace gputrace::gui
