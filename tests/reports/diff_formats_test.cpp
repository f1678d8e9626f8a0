#include "reports/diff_formats.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "reports/diff_wording.h"
#include "tests/support/golden.h"
#include "tests/support/trace_builder.h"
#include "trace/trace_reader.h"

using namespace gputrace;
using namespace gputrace::tests;
using Catch::Matchers::Contains;

namespace {

constexpr std::string_view kAllReduce =
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

struct Shape {
  std::int64_t step = 100_ms, kernel = 60_ms, collective = 0;
  std::string_view name = "sgemm";
};

trace::Trace run(const Shape& shape) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 12; ++i) {
    const std::int64_t start = i * shape.step, middle = start + shape.kernel;
    builder.step(start, start + shape.step);
    builder.kernel({.start = start, .end = middle, .name = shape.name});
    if (shape.collective > 0)
      builder.kernel({.start = middle, .end = middle + shape.collective, .name = kAllReduce});
  }
  return builder.build();
}

analyzer::TraceDiff diff(const Shape& before, const Shape& after) {
  return analyzer::diff_traces(run(before), run(after));
}

}  // namespace

TEST_CASE("a longer step with the same kernels is idle time, not a slower GPU") {
  CHECK(reports::diff_sentence(
            diff({.step = 124'300_us, .kernel = 104'600_us}, {.step = 141'900_us, .kernel = 104'700_us})) ==
        "step time 124 ms to 142 ms: 14.2 % longer; kernels unchanged (105 ms, 105 ms), "
        "all of the change is idle time (19.7 ms to 37.2 ms)");
}

TEST_CASE("less GPU work in an unchanged step is no speed-up") {
  const std::string sentence = reports::diff_sentence(
      diff({.kernel = 60_ms, .collective = 10_ms}, {.kernel = 50_ms, .collective = 14_ms}));
  CHECK(sentence ==
        "no change in step time (100 ms to 100 ms); 16.7 % less GPU work, more exposed communication (10.0 "
        "ms to 14.0 ms), "
        "more idle time (30.0 ms to 36.0 ms)");
}

TEST_CASE("a faster step is said to be shorter") {
  CHECK_THAT(reports::diff_sentence(diff({.step = 100_ms}, {.step = 80_ms})),
             Catch::StartsWith("step time 100 ms to 80.0 ms: 20.0 % shorter"));
}

TEST_CASE("steps without names are aligned by their period, and the smallest visible change is told") {
  const auto unnamed = [](std::int64_t kernel) {
    TraceBuilder builder;
    for (std::int64_t i = 0; i < 48; ++i) {
      const char* const names[] = {"norm", "sgemm", "relu", "softmax"};
      builder.kernel({.start = i * 25_ms, .end = i * 25_ms + kernel, .name = names[i % 4]});
    }
    return builder.build();
  };
  const auto pair = analyzer::diff_traces(unnamed(20_ms), unnamed(15_ms));
  CHECK(pair.steps.source == analyzer::StepSource::periodicity);
  CHECK(pair.steps.verdict == analyzer::StepVerdict::no_change);
  const std::string certainty = reports::diff_certainty(pair);
  CHECK_THAT(certainty, Contains("by the period of the kernels") &&
                            Contains("the smallest change that could be seen is "));
}

TEST_CASE("the real pair: recordings cut to one length, with less work in the second, are not a speed-up") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: no shared data");
    return;
  }
  const auto before = trace::read_trace(folder / "nsysai_mfu_2gpu_before.sqlite");
  const auto after = trace::read_trace(folder / "nsysai_mfu_2gpu_after.sqlite");
  REQUIRE(before);
  REQUIRE(after);
  const std::string sentence = reports::diff_sentence(analyzer::diff_traces(*before, *after));
  CHECK_THAT(
      sentence,
      Catch::StartsWith("no change in the traced time (300 ms to 299 ms); "));
  CHECK_THAT(sentence, Contains("less GPU work") && Contains("more exposed communication"));
  CHECK(sentence.find("longer") == std::string::npos);  // by periods that are not sure
  CHECK(sentence.find("faster") == std::string::npos);
  CHECK(sentence.find("shorter") == std::string::npos);
}

TEST_CASE("what cannot be aligned is not judged") {
  const auto one = TraceBuilder{}.kernel({.start = 0, .end = 10_ms}).build();
  const auto two = TraceBuilder{}.kernel({.start = 0, .end = 20_ms}).build();
  const auto pair = analyzer::diff_traces(one, two);
  CHECK_THAT(reports::diff_sentence(pair),
             Catch::StartsWith("no steps to compare; traced time 10.0 ms to 20.0 ms"));
  CHECK_THAT(reports::diff_certainty(pair), Contains("neither trace has steps"));
  CHECK(reports::diff_sentence(analyzer::diff_traces(TraceBuilder{}.build(), TraceBuilder{}.build())) ==
        "neither trace has work on a GPU");
}

TEST_CASE("the text lists kernels that came and went, and fits its width") {
  const std::string text =
      reports::diff_as_text(diff({.name = "old_kernel"}, {.name = "new_kernel"}), {.width = 80});
  CHECK_THAT(text, Contains("went") && Contains("old_kernel") && Contains("came") && Contains("new_kernel"));
  CHECK_THAT(text, Contains("Kernels that changed: 2 of 2, per step and GPU"));
}

TEST_CASE("the JSON holds the figures of the text") {
  const auto json =
      nlohmann::json::parse(reports::diff_as_json(diff({.step = 100_ms}, {.step = 110_ms})), nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  CHECK(json["steps"]["verdict"] == "slower");
  CHECK(json["steps"]["change"].get<double>() == Approx(0.1));
  CHECK(json["steps"]["interval_95"].size() == 2);
  CHECK(json["unit"] == "step");
  CHECK(json["idle_ns"]["after"].get<double>() == Approx(50e6));
  CHECK(json["kernels"][0]["fate"] == "same");
}

namespace {

// Case of a new version of a program: its kernels are as fast as before, one has another name, and the host comes later.
analyzer::TraceDiff new_version() {
  auto pair = diff({.step = 124'300_us, .kernel = 80'600_us, .collective = 24'000_us},
                   {.step = 141'900_us, .kernel = 80'700_us, .collective = 24'000_us, .name = "sgemm"});
  pair.before_file = "before.sqlite";
  pair.after_file = "after.sqlite";
  return pair;
}

analyzer::TraceDiff with_hostile_names() {
  auto pair = diff({.name = "</title><script>alert(1)</script> @somebody | `x` ![y](http://z)"}, {.name = "b\x1b[31m\xff"});
  pair.before_file = "<img src=x onerror=alert(1)>";
  pair.caveats = {"<b>bold</b>"};
  return pair;
}

}  // namespace

TEST_CASE("a comparison, whole, in every format") {
  CHECK(differs_from_golden("diff_new_version.txt", reports::diff_as_text(new_version(), {.width = 100})) == "");
  CHECK(differs_from_golden("diff_new_version.md", reports::diff_as_markdown(new_version())) == "");
  CHECK(differs_from_golden("diff_new_version.json", reports::diff_as_json(new_version())) == "");
  CHECK(differs_from_golden("diff_new_version.html", reports::diff_as_html(new_version())) == "");
}

TEST_CASE("the real pair, whole") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";
  const auto before = trace::read_trace(folder / "nsysai_mfu_2gpu_before.sqlite");
  const auto after = trace::read_trace(folder / "nsysai_mfu_2gpu_after.sqlite");
  if (!before || !after) {
    WARN("skipped: no shared data");
    return;
  }
  auto pair = analyzer::diff_traces(*before, *after);
  pair.before_file = "before.sqlite";
  pair.after_file = "after.sqlite";
  CHECK(differs_from_golden("diff_mfu_2gpu.txt", reports::diff_as_text(pair, {.width = 100})) == "");
  CHECK(differs_from_golden("diff_mfu_2gpu.md", reports::diff_as_markdown(pair)) == "");
}

TEST_CASE("names in a comparison's Markdown and page are text") {
  const std::string page = reports::diff_as_html(with_hostile_names());
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find('\x1b') == std::string::npos);
  CHECK(page.find("{{") == std::string::npos);
  const std::string markdown = reports::diff_as_markdown(with_hostile_names());
  CHECK(markdown.find("\n<") == std::string::npos);
  CHECK_THAT(markdown, Contains("\\<b\\>bold"));
  CHECK(markdown.find('\x1b') == std::string::npos);
}

TEST_CASE("hostile names reach neither the terminal nor the JSON's syntax") {
  const auto pair = diff({.name = "\x1b[31m\"evil\"\n\xff"}, {});
  CHECK(reports::diff_as_text(pair, {}).find('\x1b') == std::string::npos);
  CHECK_FALSE(nlohmann::json::parse(reports::diff_as_json(pair), nullptr, false).is_discarded());
}
