#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/child_process.h"

using namespace gputrace::tests;

TEST_CASE("gputrace doctor: each check has a word, and what is wrong a remedy; the exit status is 0 on any machine") {
  const ChildResult result = run_child({gputrace_program(), "doctor", "--json"});
  CHECK(result.exit_status == 0);
  CHECK(result.err.empty());
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("format") == "gputrace.doctor");
  CHECK(report.at("checks").size() == 8);
  for (const auto& check : report.at("checks")) {
    INFO(check.dump());
    CHECK_FALSE(check.at("found").get<std::string>().empty());
    CHECK(check.at("remedy").get<std::string>().empty() == (check.at("status") == "ok"));
  }
}

TEST_CASE("gputrace doctor: where the collector was built, a range of a child arrives in it") {
  const auto report = nlohmann::json::parse(run_child({gputrace_program(), "doctor", "--json"}).out);
  bool collector = false, nvtx = false;
  for (const auto& check : report.at("checks")) {
    if (check.at("check") == "collector") collector = check.at("status") == "ok";
    if (check.at("check") == "NVTX") nvtx = check.at("status") == "ok";
  }
  CHECK(nvtx == collector);
}

TEST_CASE("gputrace doctor: another profiler's injection is told") {
  const auto result = run_child({gputrace_program(), "doctor"}, {.environment = {"CUDA_INJECTION64_PATH=/opt/other/libinjection.so"}});
  CHECK(result.out.find("/opt/other/libinjection.so") != std::string::npos);
}
