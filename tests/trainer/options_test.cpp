#include "trainer/options.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace trainer;

namespace {

auto parse(std::vector<const char*> arguments, const char* environment = nullptr) {
  arguments.insert(arguments.begin(), "trainer");
  return parse_options(static_cast<int>(arguments.size()), arguments.data(), environment);
}

int exit_status(const std::vector<const char*>& arguments) {
  const auto options = parse(arguments);
  return options ? -1 : options.error().exit_status;
}

}  // namespace

TEST_CASE("without options the residual network runs as its first scenario does") {
  const auto options = parse({});
  REQUIRE(options);
  CHECK(options->configuration.scenario.empty());
  CHECK(options->configuration.model == ModelKind::resnet);
  CHECK(options->configuration.gpus == 4);
  CHECK(options->configuration.batch_per_gpu == 128);
  CHECK(options->box == "4x-titan-x");
  CHECK(options->arithmetic == ArithmeticMode::automatic);
}

TEST_CASE("a scenario sets all, options change it") {
  const auto options =
      parse({"--scenario", "B-tower", "--gpus", "1", "--batch", "8", "--steps", "3", "--update", "all-reduce",
             "--pinned", "on", "--seed", "9", "--arithmetic", "on", "--csv", "x.csv"});
  REQUIRE(options);
  CHECK(options->configuration.scenario == "B-tower");
  CHECK(options->configuration.model == ModelKind::mlp);
  CHECK(options->configuration.gpus == 1);
  CHECK(options->configuration.batch_per_gpu == 8);
  CHECK(options->configuration.steps == 3);
  CHECK(options->configuration.update == UpdateStyle::all_reduce);
  CHECK(options->configuration.pinned_host_memory);
  CHECK(options->configuration.seed == 9);
  CHECK(options->arithmetic == ArithmeticMode::on);
  CHECK(options->csv_path == "x.csv");
}

TEST_CASE("the machine: --box before the environment before the scenario") {
  CHECK(parse({"--scenario", "B-tower"})->box == "2x-gtx-1060");
  CHECK(parse({"--model", "mlp"})->box == "2x-gtx-1060");
  CHECK(parse({"--scenario", "B-tower"}, "env-box")->box == "env-box");
  CHECK(parse({"--scenario", "B-tower"}, "")->box == "2x-gtx-1060");
  CHECK(parse({"--box", "mine.toml"}, "env-box")->box == "mine.toml");
}

TEST_CASE("the backend is chosen by itself unless one is named") {
  CHECK(parse({})->backend == BackendKind::automatic);
  CHECK(parse({"--backend", "cuda"})->backend == BackendKind::cuda);
  CHECK(parse({"--backend", "virtual"})->backend == BackendKind::modelled);
  CHECK(exit_status({"--backend", "rocm"}) == 2);
}

TEST_CASE("a machine of a scenario is not one that the user named") {
  CHECK_FALSE(parse({"--scenario", "B-tower"})->box_is_given);
  CHECK_FALSE(parse({}, "")->box_is_given);
  CHECK(parse({}, "env-box")->box_is_given);
  CHECK(parse({"--box", "mine.toml"})->box_is_given);
}

TEST_CASE("usage errors have status 2 and name the option") {
  CHECK(exit_status({"--scenario", "C"}) == 2);
  CHECK(exit_status({"--model", "transformer"}) == 2);
  CHECK(exit_status({"--placement", "tpu"}) == 2);
  CHECK(exit_status({"--nonsense"}) == 2);
  CHECK(exit_status({"positional"}) == 2);
  CHECK(exit_status({"--steps"}) == 2);
  CHECK(parse({"--model", "transformer"}).error().text.find("--model") != std::string::npos);
}

TEST_CASE("numbers just inside and just outside their ranges") {
  CHECK(exit_status({"--gpus", "0"}) == 2);
  CHECK(exit_status({"--gpus", "1"}) == -1);
  CHECK(exit_status({"--gpus", "64"}) == -1);
  CHECK(exit_status({"--gpus", "65"}) == 2);
  CHECK(exit_status({"--batch", "0"}) == 2);
  CHECK(exit_status({"--batch", "1"}) == -1);
  CHECK(exit_status({"--steps", "0"}) == 2);
  CHECK(exit_status({"--steps", "-3"}) == 2);
  CHECK(exit_status({"--steps", "1e3"}) == 2);
  CHECK(exit_status({"--steps", "99999999999999999999"}) == 2);
  CHECK(exit_status({"--batch", "twelve"}) == 2);
}

TEST_CASE("towers on the CPU have no weights on GPUs to reduce") {
  CHECK(exit_status({"--placement", "cpu", "--update", "all-reduce"}) == 2);
  CHECK(exit_status({"--placement", "cpu", "--update", "host"}) == -1);
  CHECK(exit_status({"--scenario", "B-tower-cpu", "--update", "all-reduce"}) == 2);
  CHECK(exit_status({"--scenario", "B-1gpu", "--placement", "cpu"}) == 2);
}

TEST_CASE("help goes to stdout with status 0 and lists the scenarios") {
  const auto options = parse({"--help"});
  REQUIRE_FALSE(options);
  CHECK(options.error().exit_status == 0);
  CHECK(options.error().text.find("B-tower-cpu") != std::string::npos);
}

TEST_CASE("contradictions are usage errors") {
  CHECK(exit_status({"--layout", "nchw"}) == 2);  // the default batch norm is written for nhwc
  CHECK(exit_status({"--layout", "nchw", "--batch-norm", "fused"}) == -1);
  CHECK(exit_status({"--batch-norm", "naive"}) == 2);
  CHECK(exit_status({"--model", "mlp", "--update", "host-overlapped"}) == 2);
  CHECK(exit_status({"--model", "resnet", "--update", "host-overlapped"}) == -1);
  CHECK(exit_status({"--placement", "cpu", "--update", "gpu0"}) == 2);
  CHECK(exit_status({"--update", "host-overlapped", "--fault", "serialized-towers"}) == 2);
  CHECK(exit_status({"--gpus", "1", "--fault", "unused-gpu"}) == 2);
  CHECK(exit_status({"--gpus", "2", "--fault", "unused-gpu"}) == -1);
  CHECK(exit_status({"--gpus", "2", "--fault", "straggler:2"}) == 2);
  CHECK(exit_status({"--gpus", "2", "--fault", "straggler:1"}) == -1);
  CHECK(exit_status({"--fault", "nonsense"}) == 2);
  CHECK(exit_status({"--table", "C"}) == 2);
}

TEST_CASE("any number of faults") {
  const auto options = parse({"--gpus", "4", "--fault", "straggler:2:5", "--fault", "unused-gpu", "--fault", "pageable-input"});
  REQUIRE(options);
  CHECK(options->configuration.gpus == 3);
  CHECK(options->configuration.faults.straggler_gpu == 2);
  CHECK(options->configuration.feed_each_step);
  CHECK_FALSE(options->configuration.pinned_host_memory);
  CHECK(options->configuration.faults.given.size() == 3);
}

TEST_CASE("where data comes from") {
  CHECK(parse({"--data", "cifar10:some/folder"})->configuration.data_folder == "some/folder");
  CHECK(parse({"--data", "synthetic-files"})->arithmetic == ArithmeticMode::off);
  CHECK_FALSE(parse({"--scenario", "A-base-real", "--data", "dummy"})->configuration.real_data);
  CHECK(exit_status({"--data", "cifar10:"}) == 2);
  CHECK(exit_status({"--data", "imagenet"}) == 2);
  CHECK(exit_status({"--data", "synthetic-files", "--arithmetic", "on"}) == 2);
  CHECK(exit_status({"--model", "mlp", "--data", "synthetic-files"}) == 2);
  CHECK(exit_status({"--prefetch", "-1"}) == 2);
  CHECK(exit_status({"--prefetch", "0"}) == -1);
}

TEST_CASE("streams, peer access and the framework's version") {
  const auto options = parse({"--streams", "4", "--peer", "off", "--framework", "newer"});
  CHECK(options->configuration.streams == 4);
  CHECK_FALSE(options->configuration.peer_access);
  CHECK(options->configuration.framework == FrameworkVersion::newer);
  CHECK(exit_status({"--streams", "0"}) == 2);
  CHECK(exit_status({"--streams", "33"}) == 2);
  CHECK(exit_status({"--placement", "cpu", "--streams", "2"}) == 2);
  CHECK(exit_status({"--fault", "collective-on-compute-stream"}) == 2);
  CHECK(exit_status({"--fault", "one-stream", "--update", "all-reduce"}) == 2);
}

TEST_CASE("a batch is copied ahead where one is fed in each step") {
  CHECK(parse({"--model", "mlp", "--feed-ahead", "on"})->configuration.feed_ahead);
  CHECK_FALSE(parse({"--model", "mlp"})->configuration.feed_ahead);
  CHECK(exit_status({"--model", "resnet", "--feed-ahead", "on"}) == 2);
  CHECK(exit_status({"--model", "resnet", "--feed-ahead", "on", "--fault", "pageable-input"}) == -1);
  CHECK(exit_status({"--model", "mlp", "--feed-ahead", "on", "--fault", "unified-memory"}) == 2);
  CHECK(exit_status({"--scenario", "A-base-real", "--feed-ahead", "on"}) == 2);
}
