// What lies in the capture windows, alone and in programs.
#include <string>

#include <catch2/catch.hpp>

#include "collector/guest/capture_window.h"
#include "tests/collector/recorded_child.h"

using namespace gputrace;
using namespace gputrace::tests;
using guest::CaptureRules;
using guest::CaptureWindow;

namespace {

constexpr std::int64_t kFar = 4'000'000'000'000'000'000;  // CLOCK_REALTIME far from now: its time does not come by itself

struct Window {
  std::int64_t now_ns = 0;
  CaptureWindow window;
  explicit Window(CaptureRules rules) : window(std::move(rules), [this] { return now_ns; }) {}
  bool keeps(std::int64_t start_ns) const { return window.kept_times().keep(start_ns); }
  Window& at(std::int64_t ns) { return now_ns = ns, *this; }
};

CaptureRules triggered_by(std::string_view text) {
  CaptureRules rules;
  rules.set_trigger(text);
  return rules;
}

int count_ranges(const trace::Trace& trace, std::string_view text) {
  int count = 0;
  for (const auto id : trace.nvtx.text) count += trace.text(id).starts_with(text);
  return count;
}

}  // namespace

TEST_CASE("Without rules all is kept, and the window never closes") {
  Window window{CaptureRules{}};
  CHECK_FALSE(window.window.limited());
  CHECK(window.window.is_open());
  CHECK(window.window.keep_time(kFar) == INT64_MAX);
  CHECK(window.window.is_open());
}

TEST_CASE("A delay opens at its time, and a duration ends for good at its own") {
  CaptureRules rules;
  rules.from_realtime_ns = kFar;
  rules.duration_ns = 100;
  Window window{rules};
  CHECK(window.window.keep_time(kFar - 1) == kFar);
  CHECK_FALSE(window.window.is_open());
  CHECK(window.at(10).window.keep_time(kFar) == kFar + 100);
  CHECK(window.window.is_open());
  CHECK(window.window.keep_time(kFar + 99) == kFar + 100);
  CHECK(window.at(20).window.keep_time(kFar + 100) == INT64_MAX);
  CHECK(window.window.is_over());
  CHECK_FALSE(window.keeps(9));
  CHECK(window.keeps(10));
  CHECK(window.keeps(19));
  CHECK_FALSE(window.keeps(20));
  CHECK(window.window.windows() == 1);
}

TEST_CASE("Ranges of the trigger's name open the window; they nest and come again") {
  Window window{triggered_by("nvtx:train")};
  window.at(10).window.trigger_begins();
  window.at(11).window.trigger_begins();
  window.at(20).window.trigger_ends();
  CHECK(window.window.is_open());
  CHECK(window.keeps(25));
  window.at(30).window.trigger_ends();
  window.at(35).window.trigger_ends();  // more ends than begins
  window.at(40).window.trigger_begins();
  for (const std::int64_t kept : {10, 29, 40, 1000, 0}) CHECK(window.keeps(kept));
  for (const std::int64_t cut : {9, 30, 39}) CHECK_FALSE(window.keeps(cut));
  window.at(50).window.trigger_ends();
  CHECK_FALSE(window.keeps(0));  // without a time, and none is open
  CHECK(window.window.windows() == 2);
}

TEST_CASE("A trigger's domain is NVTX's default, the named one, or any") {
  const auto matches = [](std::string_view rule, std::string_view range, std::string_view domain) {
    return Window{triggered_by(rule)}.window.is_trigger(range, domain);
  };
  CHECK(matches("nvtx:a", "a", ""));
  CHECK_FALSE(matches("nvtx:a", "a", "d"));
  CHECK(matches("nvtx:a@d", "a", "d"));
  CHECK_FALSE(matches("nvtx:a@d", "a", ""));
  CHECK(matches("nvtx:a@*", "a", ""));
  CHECK(matches("nvtx:a@*", "a", "d"));
  CHECK_FALSE(matches("nvtx:a@*", "ab", "d"));
  CHECK(matches("nvtx:x@y@d", "x@y", "d"));
  CHECK_FALSE(matches("profiler-api", "", ""));
}

TEST_CASE("The window ends with the given number of steps of one thread") {
  CaptureRules rules;
  rules.until_steps = 2;
  Window window{rules};
  CHECK(window.window.is_step("Step #12"));
  CHECK(window.window.is_step("ProfilerStep#3"));
  CHECK_FALSE(window.window.is_step("stepping"));
  window.window.step_ends(7);
  window.window.step_ends(8);
  CHECK(window.window.is_open());
  window.window.step_ends(7);
  CHECK(window.window.is_over());
  rules.step_range = "batch";
  CHECK(Window{rules}.window.is_step("batch"));
  CHECK_FALSE(Window{rules}.window.is_step("step"));
}

TEST_CASE("Windows move with the clock of the records") {
  Window window{triggered_by("profiler-api")};
  window.at(10).window.set_switch(true);
  window.at(20).window.set_switch(false);
  window.at(30).window.set_switch(true);
  window.window.change_clock(-5, [&] { window.now_ns = 35; });
  window.window.set_switch(false);
  for (const std::int64_t kept : {5, 14, 25, 34}) CHECK(window.keeps(kept));
  for (const std::int64_t cut : {4, 15, 24, 35}) CHECK_FALSE(window.keeps(cut));
}

TEST_CASE("A range's name opens the window: kernels and ranges outside are cut, and said to be") {
  const Recording run = record_child({"steps", "5"}, true, {{"GPUTRACE_CAPTURE_RANGE", "nvtx:chosen"}});
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 50);
  CHECK(run.trace.api_calls.size() == 50);
  CHECK(count_ranges(run.trace, "chosen") == 5);
  CHECK(count_ranges(run.trace, "whole run") == 0);
  CHECK(count_ranges(run.trace, "step") == 0);
  CHECK(count_ranges(run.trace, "forward") == 0);
  CHECK(count_ranges(run.trace, "between") == 0);
  CHECK(run.summary->complete);
  CHECK(run.summary->dropped_records == 0);
  CHECK(run.trace.diagnostics.empty());
  // 22 launches of two records; whole run, and in each step two ranges more and the other domain's, begins and ends; marks.
  CHECK(run.summary->cut_events == 22 * 2 + 2 + 5 * 3 * 2 + 5);
  CHECK(run.settings.at("capture_range") == "nvtx:chosen");
  CHECK(run.settings.at("capture_windows") == "5");
  CHECK(run.settings.at("capture_cut_events") == std::to_string(run.summary->cut_events));
}

TEST_CASE("A trigger in a domain holds the ranges within it") {
  const Recording run = record_child({"steps", "5"}, true, {{"GPUTRACE_CAPTURE_RANGE", "nvtx:chosen@library"}});
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 50);
  CHECK(count_ranges(run.trace, "chosen") == 10);
  CHECK(count_ranges(run.trace, "step") == 5);
  CHECK(count_ranges(run.trace, "forward") == 5);
  CHECK(run.trace.diagnostics.empty());
  for (const std::int64_t end_ns : run.trace.nvtx.end_ns) CHECK(end_ns >= 0);
}

TEST_CASE("Recording ends with the last of the steps asked for, and the program runs on") {
  const Recording run = record_child({"steps", "6"}, true, {{"GPUTRACE_UNTIL_STEPS", "2"}});
  REQUIRE(run.summary);
  CHECK(run.program.status == 0);
  CHECK(count_ranges(run.trace, "step") == 2);
  CHECK(count_ranges(run.trace, "between") == 1);
  CHECK(run.trace.kernels.size() == 7 + 10 + 3 + 10);
  CHECK(run.summary->complete);
  CHECK(run.summary->cut_events > 0);
}

TEST_CASE("Between cuProfilerStart and cuProfilerStop all is recorded, and nothing else") {
  const Recording run = record_child({"steps", "5"}, true, {{"GPUTRACE_CAPTURE_RANGE", "profiler-api"}});
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 20);
  CHECK(count_ranges(run.trace, "step") == 2);
  CHECK(count_ranges(run.trace, "whole run") == 0);
  CHECK(run.summary->notes.empty());
}

TEST_CASE("Where CUPTI does not let us hear of cuProfilerStart, a note says so plainly") {
  const Recording run = record_child({"steps", "5"}, true,
                                     {{"GPUTRACE_CAPTURE_RANGE", "profiler-api"}, {"FAKE_CUPTI_TAKEN", "1"}});
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 0);
  REQUIRE(run.summary->notes.size() == 2);
  CHECK_THAT(run.summary->notes[0], Catch::Contains("needs to hear of cuProfilerStart"));
  CHECK_THAT(run.summary->notes[1], Catch::Contains("never opened"));
}

TEST_CASE("A window in the far future never opens, and one that began long ago is open from the start") {
  const Recording late = record_child({"steps", "5"}, true, {{"GPUTRACE_CAPTURE_FROM_NS", std::to_string(kFar)}});
  REQUIRE(late.summary);
  CHECK(late.trace.kernels.size() == 0);
  REQUIRE(late.summary->notes.size() == 1);
  CHECK_THAT(late.summary->notes[0], Catch::Contains("never opened"));
  const Recording early = record_child({"steps", "5"}, true, {{"GPUTRACE_CAPTURE_FROM_NS", "1"}});
  REQUIRE(early.summary);
  CHECK(early.trace.kernels.size() == 72);
  CHECK(early.summary->cut_events == 0);
}

TEST_CASE("A duration from the first range on ends the recording while the program runs") {
  const Recording run = record_child({"for-ms", "600"}, true,
                                     {{"GPUTRACE_CAPTURE_RANGE", "nvtx:tick"}, {"GPUTRACE_CAPTURE_DURATION_NS", "100000000"}});
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() > 0);
  CHECK(run.summary->cut_events > 0);
  CHECK(run.trace.diagnostics.empty());
}

TEST_CASE("Windows on a clock far from the wall clock hold the same work") {
  const Recording run = record_child({"steps", "5"}, true, {{"GPUTRACE_CAPTURE_RANGE", "nvtx:chosen"},
                                                           {"FAKE_CUPTI_AHEAD_NS", "-1500000000000000000"}});
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 50);
}
