#include "reports/critical_path_wording.h"

#include <catch2/catch.hpp>

using namespace gputrace::reports;
using gputrace::analyzer::CriticalPath;
using gputrace::analyzer::DeviceReport;
using gputrace::analyzer::Diagnosis;

TEST_CASE("the critical path is told by its five largest parts, as shares of the whole") {
  Diagnosis diagnosis;
  CHECK(critical_path_line(diagnosis).empty());
  diagnosis.critical_path = CriticalPath{.parts = {{"a", 500}, {"b", 200}, {"c", 100}, {"d", 90}, {"e", 60}, {"f", 50}}, .steps = {}, .near = {}};
  CHECK(critical_path_line(diagnosis) == "a 50.0 %, b 20.0 %, c 10.0 %, d 9.0 %, e 6.0 %");
}

TEST_CASE("GPUs on the critical path are not near it, and threads are not told") {
  Diagnosis diagnosis;
  diagnosis.critical_path = CriticalPath{.parts = {}, .steps = {}, .near = {{"GPU 0", 0}, {"thread 7", 500}, {"GPU 2", 1'200'000}, {"GPU 1", 2'400'000}}};
  CHECK(near_paths_line(diagnosis) == "GPU 2 could end 1.20 ms later, GPU 1 2.40 ms");
  diagnosis.critical_path->near.resize(2);
  CHECK(near_paths_line(diagnosis).empty());
}

TEST_CASE("idle GPUs tell what they waited for, with the place where most of it passed") {
  Diagnosis diagnosis;
  diagnosis.window = {0, 1'000};
  DeviceReport& gpu = diagnosis.devices.emplace_back();
  gpu.used = true;
  gpu.idle = {{"allocation", "cudaMalloc_v3020", 300, 2, {}}, {"host between calls", "forward", 40, 1, {}}, {"host between calls", "", 60, 1, {}}};
  REQUIRE(idle_lines(diagnosis).size() == 1);
  CHECK(idle_lines(diagnosis)[0] == "GPU 0, idle 40.0 % of the window: allocation 30.0 % (most in cudaMalloc), host between calls 10.0 %");
  gpu.idle = {{"allocation", "", 9, 1, {}}};  // under a hundredth
  CHECK(idle_lines(diagnosis).empty());
  gpu.idle = {{"allocation", "", 10, 1, {}}};
  CHECK(idle_lines(diagnosis).size() == 1);
  gpu.used = false;
  CHECK(idle_lines(diagnosis).empty());
}
