#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reports/format.h"
#include "tests/reports/diagnosis_samples.h"
#include "tests/support/golden.h"

using namespace gputrace;
using nlohmann::json;

namespace {

std::string render(const analyzer::Diagnosis& diagnosis) { return reports::find_format("sarif")->render(diagnosis, {}); }

}  // namespace

TEST_CASE("the whole SARIF report is as before") {
  CHECK(tests::differs_from_golden("report_cpu_placed_ops.sarif", render(tests::cpu_placed_ops())) == "");
}

TEST_CASE("SARIF has a result for what was found, and none for what was not") {
  const json run = json::parse(render(tests::cpu_placed_ops())).at("runs").at(0);
  CHECK(run.at("results").size() == 2);
  CHECK(run.at("results")[0].at("level") == "error");
  CHECK(run.at("results")[1].at("level") == "note");
  CHECK(run.at("tool").at("driver").at("rules").size() == 2);
  const json empty = json::parse(render(tests::empty_trace())).at("runs").at(0);
  CHECK(empty.at("results").is_array());
  CHECK(empty.at("results").empty());
}

TEST_CASE("SARIF of hostile names is JSON, and its place a URI") {
  const json run = json::parse(render(tests::hostile_names())).at("runs").at(0);
  const auto uri = run.at("results")[0].at("locations")[0].at("physicalLocation").at("artifactLocation").at("uri").get<std::string>();
  CHECK(uri.find_first_of(" <>\"\x1b\n") == std::string::npos);
  CHECK(uri.find("%1B") == 0);
}
