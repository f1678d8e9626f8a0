#include "trainer/backend_choice.h"

#include <catch2/catch.hpp>

using namespace trainer;

namespace {

const CudaPresence kNone{0, "no CUDA-capable device is detected"}, kTwo{2, "2 devices answer"};

}  // namespace

TEST_CASE("auto takes CUDA where a device answers, and says why") {
  const auto choice = choose_backend(BackendKind::automatic, false, kTwo);
  REQUIRE(choice);
  CHECK(choice->cuda);
  CHECK(choice->reason == "cuda, because 2 devices answer");
}

TEST_CASE("auto takes the modelled machine where none does, and says why") {
  const auto choice = choose_backend(BackendKind::automatic, false, kNone);
  REQUIRE(choice);
  CHECK_FALSE(choice->cuda);
  CHECK(choice->reason == "virtual, because no CUDA-capable device is detected");
}

TEST_CASE("auto takes a modelled machine that was named, whatever devices there are") {
  const auto choice = choose_backend(BackendKind::automatic, true, kTwo);
  REQUIRE(choice);
  CHECK_FALSE(choice->cuda);
  CHECK(choice->reason == "virtual, because a modelled machine was named");
}

TEST_CASE("a backend that was asked for needs no reason") {
  CHECK(choose_backend(BackendKind::cuda, false, kTwo)->cuda);
  CHECK(choose_backend(BackendKind::cuda, true, kTwo)->cuda);
  CHECK(choose_backend(BackendKind::cuda, false, kTwo)->reason.empty());
  CHECK_FALSE(choose_backend(BackendKind::modelled, false, kTwo)->cuda);
}

TEST_CASE("CUDA without a device is an error of one line that names a way out") {
  const auto choice = choose_backend(BackendKind::cuda, false, kNone);
  REQUIRE_FALSE(choice);
  CHECK(choice.error() == "--backend cuda: no CUDA-capable device is detected; use --backend virtual for the modelled machine");
}
