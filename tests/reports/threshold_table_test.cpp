#include "reports/threshold_table.h"

#include <catch2/catch.hpp>

#include "analyzer/threshold_settings.h"
#include "analyzer/thresholds.h"
#include "reports/plain_text.h"

using namespace gputrace;

TEST_CASE("every threshold is printed with its value and its reason, within the width") {
  const std::string text = reports::thresholds_as_text({.width = 60});
  for (const analyzer::Threshold* threshold : analyzer::thresholds::kAll) {
    CHECK_THAT(text, Catch::Contains(std::string(threshold->name) + " = "));
  }
  CHECK_THAT(text, Catch::Contains("warm-up-factor = 1.20x"));
  CHECK_THAT(text, Catch::Contains("link-bound-bytes = 65.5 kB"));
  CHECK_THAT(text, Catch::Contains("assumed-pageable-rate = 3.00 GB/s"));
  for (std::size_t start = 0, end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    CHECK(reports::display_width(text.substr(start, end - start)) <= 60);
  }
}

TEST_CASE("a changed threshold is printed with its standard value, and a report says which were changed") {
  analyzer::ThresholdSettings settings;
  REQUIRE(settings.set("warning-share", 0.1));
  CHECK_THAT(reports::thresholds_as_text({.width = 80}, settings), Catch::Contains("warning-share = 10.0 % (standard: 5.0 %)"));
  analyzer::Diagnosis diagnosis;
  CHECK(reports::changed_thresholds(diagnosis).empty());
  diagnosis.changed_thresholds = settings.changed();
  CHECK(reports::changed_thresholds(diagnosis) == "warning-share 10.0 % (standard: 5.0 %)");
}
