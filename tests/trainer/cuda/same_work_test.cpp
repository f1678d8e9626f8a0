// Both backends get the same work out of a configuration: per step and stream, the launches, copies, events and waits that the trainer
// asks of the modelled machine are those that reach the CUDA runtime when it runs on the CUDA backend.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/cudart/stand_in.h"
#include "tests/trainer/cuda/call_log.h"
#include "tests/trainer/cuda/small_run.h"
#include "tests/trainer/cuda/stand_in_machine.h"
#include "trainer/data_parallel.h"
#include "trainer/faulty_backend.h"
#include "trainer/virtual_box/machine_profile.h"
#include "trainer/virtual_box/virtual_backend.h"

using namespace trainer;
using namespace trainer::test;

namespace {

constexpr int kDevices = 4;

// What each step does, from the second on: the first one makes memory between kernels too.
template <class TakeCalls>
std::vector<Calls> later_steps(Backend& backend, Configuration run, TakeCalls take_calls) {
  std::vector<Calls> steps;
  FaultyBackend faulty(backend, run.faults);
  run.arithmetic = backend.computes_itself();
  DataParallel training(faulty, run);
  REQUIRE(training.initialize());
  training.run_beside_readers([&] {
    for (int step = 0; step < run.steps; ++step) {
      take_calls();
      training.run_step(step);
      if (step > 0) steps.push_back(take_calls());
    }
  });
  training.finish();
  return steps;
}

std::vector<Calls> asked_of_modelled_machine(const Configuration& run) {
  const auto profile = virtual_box::read_profile("4x-titan-x");
  REQUIRE(profile);
  REQUIRE(profile->gpu.count == kDevices);
  const auto machine = virtual_box::make_virtual_backend(*profile, nullptr);
  CallLog log(*machine);
  return later_steps(log, run, [&] { return log.take_calls(); });
}

std::vector<Calls> reached_cuda(const Configuration& run) {
  const auto steps = later_steps(*stand_in_machine(kDevices, run.peer_access), run, runtime_calls);
  CHECK(cudart_stand_in::take_violations() == std::vector<std::string>{});
  return steps;
}

void check_same_work(const std::vector<const char*>& arguments) {
  CAPTURE(text_of(arguments));
  const Configuration run = small_run(arguments);
  const std::vector<Calls> asked = asked_of_modelled_machine(run), reached = reached_cuda(run);
  REQUIRE(asked.size() == static_cast<std::size_t>(run.steps - 1));
  REQUIRE(reached.size() == asked.size());
  for (std::size_t step = 0; step < asked.size(); ++step) {
    CHECK_FALSE(asked[step].empty());
    CHECK(difference(asked[step], reached[step]) == "");
  }
}

}  // namespace

TEST_CASE("both backends get the same work out of every kind of run") {
  for (const auto& arguments : runs_of_every_kind()) check_same_work(arguments);
}

TEST_CASE("both backends get the same work out of runs with faults") {
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "tiny-copies:512"});
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "sync-every-kernel"});
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "serialized-towers"});
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "alloc-in-loop:20"});
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "read-loss-every-step"});
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "pageable-input"});
  check_same_work({"--scenario", "A-base", "--gpus", "2", "--fault", "unified-memory"});
}

TEST_CASE("the comparison notices what is missing, added, out of order or different") {
  const Configuration run = small_run({"--scenario", "A-base", "--gpus", "2"});
  const Calls asked = asked_of_modelled_machine(run).front(), reached = reached_cuda(run).front();
  REQUIRE(difference(asked, reached) == "");
  const int stream = asked.rbegin()->first;
  REQUIRE(asked.at(stream).size() > 10);
  const auto changed = [&](auto change) {
    Calls calls = reached;
    change(calls[stream]);
    return difference(asked, calls);
  };
  using Texts = std::vector<std::string>;
  CHECK(changed([](Texts& calls) { calls.pop_back(); }).find("is missing") != std::string::npos);
  CHECK(changed([](Texts& calls) { calls.push_back(calls.back()); }).find("was not asked for") != std::string::npos);
  CHECK(changed([](Texts& calls) { std::swap(calls.front(), calls[calls.size() / 2]); }).find("became") != std::string::npos);
  CHECK(changed([](Texts& calls) { calls.front() += "0"; }).find("became") != std::string::npos);  // ten times the bytes
  // Another run's work is not this one's.
  const Calls other = reached_cuda(small_run({"--scenario", "A-nhwc", "--batch-norm", "fused", "--gpus", "2"})).front();
  CHECK(difference(asked, other) != "");
}
