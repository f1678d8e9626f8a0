#include "gui/legend.h"

#include <catch2/catch.hpp>

#include "gui/session.h"
#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

bool lists(const Session& session, Category category) { return session.legend[static_cast<std::size_t>(category)]; }

trace::Trace copy_between_kernels() {
  return TraceBuilder{}
      .kernel({.start = 0, .end = 10, .name = "ampere_sgemm_128x64_tn"})
      .copy({.start = 20, .end = 30})
      .kernel({.start = 30, .end = 30, .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"})
      .api({.start = 0, .end = 1, .name = "cudaLaunchKernel"})
      .range({.start = 0, .end = 40, .text = "step"})
      .build();
}

TEST_CASE("The legend lists what takes time on some lane, and ranges never") {
  const auto session = Session::without_analysis(copy_between_kernels());
  CHECK(lists(*session, Category::matmul));
  CHECK(lists(*session, Category::one_kernel));
  CHECK(lists(*session, Category::only_copies));
  CHECK(lists(*session, Category::api_launch));
  CHECK_FALSE(lists(*session, Category::communication));  // took no time
  CHECK_FALSE(lists(*session, Category::several_kernels));
  CHECK_FALSE(lists(*session, range_category("step")));
}

TEST_CASE("Causes of idle time come into the legend with the analysis") {
  const auto session = Session::without_analysis(copy_between_kernels());
  CHECK_FALSE(lists(*session, Category::idle_unknown));
  session->take(session->analyse());
  CHECK(lists(*session, Category::idle_unknown));  // no launch was captured for the copy
  CHECK(lists(*session, Category::matmul));
}

TEST_CASE("An empty trace has an empty legend") { CHECK(Session::without_analysis({})->legend.none()); }

}  // namespace
}  // namespace gputrace::gui
