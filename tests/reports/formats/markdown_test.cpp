#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

#include "reports/format.h"
#include "tests/reports/diagnosis_samples.h"
#include "tests/support/golden.h"

using namespace gputrace;
using namespace gputrace::reports;
using Catch::Matchers::Contains;

namespace {

std::string render(const analyzer::Diagnosis& diagnosis) { return find_format("markdown")->render(diagnosis, {}); }

analyzer::Diagnosis with_text(const std::string& text) {
  auto diagnosis = tests::cpu_placed_ops();
  diagnosis.findings[0].title = diagnosis.findings[0].why = text;
  diagnosis.kernels[0].label = text;
  return diagnosis;
}

}  // namespace

TEST_CASE("whole Markdown reports are as before") {
  CHECK(tests::differs_from_golden("report_cpu_placed_ops.md", render(tests::cpu_placed_ops())) == "");
  CHECK(tests::differs_from_golden("report_empty_trace.md", render(tests::empty_trace())) == "");
}

TEST_CASE("a name cannot be markup, a mention, a reference or a link") {
  CHECK_THAT(render(with_text("<img src=x> *a* [b](c)")), Contains("\\<img src=x\\> \\*a\\* \\[b\\](c)"));
  CHECK_THAT(render(with_text("ask @torvalds in #1")), Contains("ask @<!-- -->torvalds in #<!-- -->1"));
  CHECK_THAT(render(with_text("https://a.b www.c.d")), Contains("https:<!-- -->//a.b www<!-- -->.c.d"));
  CHECK_THAT(render(with_text("a|b")), Contains("| `a\\|b` |"));
  CHECK_THAT(render(with_text("a``b")), Contains("| ``` a``b ``` |"));
}

TEST_CASE("hostile names keep every table's shape") {
  std::istringstream lines(render(tests::hostile_names()));
  std::size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '|') {
      columns = 0;
      continue;
    }
    std::size_t pipes = 0;
    for (std::size_t i = 0; i < line.size(); ++i) pipes += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (columns == 0) columns = pipes;
    INFO(line);
    CHECK(pipes == columns);
  }
}

TEST_CASE("a report fits into an issue") { CHECK(render(tests::hostile_names()).size() < 65'536); }
