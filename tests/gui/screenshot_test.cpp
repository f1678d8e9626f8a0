#include "gui/screenshot.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

constexpr CanvasOptions kSmall{.width = 1000, .height = 400};

trace::Trace one_kernel() {
  return TraceBuilder{}.kernel({.start = 0_ms, .end = 10_ms}).kernel({.start = 20_ms, .end = 30_ms}).build();
}

std::size_t pixels_like(const Image& image, std::uint32_t color) {  // 0xAABBGGRR
  std::size_t count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t* p = image.pixel(x, y);
      count += p[0] == (color & 255) && p[1] == (color >> 8 & 255) && p[2] == (color >> 16 & 255);
    }
  return count;
}

TEST_CASE("A picture has the same bytes on every run, and a PNG's first bytes") {
  const Session session{one_kernel()};
  const Image first = screenshot(session, {.canvas = kSmall}),
              second = screenshot(session, {.canvas = kSmall});
  CHECK(first.width == 1000);
  CHECK(first.height == 400);
  CHECK(first.rgba == second.rgba);
  const auto png = encode_png(first);
  REQUIRE(png);
  CHECK(std::memcmp(png->data(), "\x89PNG\r\n\x1a\n", 8) == 0);
}

TEST_CASE("A kernel covers the share of the picture that it covers of the shown stretch") {
  const Session session{one_kernel()};
  const auto drawn = [&](double at_ms, double span_ms) {
    const Image image =
        screenshot(session, {.canvas = kSmall, .at_ns = at_ms * 1e6, .span_ns = span_ms * 1e6});
    return static_cast<double>(
        pixels_like(image, theme(true).category[static_cast<std::size_t>(Category::other_kernel)]));
  };
  const double half = drawn(5, 10);
  REQUIRE(half > 1000);
  CHECK(drawn(0, 10) == Approx(2 * half).epsilon(0.1));
  CHECK(drawn(12, 6) == 0);
}

TEST_CASE("Both themes draw on their background") {
  const Session session{one_kernel()};
  for (const bool dark : {true, false}) {
    CanvasOptions options = kSmall;
    options.dark = dark;
    CHECK(pixels_like(screenshot(session, {.canvas = options}), theme(dark).background) > 10'000);
  }
}

TEST_CASE("A simulated trace carries its label in the picture, another does not") {
  const auto warnings = [](trace::Trace trace) {
    return pixels_like(screenshot(Session{std::move(trace)}, {.canvas = {.width = 1600, .height = 400}}),
                       theme(true).warning);
  };
  CHECK(warnings(TraceBuilder{}.kernel({.start = 0, .end = 10}).simulated("4 x GTX 1080").build()) > 50);
  CHECK(warnings(TraceBuilder{}.kernel({.start = 0, .end = 10}).build()) == 0);
}

TEST_CASE("Real traces make pictures in both themes, at 100 and 200 %") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    std::cout << "skipped: no traces in " << folder << '\n';
    return;
  }
  for (const char* name : {"nsysai_h100_2gpu_1s.sqlite", "a100_lm_2_7B.sqlite"}) {
    const auto session = open_session(folder / name);
    REQUIRE(session);
    CHECK((*session)->timeline.event_count > 1000);
    const Image image = screenshot(**session, {.canvas = {.dark = false, .scale = 2}});
    CHECK(pixels_like(image, theme(false).background) < image.rgba.size() / 4);
  }
}

}  // namespace
}  // namespace gputrace::gui
