// Whole training runs with the GPU kernels' computations in place of the ops' own arithmetic: same losses, same weights. That every
// op gives its kernels the right operands, and that the kernels do with them what the op says, shows here without a GPU.
#include <catch2/catch.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "tests/trainer/cuda/host_kernels.h"
#include "tests/trainer/cuda/small_run.h"
#include "trainer/data_parallel.h"
#include "trainer/kernel_names.h"
#include "trainer/virtual_box/machine_profile.h"
#include "trainer/virtual_box/virtual_backend.h"

using namespace trainer;
using namespace trainer::test;

namespace {

std::unique_ptr<Backend> machine() {
  const auto profile = virtual_box::read_profile("4x-titan-x");
  REQUIRE(profile);
  return virtual_box::make_virtual_backend(*profile, nullptr);
}

struct Trained {
  std::vector<float> losses, weights;
};

Trained train(Backend& backend, const Configuration& run) {
  DataParallel training(backend, run);
  REQUIRE(training.initialize());
  Trained result;
  training.run_beside_readers([&] {
    for (int step = 0; step < run.steps; ++step) result.losses.push_back(training.run_step(step).loss);
  });
  training.finish();
  for (const Tensor* weights : training.weights())
    result.weights.insert(result.weights.end(), weights->data, weights->data + weights->elements());
  return result;
}

// Sums of floats in another order: a few units of the last of 24 bits each, in some hundred layers of arithmetic.
void check_close(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) <= 2e-4F * std::max(1.0F, std::abs(b[i]))) continue;
    CAPTURE(i, a[i], b[i]);
    FAIL("not close");
  }
}

}  // namespace

TEST_CASE("kernels on the host train as the ops' own arithmetic does") {
  for (const auto& arguments : runs_of_every_kind()) {
    CAPTURE(text_of(arguments));
    const Configuration run = small_run(arguments);
    const auto reference = machine(), below = machine();
    HostKernels kernels(*below);
    const Trained expected = train(*reference, run), trained = train(kernels, run);
    check_close(trained.losses, expected.losses);
    check_close(trained.weights, expected.weights);
    CHECK(trained.weights != std::vector<float>(trained.weights.size()));
  }
}

TEST_CASE("every kernel is launched by some run") {
  std::set<std::string> launched;
  for (const auto& arguments : runs_of_every_kind()) {
    const auto below = machine();
    HostKernels kernels(*below);
    train(kernels, small_run(arguments));
    launched.insert(kernels.launched().begin(), kernels.launched().end());
  }
  for (const std::string& name : known_kernels()) {
    CAPTURE(name);
    CHECK(launched.count(name) == 1);
  }
}
