// What one step asks of the machine, call by call.
#include "trainer/tower.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "recording_backend.h"
#include "trainer/data_parallel.h"

using namespace trainer;
using trainer::test::RecordingBackend;

namespace {

Configuration small_mlp() {
  Configuration configuration;
  configuration.model = ModelKind::mlp;
  configuration.mlp = {.batch = 0, .rows = 2, .features = 4, .blocks = 1};  // 2 variables
  configuration.gpus = 1;
  configuration.batch_per_gpu = 2;
  configuration.feed_each_step = true;
  return configuration;
}

std::vector<std::string> calls_of_one_step(const Configuration& configuration) {
  RecordingBackend backend;
  DataParallel training(backend, configuration);
  REQUIRE(training.initialize());
  backend.calls.clear();
  training.run_step(0);
  return backend.calls;
}

std::ptrdiff_t count(const std::vector<std::string>& calls, const std::string& call) {
  return std::count(calls.begin(), calls.end(), call);
}

}  // namespace

TEST_CASE(
    "a step with weights on the host: feed, weights in, compute, gradients and loss out, wait, update") {
  const auto calls = calls_of_one_step(small_mlp());
  REQUIRE(calls.size() > 8);
  const std::vector<std::string> start = {
      "thread tower 0",     "device 0",           "copy pinned device",  // the batch
      "dispatch",           "copy pinned device", "dispatch",
      "copy pinned device", "dispatch",           "launch 0"};
  CHECK(std::vector<std::string>(calls.begin(), calls.begin() + 9) == start);
  CHECK(count(calls, "copy device pinned") == 3);
  const auto wait = std::find(calls.begin(), calls.end(), "synchronize 0");
  REQUIRE(wait != calls.end());
  CHECK(*(wait + 1) == "join");
  CHECK(std::find(wait, calls.end(), "launch 0") == calls.end());
  CHECK(std::count(wait, calls.end(), "host work") > 0);
  CHECK(std::find(calls.begin(), wait, "host work") == wait);
}

TEST_CASE("every op is handed out once, whatever it launches") {
  Configuration configuration;  // convolutions launch four kernels each
  configuration.resnet = {
      .batch = 0, .image_size = 4, .first_filters = 2, .stages = 1, .blocks_per_stage = 1, .classes = 2};
  configuration.batch_per_gpu = 2;
  RecordingBackend backend;
  DataParallel training(backend, configuration);
  REQUIRE(training.initialize());
  backend.calls.clear();
  training.run_step(0);

  Graph graph("tower_0", {"/gpu:0", "/gpu:0", true});
  ResnetShape shape = configuration.resnet;
  shape.batch = 2;
  const Model model = build_resnet(graph, shape, configuration.style);
  const auto variables = static_cast<std::ptrdiff_t>(model.variables.size());
  const auto ops = static_cast<std::ptrdiff_t>(graph.ops().size());
  std::ptrdiff_t kernels = 0;
  for (const Op& op : graph.ops()) kernels += static_cast<std::ptrdiff_t>(op.kernels.size());
  // Weights in, ops, gradients and loss out; and an ApplyMomentum per variable.
  CHECK(count(backend.calls, "dispatch") == variables + ops + variables + 1 + variables);
  CHECK(count(backend.calls, "launch 0") == kernels);
  CHECK(kernels > ops);
}

TEST_CASE("pageable memory is used for every copy where pinned is off") {
  Configuration configuration = small_mlp();
  configuration.pinned_host_memory = false;
  const auto calls = calls_of_one_step(configuration);
  CHECK(count(calls, "copy pinned device") + count(calls, "copy device pinned") == 0);
  CHECK(count(calls, "copy pageable device") == 3);
  CHECK(count(calls, "copy device pageable") == 3);
}

TEST_CASE("dummy data is not fed in a step") {
  Configuration configuration = small_mlp();
  configuration.feed_each_step = false;
  CHECK(count(calls_of_one_step(configuration), "copy pinned device") == 2);  // the variables
}

TEST_CASE("a step of a tower on the CPU touches no GPU") {
  Configuration configuration = small_mlp();
  configuration.placement = OpPlacement::cpu;
  for (const std::string& call : calls_of_one_step(configuration)) {
    CAPTURE(call);
    CHECK((call == "dispatch" || call == "host work" || call.starts_with("thread") || call == "join"));
  }
}

TEST_CASE("with all-reduce towers do not wait, weights stay, the host waits once per GPU at the end") {
  Configuration configuration = small_mlp();
  configuration.gpus = 3;
  configuration.update = UpdateStyle::all_reduce;
  const auto calls = calls_of_one_step(configuration);
  const auto join = std::find(calls.begin(), calls.end(), "join");
  CHECK(std::count_if(calls.begin(), join,
                      [](const auto& call) { return call.starts_with("synchronize"); }) == 0);
  CHECK(std::vector<std::string>(calls.end() - 3, calls.end()) ==
        std::vector<std::string>{"synchronize 0", "synchronize 1", "synchronize 2"});
  CHECK(count(calls, "copy pinned device") == 3);          // a batch each
  CHECK(count(calls, "copy device device") == 3 * 2 * 2);  // N - 1 rounds to reduce, N - 1 to gather
  CHECK(count(calls, "host work") == 0);
}

TEST_CASE("too little memory for the arithmetic is an error, and none without arithmetic") {
  Configuration configuration = small_mlp();
  configuration.gpus = 2;
  configuration.update = GENERATE(UpdateStyle::host, UpdateStyle::all_reduce);
  // Inputs of 64 bytes, weights and temporaries of up to some hundred.
  for (const std::size_t limit : {std::size_t{0}, std::size_t{4}, std::size_t{63}, std::size_t{64}}) {
    RecordingBackend backend;
    backend.storage_limit_bytes = limit;
    const auto ready = DataParallel(backend, configuration).initialize();
    REQUIRE_FALSE(ready);
    CHECK(ready.error().find("--arithmetic off") != std::string::npos);
  }
  configuration.arithmetic = false;
  RecordingBackend backend;
  backend.storage_limit_bytes = 0;
  CHECK(DataParallel(backend, configuration).initialize());
}
