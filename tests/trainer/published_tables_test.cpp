// The model's figures stay within stated bounds of the published ones.
#include "trainer/published_tables.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "recorded_run.h"
#include "trainer/scenario.h"

using namespace trainer;

namespace {

// Where the table says why a figure is not met; the issue's own bound elsewhere.
constexpr double kBound = 0.10, kBoundNotMet = 0.70;

tl::expected<std::unique_ptr<Backend>, std::string> make(const std::string& name) { return test::box(name); }

double modelled(char table, std::string_view scenario, int gpus) {
  for (const PublishedFigure& figure : published_figures(table)) {
    if (figure.scenario != scenario || figure.gpus != gpus) continue;
    const auto value = modelled_figure(table, figure, make);
    REQUIRE(value);
    return *value;
  }
  FAIL("no such figure");
  return 0;
}

}  // namespace

TEST_CASE("every figure is met within 10 %, or the table says why it is not") {
  for (const char table : {'A', 'B'}) {
    for (const PublishedFigure& figure : published_figures(table)) {
      CAPTURE(figure.scenario, figure.gpus);
      if (!figure.modelled) {
        CHECK_FALSE(figure.not_met.empty());
        continue;
      }
      const auto value = modelled_figure(table, figure, make);
      REQUIRE(value);
      CHECK(std::fabs(*value / figure.published - 1) < (figure.not_met.empty() ? kBound : kBoundNotMet));
    }
  }
}

TEST_CASE("ratios that the newer version's rows are about are met within 10 %") {
  const double nhwc = modelled('A', "A-nhwc", 4);
  CHECK(nhwc / modelled('A', "A-nhwc", 1) == Approx(6700.0 / 2000).epsilon(0.10));
  CHECK(modelled('A', "A-nchw-transposed-bn", 4) / nhwc == Approx(6200.0 / 6700).epsilon(0.10));
}

TEST_CASE("a table prints published, modelled and error side by side") {
  std::ostringstream out;
  REQUIRE(print_table('B', make, out));
  CHECK(out.str().find("B-tower-cpu               2       4.885") != std::string::npos);
  CHECK(out.str().find("modelled") != std::string::npos);
  CHECK(out.str().find(" %") != std::string::npos);
}

TEST_CASE("a machine that is not there is the table's error") {
  std::ostringstream out;
  const auto none = [](const std::string&) -> tl::expected<std::unique_ptr<Backend>, std::string> {
    return tl::unexpected<std::string>("no machine");
  };
  REQUIRE_FALSE(print_table('A', none, out));
  CHECK(print_table('A', none, out).error() == "no machine");
}
