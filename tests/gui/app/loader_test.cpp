#include "gui/app/loader.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "tests/gui/temporary_folder.h"
#include "tests/support/trace_builder.h"
#include "trace/save_trace.h"

namespace gputrace::gui {
namespace {

using namespace tests;

template <class Take>
auto wait_for(const Loader& loader, Take take) {
  for (;;) {
    const bool ended = loader.has_ended();
    if (auto taken = take(); taken || ended) return taken;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

std::string write(const TemporaryFolder& folder, std::int64_t kernels) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < kernels; ++i)
    builder.kernel({.start = i * 100, .end = i * 100 + 50, .name = i % 2 == 0 ? "even" : "odd", .stream = 7});
  const std::string file = (folder / "t.sqlite").string();
  REQUIRE(trace::save_trace(builder.build(), file, false));
  return file;
}

TEST_CASE("Of a large trace a first look comes before the whole, and says how much it is") {
  const TemporaryFolder folder;
  Loader loader{write(folder, 60'000)};
  const auto look = wait_for(loader, [&] { return loader.take_first_look(); });
  REQUIRE(look);
  CHECK(look->share_of_trace == Approx(1.0 / 3).epsilon(0.01));
  CHECK_FALSE(look->is_analysed);
  CHECK(look->timeline.event_count == 20'000);
  CHECK(look->timeline.span.end_ns > 5'900'000);  // from all over the file
  auto session = wait_for(loader, [&] { return loader.take_session(); });
  REQUIRE(session);
  REQUIRE(*session);
  CHECK((**session)->share_of_trace == 1);
  CHECK((**session)->timeline.event_count == 60'000);
  const auto findings = wait_for(loader, [&] { return loader.take_findings(); });
  REQUIRE(findings);
  CHECK(findings->analysis.diagnosis.devices.size() == 1);
  CHECK_FALSE(findings->diff);
}

TEST_CASE("Of a small trace there is no first look: the whole is there as soon") {
  const TemporaryFolder folder;
  Loader loader{write(folder, 100)};
  const auto session = wait_for(loader, [&] { return loader.take_session(); });
  REQUIRE(session);
  CHECK_FALSE(loader.take_first_look());
  CHECK(wait_for(loader, [&] { return loader.take_findings(); }));  // the analysis reads the session until then
}

TEST_CASE("A loader that is cancelled says so") {
  const TemporaryFolder folder;
  Loader loader{write(folder, 200'000)};
  loader.cancel();
  const auto session = wait_for(loader, [&] { return loader.take_session(); });
  REQUIRE(session);
  REQUIRE_FALSE(*session);
  CHECK(session->error().line().find("t.sqlite") != std::string::npos);
}

}  // namespace
}  // namespace gputrace::gui
