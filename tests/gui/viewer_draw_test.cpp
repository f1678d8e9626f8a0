#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gui/comparison.h"
#include "gui/keys.h"
#include "tests/gui/temporary_folder.h"
#include "tests/gui/viewer_fixture.h"
#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

// Rows on the screen: the summary of the GPU from kTop, its two curves, then its stream.
constexpr float kStreamY = DrivenViewer::kTop + 40 + 2 * 26 + 9;

trace::Trace two_kernels() {
  return TraceBuilder{}
      .kernel({.start = 0_ms, .end = 10_ms, .name = "first", .correlation = 1})
      .kernel({.start = 40_ms, .end = 60_ms, .name = "second", .correlation = 2})
      .api({.start = 0_ms, .end = 1_ms, .correlation = 1})
      .api({.start = 30_ms, .end = 31_ms, .correlation = 2})
      .build();
}

std::string selected_name(const DrivenViewer& driven) {
  return driven.viewer.selected ? driven.viewer.selected->full_name : "";
}

TEST_CASE("A click selects the event under the pointer, a click beside it deselects") {
  DrivenViewer driven{two_kernels()};
  driven.click(driven.x_of(50_ms), kStreamY);
  CHECK(selected_name(driven) == "second");
  driven.click(driven.x_of(5_ms), kStreamY);
  CHECK(selected_name(driven) == "first");
  driven.click(driven.x_of(20_ms), kStreamY);
  CHECK_FALSE(driven.viewer.selected);
}

TEST_CASE("The wheel zooms about the pointer and keeps its time there") {
  DrivenViewer driven{two_kernels()};
  constexpr float x = 900;  // whole: ImGui rounds the pointer down
  const std::int64_t time =
      driven.viewer.view.time_of(x - DrivenViewer::kLeft, DrivenViewer::kRight - DrivenViewer::kLeft);
  for (int notch = 0; notch < 20; ++notch) {
    driven.canvas.mouse_to(x, kStreamY);
    driven.canvas.wheel(1);
    driven.frame();
    REQUIRE(driven.x_of(time) == Approx(x).margin(0.01));
  }
  CHECK(driven.viewer.view.width_ns < 1e6);
}

TEST_CASE("With Ctrl the wheel zooms too, about the left edge over the labels, where it scrolls without") {
  DrivenViewer driven{two_kernels()};
  const double whole_ns = driven.viewer.view.width_ns;
  const auto turn = [&](float x, bool control) {
    driven.canvas.modifiers(false, control);
    driven.canvas.mouse_to(x, kStreamY);
    driven.canvas.wheel(1);
    driven.frame();
  };
  turn(100, false);
  CHECK(driven.viewer.view.width_ns == whole_ns);
  const View whole = driven.viewer.view;
  turn(100, true);
  CHECK(driven.viewer.view.width_ns == Approx(0.8 * whole_ns));
  CHECK(driven.viewer.view.offset_ns == Approx(whole.offset_ns));
  const std::int64_t time =
      driven.viewer.view.time_of(900 - DrivenViewer::kLeft, DrivenViewer::kRight - DrivenViewer::kLeft);
  turn(900, true);
  CHECK(driven.viewer.view.width_ns == Approx(0.64 * whole_ns));
  CHECK(driven.x_of(time) == Approx(900).margin(0.01));
}

TEST_CASE("A drag moves the time under the pointer with it and selects nothing") {
  DrivenViewer driven{two_kernels()};
  driven.viewer.view.show({10_ms, 50_ms}, 0);
  const std::int64_t time = driven.viewer.view.time_of(400, DrivenViewer::kRight - DrivenViewer::kLeft);
  driven.drag(610, kStreamY, 500, kStreamY);
  CHECK(driven.x_of(time) == Approx(500).margin(0.01));
  CHECK_FALSE(driven.viewer.selected);
}

TEST_CASE("Shift and drag measures, and totals what ran there") {
  DrivenViewer driven{two_kernels()};
  driven.canvas.modifiers(true, false);
  driven.drag(driven.x_of(0), kStreamY, driven.x_of(50_ms), kStreamY);
  REQUIRE(driven.viewer.measured);
  REQUIRE(driven.viewer.totals);
  CHECK(static_cast<double>(driven.viewer.measured->duration_ns()) == Approx(50e6).epsilon(0.01));
  REQUIRE(driven.viewer.totals->devices.size() == 1);
  const DeviceTotals& gpu = driven.viewer.totals->devices[0];
  CHECK(gpu.busy_ns + gpu.idle_ns == static_cast<std::uint64_t>(driven.viewer.measured->duration_ns()));
  CHECK(static_cast<double>(gpu.busy_ns) == Approx(20e6).epsilon(0.01));
}

TEST_CASE("F fits the selected event, 0 shows the whole trace, Backspace goes back") {
  DrivenViewer driven{two_kernels()};
  const View whole = driven.viewer.view;
  driven.click(driven.x_of(50_ms), kStreamY);
  driven.press('F');
  CHECK(driven.viewer.view.width_ns < 40e6);
  const View near = driven.viewer.view;
  driven.press('0');
  CHECK(driven.viewer.view == whole);
  driven.press(keys::kBackspace);
  CHECK(driven.viewer.view == near);
}

TEST_CASE("The arrow keys walk along the row and stop at its ends") {
  DrivenViewer driven{two_kernels()};
  driven.click(driven.x_of(5_ms), kStreamY);
  driven.press(keys::kLeft);
  CHECK(selected_name(driven) == "first");
  driven.press(keys::kRight);
  CHECK(selected_name(driven) == "second");
  driven.press(keys::kRight);
  CHECK(selected_name(driven) == "second");
}

TEST_CASE("L goes from a kernel to its launch and back") {
  DrivenViewer driven{two_kernels()};
  driven.click(driven.x_of(50_ms), kStreamY);
  driven.press('L');
  REQUIRE(driven.viewer.selected);
  CHECK(driven.viewer.selected->event.table() == trace::Table::api_calls);
  driven.press('L');
  CHECK(selected_name(driven) == "second");
}

TEST_CASE("W and S zoom, A and D move, while held") {
  DrivenViewer driven{two_kernels()};
  const double width = driven.viewer.view.width_ns;
  driven.press('W');
  CHECK(driven.viewer.view.width_ns < width);
  const double offset = driven.viewer.view.offset_ns;
  driven.press('D');
  CHECK(driven.viewer.view.offset_ns > offset);
}

TEST_CASE("Typing into the search does not move the view") {
  DrivenViewer driven{two_kernels()};
  driven.canvas.type("/");
  for (int i = 0; i < 6; ++i)
    driven.frame();  // the tab comes to the front, then its field takes the keyboard
  const View before = driven.viewer.view;
  driven.canvas.key('S', true);
  driven.canvas.type("sec");
  driven.frame();
  driven.canvas.key('S', false);
  driven.frame();
  CHECK(driven.viewer.search.pattern == "sec");
  CHECK(driven.viewer.search.events == 1);
  CHECK(driven.viewer.view == before);
}

TEST_CASE("? shows the keys and Escape hides them") {
  DrivenViewer driven{two_kernels()};
  driven.canvas.type("?");
  driven.frame();
  CHECK(driven.viewer.show_help);
  driven.press(keys::kEscape);
  CHECK_FALSE(driven.viewer.show_help);
}

TEST_CASE("G goes to a time that is typed") {
  DrivenViewer driven{two_kernels()};
  driven.viewer.view.show({0, 1_ms}, 0);
  driven.press('G');
  for (int i = 0; i < 4; ++i) driven.frame();
  driven.canvas.type("30ms");
  driven.frame();
  driven.press(keys::kEnter);
  CHECK_FALSE(driven.viewer.go_to_text);
  CHECK(driven.viewer.view.x_of(30_ms, 1000) == Approx(500));
}

TEST_CASE("A click on a label folds its lanes") {
  DrivenViewer driven{two_kernels()};
  driven.click(60, DrivenViewer::kTop + 10);
  CHECK(driven.viewer.lanes[0].collapsed);
  driven.click(60, DrivenViewer::kTop + 10);
  CHECK_FALSE(driven.viewer.lanes[0].collapsed);
}

TEST_CASE("A click on the minimap moves the view there") {
  DrivenViewer driven{two_kernels()};
  driven.viewer.view.show({0, 1_ms}, 0);
  driven.click(1000, 36 + 20);
  const View whole = View::whole(driven.session.timeline.span);
  const double wanted = whole.offset_ns + (1000 - 210) / 990.0 * whole.width_ns;
  CHECK(driven.viewer.view.offset_ns + driven.viewer.view.width_ns / 2 == Approx(wanted).epsilon(0.01));
}

TEST_CASE("A finding is shown with its evidence") {
  Session session{two_kernels()};
  session.diagnosis.findings.push_back({.rule = "made-up",
                                        .verdict = analyzer::Verdict::found,
                                        .title = "A gap",
                                        .why = {},
                                        .evidence = {{{20_ms, 30_ms}, trace::DeviceId{0}, "here"}},
                                        .advice = {}});
  std::rotate(session.diagnosis.findings.begin(), session.diagnosis.findings.end() - 1,
              session.diagnosis.findings.end());
  Canvas canvas{CanvasOptions{}};
  Viewer viewer{session, canvas.look()};
  const auto frame = [&] { canvas.frame([&] { draw_viewer(viewer); }); };
  frame();
  canvas.key('1', true);
  frame();
  CHECK(viewer.finding == std::size_t{0});
  CHECK(viewer.view.span().start_ns < 20_ms);
  CHECK(viewer.view.span().start_ns > 10_ms);
  CHECK(viewer.view.span().end_ns > 30_ms);
}

TEST_CASE("M marks the time under the pointer with a note, which is kept beside the trace") {
  const TemporaryFolder folder;
  trace::Trace trace = two_kernels();
  trace.metadata.file = (folder / "t.sqlite").string();
  DrivenViewer driven{std::move(trace)};
  driven.move_to(std::floor(driven.x_of(30_ms)), kStreamY);
  const std::int64_t time =
      driven.viewer.view.time_of(static_cast<double>(std::floor(driven.x_of(30_ms)) - DrivenViewer::kLeft),
                                 DrivenViewer::kRight - DrivenViewer::kLeft);
  driven.press('M');
  REQUIRE(driven.viewer.mark);
  for (int i = 0; i < 4; ++i) driven.frame();
  driven.canvas.type("here it stops");
  driven.frame();
  driven.press(keys::kEnter);
  CHECK_FALSE(driven.viewer.mark);
  REQUIRE(driven.viewer.marks.size() == 1);
  CHECK(std::abs(driven.viewer.marks[0].time_ns - time) < 100'000);
  CHECK(driven.viewer.marks[0].note == "here it stops");
  CHECK(read_marks(driven.session.trace.metadata.file) == driven.viewer.marks);
  remove_mark(driven.viewer, 0);
  CHECK(read_marks(driven.session.trace.metadata.file).empty());
}

TEST_CASE("Marks that cannot be kept are told in the status bar") {
  for (const char* file : {"", "/no/such/folder/t.sqlite"}) {
    trace::Trace trace = two_kernels();
    trace.metadata.file = file;
    DrivenViewer driven{std::move(trace)};
    begin_mark(driven.viewer, 5_ms);
    keep_mark(driven.viewer);
    driven.frame();
    CHECK(driven.viewer.message.find("marks") != std::string::npos);
  }
}

TEST_CASE("A click in the trace below selects there, and moving it moves the trace above") {
  DrivenViewer driven{two_kernels()};
  const Session other{two_kernels()};
  driven.viewer.comparison = std::make_unique<Comparison>(
      driven.viewer, other, analyzer::diff_traces(driven.session.trace, other.trace));
  driven.frame();
  driven.frame();
  Viewer& below = driven.viewer.comparison->below;
  const float middle = 900 - 36 - 24, top = 36 + std::floor(middle * 0.55F) + 20 + 24;  // title and ruler
  const float stream = top + 40 + 2 * 26 + 9;
  driven.click(driven.x_of(50_ms), stream);
  REQUIRE(below.selected);
  CHECK(below.selected->full_name == "second");
  CHECK_FALSE(driven.viewer.selected);
  driven.press('F');
  CHECK(driven.viewer.view.width_ns < 40e6);
  CHECK(below.view.width_ns == driven.viewer.view.width_ns);
  driven.press(keys::kLeft);
  CHECK(below.selected->full_name == "first");
  driven.press(keys::kEscape);
  CHECK_FALSE(below.selected);
}

TEST_CASE("An empty trace is shown without trouble") {
  DrivenViewer driven{TraceBuilder{}.build()};
  driven.move_to(600, 300);
  driven.press('F');
  driven.press('N');
  driven.press('1');
  driven.click(600, 300);
  CHECK_FALSE(driven.viewer.selected);
}

TEST_CASE("Times at the ends of int64 and names of 512 KiB are shown without trouble") {
  const std::string long_name(512 * 1024, 'x');
  DrivenViewer driven{TraceBuilder{}
                          .kernel({.start = INT64_MIN, .end = INT64_MIN + 5, .name = long_name})
                          .kernel({.start = INT64_MAX - 5, .end = INT64_MAX, .name = "%s%n"})
                          .range({.start = INT64_MIN + 1, .end = INT64_MAX, .text = "\xff\xfe bad utf-8 %d"})
                          .build()};
  for (int notch = 0; notch < 30; ++notch) {
    driven.canvas.mouse_to(250 + 30.0F * static_cast<float>(notch), kStreamY);
    driven.canvas.wheel(notch % 3 == 2 ? -1.0F : 1.0F);
    driven.frame();
  }
  driven.press('0');
  driven.click(driven.x_of(0), kStreamY);
  CHECK(driven.viewer.view.width_ns > 0);
}

}  // namespace
}  // namespace gputrace::gui
