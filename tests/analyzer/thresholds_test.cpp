#include "analyzer/thresholds.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

using namespace gputrace::analyzer;

TEST_CASE("every threshold of the header is in the table, once, with a reason") {
  std::ifstream header(GPUTRACE_SOURCE_DIR "/analyzer/thresholds.h");
  REQUIRE(header);
  std::size_t constants = 0;
  for (std::string line; std::getline(header, line);)
    constants += line.starts_with("inline constexpr ") ? 1 : 0;
  CHECK(thresholds::kAll.size() == constants - 1);  // kAll itself is one
  std::set<std::string> names;
  for (const Threshold* threshold : thresholds::kAll) {
    INFO(threshold->name);
    CHECK(names.insert(threshold->name).second);
    CHECK(std::string(threshold->reason).size() > 20);
    CHECK(threshold->value > 0);
    if (threshold->unit == ThresholdUnit::share) CHECK(threshold->value <= 1);
  }
}
