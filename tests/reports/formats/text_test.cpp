#include <sstream>

#include <catch2/catch.hpp>

#include "reports/format.h"
#include "reports/plain_text.h"
#include "tests/reports/diagnosis_samples.h"
#include "tests/support/golden.h"

using namespace gputrace;
using namespace gputrace::reports;
using Catch::Matchers::Contains;

namespace {

std::string render(const analyzer::Diagnosis& diagnosis, const FormatOptions& options = {}) {
  return find_format("text")->render(diagnosis, options);
}

void check_lines_fit(const std::string& report, int width) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(display_width(line) <= width);
  }
}

}  // namespace

TEST_CASE("whole text reports are as before") {
  CHECK(tests::differs_from_golden("report_cpu_placed_ops.txt", render(tests::cpu_placed_ops())) == "");
  CHECK(tests::differs_from_golden("report_cpu_placed_ops_60.txt", render(tests::cpu_placed_ops(), {.width = 60})) == "");
  CHECK(tests::differs_from_golden("report_cpu_placed_ops_200.txt", render(tests::cpu_placed_ops(), {.width = 200})) == "");
  CHECK(tests::differs_from_golden("report_healthy_run.txt", render(tests::healthy_run())) == "");
  CHECK(tests::differs_from_golden("report_empty_trace.txt", render(tests::empty_trace())) == "");
  CHECK(tests::differs_from_golden("report_eight_gpus.txt", render(tests::eight_gpus())) == "");
}

TEST_CASE("no line is wider than the terminal") {
  for (const int width : {60, 80, 200}) {
    check_lines_fit(render(tests::cpu_placed_ops(), {.width = width}), width);
    check_lines_fit(render(tests::hostile_names(), {.width = width}), width);
    check_lines_fit(render(tests::eight_gpus(), {.width = width}), width);
  }
  check_lines_fit(render(tests::cpu_placed_ops(), {.width = -5}), 40);
}

TEST_CASE("nothing from a file reaches the terminal as a control sequence") {
  const std::string report = render(tests::hostile_names());
  CHECK(valid_utf8(report) == report);
  for (const char c : report) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  CHECK(report.find("\xC2\x9B") == std::string::npos);
  CHECK(report.find('\x7f') == std::string::npos);
}

TEST_CASE("colour is on request only, and changes nothing else") {
  const std::string plain = render(tests::cpu_placed_ops());
  std::string colored = render(tests::cpu_placed_ops(), {.color = true});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK_THAT(colored, Contains("\x1b[1;31m"));
  for (auto at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b')) {
    colored.erase(at, colored.find('m', at) + 1 - at);
  }
  CHECK(colored == plain);
}

TEST_CASE("a simulated trace says so above the verdict, a real one does not") {
  const std::string simulated = render(tests::cpu_placed_ops());
  CHECK(simulated.find("simulated: times are modelled (machine gtx1060x2)") < simulated.find("Six matmul ops"));
  CHECK(render(tests::healthy_run()).find("simulated") == std::string::npos);
}

TEST_CASE("figures that were not captured are not zero") {
  const std::string report = render(tests::eight_gpus(), {.width = 200});
  CHECK_THAT(report, Contains("1 more GPU is listed but not used"));
  CHECK_THAT(report, Contains("50.0 %  50.0 %  50.0 %      -  50.0 %"));
}
