#include "analyzer/threshold_settings.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

#include "analyzer/analyze.h"
#include "analyzer/gain.h"
#include "analyzer/parallel_for.h"
#include "analyzer/thresholds.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;

TEST_CASE("a changed threshold holds while its scope lives") {
  ThresholdSettings settings;
  REQUIRE(settings.set("warning-share", 0.15));
  CHECK(severity_of(0.1) == Severity::warning);
  {
    const ThresholdScope scope(settings);
    CHECK(severity_of(0.1) == Severity::info);
    CHECK(severity_of(0.16) == Severity::warning);
    CHECK(thresholds::kCriticalShare == thresholds::kCriticalShare.value);
  }
  CHECK(severity_of(0.1) == Severity::warning);
}

TEST_CASE("threads that work for an analysis have its thresholds") {
  ThresholdSettings settings;
  REQUIRE(settings.set("warning-share", 0.15));
  const ThresholdScope scope(settings);
  std::array<Severity, 64> severities{};
  parallel_for(severities.size(), [&](std::size_t i) { severities[i] = severity_of(0.1); });
  for (const Severity severity : severities) CHECK(severity == Severity::info);
}

TEST_CASE("unknown names and values that a unit does not allow are refused in one line") {
  ThresholdSettings settings;
  CHECK(settings.set("warning-shares", 0.1).error() == "no threshold is called 'warning-shares'");
  CHECK(settings.set("warning-share", 1.01).error() == "warning-share = 1.01 is no value for it: it is a share, above 0 and at most 1");
  CHECK_FALSE(settings.set("warning-share", 0));
  CHECK_FALSE(settings.set("slow-link-factor", -1));
  CHECK_FALSE(settings.set("slow-link-factor", std::numeric_limits<double>::quiet_NaN()));
  CHECK(settings.set("warning-share", 1));
  CHECK(settings.set("readbacks-per-step", 20));
  CHECK(settings.changed().size() == 2);
}

TEST_CASE("the last value set holds, and the standard one is no change") {
  ThresholdSettings settings;
  REQUIRE(settings.set("warning-share", 0.15));
  REQUIRE(settings.set("warning-share", 0.25));
  CHECK(settings.value_of(thresholds::kWarningShare) == 0.25);
  REQUIRE(settings.set("warning-share", thresholds::kWarningShare.value));
  CHECK(settings.changed().empty());
}

TEST_CASE("an analysis finds by the settings given, and says which they are") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 1'000'000, "reduction", 5);
    loop.launch(0, 1'000'000, "large");
    loop.end_step();
  }
  const auto trace = loop.build();
  const auto found = [](const Diagnosis& diagnosis) {
    for (const Finding& finding : diagnosis.findings)
      if (finding.rule == "small-grids") return finding.verdict == Verdict::found;
    return false;
  };
  CHECK(found(analyze(trace)));
  ThresholdSettings settings;
  REQUIRE(settings.set("small-grid-share", 0.9));
  const Diagnosis changed = analyze(trace, {}, settings);
  CHECK_FALSE(found(changed));
  REQUIRE(changed.changed_thresholds.size() == 1);
  CHECK(changed.changed_thresholds[0].threshold == &thresholds::kSmallGridShare);
}
