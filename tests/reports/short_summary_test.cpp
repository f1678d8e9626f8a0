#include "reports/short_summary.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "reports/plain_text.h"
#include "tests/reports/diagnosis_samples.h"

using namespace gputrace;
using Catch::Matchers::Contains;

namespace {

std::string summary_of(const analyzer::Diagnosis& diagnosis, int width = 100, bool color = false) {
  return reports::short_summary(diagnosis, "gputrace report " + diagnosis.file,
                                {.width = width, .color = color});
}

std::ptrdiff_t line_count(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("a recording ends with the top finding, its gain, the data, the file and the next command") {
  const std::string wide = summary_of(tests::cpu_placed_ops(), 200);
  CHECK(wide ==
        "finding: Six matmul ops that were asked for GPU 0 and GPU 1 run on the CPU\n"
        "gain:    a step takes about 868 ms instead of 4.88 s (5.63x)\n"
        "data:    simulated: times are modelled (machine gtx1060x2); incomplete: the program was killed by "
        "signal 9; "
        "12 records were dropped, so counts and times are too low\n"
        "trace:   b.sqlite\n"
        "next:    gputrace report b.sqlite\n");
}

TEST_CASE("without a finding the summary says so, in five lines as well") {
  const std::string healthy = summary_of(tests::healthy_run());
  CHECK_THAT(healthy, Contains("finding: No bottleneck worth a change."));
  CHECK_THAT(healthy, Contains("gain:    none to expect"));
  CHECK(line_count(healthy) == 5);
  const std::string empty = summary_of(tests::empty_trace());
  CHECK_THAT(empty, Contains("no work on a GPU"));
  CHECK(line_count(empty) == 5);
}

TEST_CASE("hostile names neither add lines nor reach the terminal, and only file names may be wider") {
  const auto diagnosis = tests::hostile_names();
  const std::string text = summary_of(diagnosis, 60);
  CHECK(line_count(text) == 5);
  CHECK(text.find('\x1b') == std::string::npos);
  std::size_t start = 0;
  for (int line = 0; line < 3; ++line) {
    const std::size_t end = text.find('\n', start);
    CHECK(reports::display_width(text.substr(start, end - start)) <= 60);
    start = end + 1;
  }
  CHECK_THAT(text, Contains("line two"));  // of the file's name, whole
}

TEST_CASE("the summary is in colour only where asked for") {
  CHECK_THAT(summary_of(tests::healthy_run(), 100, true), Catch::StartsWith("\x1b[1mfinding: "));
  CHECK(line_count(summary_of(tests::healthy_run(), 100, true)) == 5);
}
