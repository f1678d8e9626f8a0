#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reports/format.h"
#include "tests/reports/diagnosis_samples.h"
#include "tests/reports/json_schema_check.h"
#include "tests/support/golden.h"

using namespace gputrace;
using namespace gputrace::reports;
using nlohmann::json;

namespace {

const char* const kSchemaFile = GPUTRACE_SOURCE_DIR "/reports/report.schema.json";

std::string render(const analyzer::Diagnosis& diagnosis) { return find_format("json")->render(diagnosis, {}); }

std::string schema_text() {
  std::ifstream in(kSchemaFile);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("whole JSON reports are as before") {
  CHECK(tests::differs_from_golden("report_cpu_placed_ops.json", render(tests::cpu_placed_ops())) == "");
  CHECK(tests::differs_from_golden("report_empty_trace.json", render(tests::empty_trace())) == "");
  CHECK(tests::differs_from_golden("report_eight_gpus.json", render(tests::eight_gpus())) == "");
}

TEST_CASE("every JSON report follows the schema") {
  for (const auto& diagnosis : {tests::cpu_placed_ops(), tests::healthy_run(), tests::empty_trace(),
                                tests::hostile_names(), tests::eight_gpus()}) {
    CHECK(tests::schema_violation(schema_text(), render(diagnosis)) == "");
  }
}

TEST_CASE("the schema check notices what is wrong") {
  json report = json::parse(render(tests::cpu_placed_ops()));
  const auto violation = [&report] { return tests::schema_violation(schema_text(), report.dump()); };
  report["devices"][0]["compute_utilization"] = 1.5;
  CHECK(violation() == "/devices/0/compute_utilization: above the maximum");
  report["devices"][0]["compute_utilization"] = nullptr;
  CHECK(violation() == "");
  report["findings"][1]["verdict"] = "maybe";
  CHECK(violation() == "/findings/1/verdict: \"maybe\" is none of [\"found\",\"nothing\",\"could_not_look\"]");
  report["findings"][1]["verdict"] = "found";
  report["trace"].erase("dropped");
  CHECK(violation() == "/trace: no \"dropped\"");
  CHECK(tests::schema_violation("{\"pattern\": \"x\"}", "\"x\"") != "");
}

TEST_CASE("python's jsonschema agrees, where it is installed") {
  if (std::system("python3 -c 'import jsonschema' 2>/dev/null") != 0) {
    WARN("skipped: python3-jsonschema is not installed");
    return;
  }
  const std::string program =
      "python3 -c 'import json, jsonschema, sys; jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))"
      ".validate(json.load(open(sys.argv[2])))' " + std::string(kSchemaFile) + " " GPUTRACE_SOURCE_DIR "/tests/golden/";
  for (const char* report : {"report_cpu_placed_ops.json", "report_empty_trace.json", "report_eight_gpus.json"}) {
    CHECK(std::system((program + report).c_str()) == 0);
  }
}

TEST_CASE("the parts of each GPU sum to the window") {
  const json report = json::parse(render(tests::cpu_placed_ops()));
  for (const auto& device : report["devices"]) {
    std::int64_t sum_ns = 0;
    for (const auto& [key, part] : device["time_ns"].items()) {
      if (key != "idle") sum_ns += part.get<std::int64_t>();
    }
    for (const auto& part : device["time_ns"]["idle"]) sum_ns += part.get<std::int64_t>();
    CHECK(sum_ns == report["trace"]["window_end_ns"].get<std::int64_t>() -
                        report["trace"]["window_start_ns"].get<std::int64_t>());
  }
}

TEST_CASE("what is no number, or was not captured, is null") {
  auto diagnosis = tests::cpu_placed_ops();
  diagnosis.copies[0].gbps = std::numeric_limits<double>::infinity();
  diagnosis.findings[0].predicted_speedup = std::nan("");
  diagnosis.devices[0].parts.clear();
  const json report = json::parse(render(diagnosis));
  CHECK(report["copies"][0]["gbps"].is_null());
  CHECK(report["copies"][1]["link_gbps"].is_null());
  CHECK(report["findings"][0]["predicted_speedup"].is_null());
  CHECK(report["devices"][0]["time_ns"].is_null());
  CHECK(report["findings"][0]["evidence"][0]["device"].is_null());
}

TEST_CASE("times beyond double precision stay exact, and broken UTF-8 is replaced") {
  auto diagnosis = tests::cpu_placed_ops();
  diagnosis.trace_span.end_ns = 9'007'199'254'740'993;
  diagnosis.kernels[0].name = "a\xff" "b";
  const json report = json::parse(render(diagnosis));
  CHECK(report["trace"]["end_ns"].get<std::int64_t>() == 9'007'199'254'740'993);
  CHECK(report["kernels"][0]["name"] == "a\xEF\xBF\xBD" "b");
}

TEST_CASE("links, reasons of low concurrency and the parts of steps are in the JSON report, and what was not captured is null") {
  analyzer::Diagnosis diagnosis;
  analyzer::DeviceReport& device = diagnosis.devices.emplace_back();
  device.concurrency = analyzer::ConcurrencyReport{.limits = {{"same stream", 3, 700}}, .overlapping_pairs = 2, .fill_known = false, .streams_win_at_most_ns = 5};
  device.steps = {{{0, 10}, 1, {{"compute", 4}, {"idle.host", 6}}}, {{10, 40}, 3, {{"idle.host", 30}}, {{"matmul", 10}, {"idle", 20}}}};
  analyzer::LinkUse use;
  use.direction = "host to device", use.memory = "pinned", use.size = "not captured", use.count = 2, use.total_ns = 9;
  diagnosis.links.uses = {use};
  analyzer::PeerLink peer;
  peer.kind = "NVLink x4", peer.source = "inferred", peer.link_gbps = 100;
  diagnosis.links.peers = {peer};
  diagnosis.links.faults = {{.device = {}, .kind = "far socket", .text = "GPU 0: slow", .to_device_factor = 3.2, .from_device_factor = {}}};
  const std::string text = render(diagnosis);
  CHECK(tests::schema_violation(schema_text(), text) == "");
  const json report = json::parse(text);
  CHECK(report["devices"][0]["concurrency"]["limits"][0] == json{{"reason", "same stream"}, {"pairs", 3}, {"ns", 700}});
  CHECK(report["devices"][0]["concurrency"]["streams_win_at_most_ns"].is_null());
  CHECK(report["devices"][0]["steps"][1] == json{{"start_ns", 10}, {"end_ns", 40}, {"steps", 3}, {"time_ns", {{"idle", {{"host", 30}}}}}, {"work_ns", {{"matmul", 10}, {"idle", 20}}}});
  CHECK(report["devices"][0]["steps"][0]["work_ns"].is_null());
  CHECK(report["links"]["host"][0]["gbps"].is_null());
  CHECK(report["links"]["host"][0]["exposed_ns"].is_null());
  CHECK(report["links"]["peers"][0]["kind"] == "NVLink x4");
  CHECK(report["links"]["faults"][0]["from_device_factor"].is_null());
}
