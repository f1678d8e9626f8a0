// The whole application on a canvas, driven as a user would.
#include "gui/app/app.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "gui/canvas.h"
#include "gui/keys.h"
#include "tests/gui/temporary_folder.h"
#include "tests/support/trace_builder.h"
#include "trace/save_trace.h"

namespace gputrace::gui {
namespace {

using namespace tests;

class DrivenApp {
 public:
  explicit DrivenApp(Settings settings = {}) : canvas{CanvasOptions{}}, app{canvas.look(), std::move(settings)} {}

  void frame() {
    canvas.frame([this] { app.draw(); });
  }
  // Frames until nothing loads any more; what the user would see meanwhile is drawn.
  void settle() {
    do {
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    } while (app.busy());
    frame();
  }

  Canvas canvas;
  App app;
};

std::string write(const TemporaryFolder& folder, const std::string& name, std::int64_t step_ns = 10'000'000) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 6; ++i) {
    builder.kernel({.start = i * step_ns, .end = i * step_ns + step_ns / 2, .name = "work", .correlation = i + 1});
    builder.api({.start = i * step_ns, .end = i * step_ns + 5, .correlation = i + 1});
    builder.step(i * step_ns, (i + 1) * step_ns);
  }
  const std::string file = (folder / name).string();
  REQUIRE(trace::save_trace(builder.build(), file, false));
  return file;
}

TEST_CASE("A trace is opened, shown, analysed, and remembered as the last opened") {
  const TemporaryFolder folder;
  const std::string file = write(folder, "t.sqlite");
  DrivenApp driven;
  driven.app.start_at({.at_ns = 10e6, .span_ns = 20e6});
  driven.app.open(file);
  driven.settle();
  REQUIRE(driven.app.trace_shown());
  CHECK(driven.app.problem().empty());
  CHECK(driven.app.viewer()->session.is_analysed);
  CHECK(driven.app.viewer()->session.diagnosis.steps.spans.size() == 6);
  CHECK(driven.app.viewer()->view.width_ns == Approx(20e6));
  CHECK(driven.app.settings().recent == std::vector<std::string>{file});
}

TEST_CASE("What is wrong with a file is said in the window, and the trace shown before stays") {
  const TemporaryFolder folder;
  std::ofstream{folder / "bad.sqlite"} << "no trace at all";
  DrivenApp driven;
  driven.app.open(write(folder, "t.sqlite"));
  driven.settle();
  driven.app.open((folder / "bad.sqlite").string());
  driven.settle();
  CHECK(driven.app.problem().find("bad.sqlite") != std::string::npos);
  CHECK(driven.app.trace_shown());
}

TEST_CASE("A second trace is laid below the first, step over step") {
  const TemporaryFolder folder;
  DrivenApp driven;
  driven.app.open(write(folder, "a.sqlite"));
  driven.app.open_below(write(folder, "b.sqlite", 15'000'000));
  driven.settle();
  REQUIRE(driven.app.viewer());
  REQUIRE(driven.app.viewer()->comparison);
  const Comparison& comparison = *driven.app.viewer()->comparison;
  CHECK(comparison.diff.steps.median_ns.before == 10e6);
  CHECK(comparison.diff.steps.median_ns.after == 15e6);
  REQUIRE_FALSE(comparison.diff.kernels.empty());
  CHECK(comparison.diff.kernels[0].ns.difference() == Approx(2.5e6));
}

TEST_CASE("Opening another trace while one is being read shows the other") {
  const TemporaryFolder folder;
  const std::string first = write(folder, "a.sqlite"), second = write(folder, "b.sqlite");
  DrivenApp driven;
  driven.app.open(first);
  driven.frame();
  driven.app.open(second);
  driven.settle();
  REQUIRE(driven.app.viewer());
  CHECK(driven.app.viewer()->session.trace.metadata.file == second);
}

TEST_CASE("A folder of traces opens as one job") {
  const TemporaryFolder folder;
  write(folder, "a.sqlite");
  write(folder, "b.sqlite");
  DrivenApp driven;
  driven.app.open(folder.path().string());
  driven.settle();
  REQUIRE(driven.app.viewer());
  CHECK(driven.app.viewer()->session.trace.kernels.size() == 12);
}

TEST_CASE("Ctrl+O brings up the open dialog over a trace, and Escape takes it away") {
  const TemporaryFolder folder;
  DrivenApp driven;
  driven.app.open(write(folder, "a.sqlite"));
  driven.settle();
  const View before = driven.app.viewer()->view;
  driven.canvas.modifiers(false, true);
  driven.canvas.key('O', true);
  driven.frame();
  driven.canvas.key('O', false);
  driven.canvas.modifiers(false, false);
  driven.frame();
  driven.canvas.key('S', true);  // would zoom the trace
  driven.frame();
  driven.canvas.key('S', false);
  driven.frame();
  CHECK(driven.app.viewer()->view == before);
  driven.canvas.key(keys::kEscape, true);
  driven.frame();
  driven.canvas.key(keys::kEscape, false);
  driven.frame();
  driven.canvas.key('W', true);
  driven.frame();
  CHECK(driven.app.viewer()->view.width_ns < before.width_ns);
}

TEST_CASE("A pinch zooms the trace that is drawn; without one, or under the open dialog, it does nothing") {
  const TemporaryFolder folder;
  DrivenApp driven;
  const auto pinch = [&] {
    driven.app.pinch({.phase = PinchStep::Phase::begin, .scale = 1, .x_px = 700});
    driven.app.pinch({.phase = PinchStep::Phase::update, .scale = 2, .x_px = 700});
    driven.app.pinch({.phase = PinchStep::Phase::end, .scale = 2, .x_px = 700});
  };
  pinch();
  driven.app.open(write(folder, "t.sqlite"));
  pinch();
  driven.settle();
  const double whole_ns = driven.app.viewer()->view.width_ns;
  pinch();
  CHECK(driven.app.viewer()->view.width_ns == Approx(whole_ns / 2));
  driven.canvas.modifiers(false, true);
  driven.canvas.key('O', true);
  driven.frame();
  pinch();
  CHECK(driven.app.viewer()->view.width_ns == Approx(whole_ns / 2));
}

TEST_CASE("Closing while a trace is read or analysed ends without trouble") {
  const TemporaryFolder folder;
  const std::string file = write(folder, "a.sqlite");
  for (int frames = 0; frames < 5; ++frames) {
    DrivenApp driven;
    driven.app.open(file);
    driven.app.open_below(file);
    for (int i = 0; i < frames; ++i) driven.frame();
  }
}

}  // namespace
}  // namespace gputrace::gui
