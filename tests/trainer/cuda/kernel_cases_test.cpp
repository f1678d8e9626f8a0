// The GPU kernels' computations, built for the host, against the arithmetic of the ops: op by op, at sizes on both sides of every tile.
#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "tests/trainer/cuda/host_kernels.h"
#include "trainer/cuda/op_check.h"
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

// Runs nothing, so that results stay as they were.
class NoKernels final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  void launch(Stream, const KernelLaunch&) override {}
};

}  // namespace

TEST_CASE("kernels compute on the host what their ops say, at odd sizes") {
  const auto below = machine();
  HostKernels kernels(*below);
  const Stream stream = kernels.create_stream(0);
  for (const cuda::KernelCase& which : cuda::kernel_cases()) {
    const auto results = cuda::check_ops(kernels, stream, which, 1);
    CHECK_FALSE(results.empty());
    for (const cuda::OpResult& result : results) {
      CAPTURE(result.case_name, result.op, result.error, result.tolerance);
      CHECK(result.passed());
    }
  }
}

TEST_CASE("the cases launch every kernel") {
  const auto below = machine();
  HostKernels kernels(*below);
  const Stream stream = kernels.create_stream(0);
  for (const cuda::KernelCase& which : cuda::kernel_cases()) cuda::check_ops(kernels, stream, which, 1);
  for (const std::string& name : known_kernels()) {
    CAPTURE(name);
    CHECK(kernels.launched().count(name) == 1);
  }
}

TEST_CASE("a kernel that writes nothing does not pass") {
  const auto below = machine();
  NoKernels kernels(*below);
  const Stream stream = kernels.create_stream(0);
  for (const cuda::KernelCase& which : cuda::kernel_cases()) {
    const auto results = cuda::check_ops(kernels, stream, which, 1);
    for (const cuda::OpResult& result : results) {
      CAPTURE(result.case_name, result.op);
      // What an update changes in place is an input too, and stays as it was.
      if (result.op.starts_with("Apply") || result.op == "AssignAdd") continue;
      CHECK_FALSE(result.passed());
    }
  }
}
