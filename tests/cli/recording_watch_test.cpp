
#include <catch2/catch.hpp>

#include "cli/recording_watch.h"

using namespace gputrace;

TEST_CASE("The live line gives time, rate, losses and size") {
  const collector::SpoolStatus status{.processes = 2, .events = 5000, .dropped = 7, .size_bytes = 12'340'000};
  CHECK(cli::live_line(12.4, 1000, 0.5, status) == "gputrace: 12 s, 2000 records/s, 7 dropped, 12.3 MB");
  CHECK(cli::live_line(0, 1000, 0, {}) == "gputrace: 0 s, 0 records/s, 0 dropped, 0.0 MB");
}

TEST_CASE("A watch without notices has nothing to say, and stops more than once") {
  cli::RecordingWatch watch("/nonexistent", false);
  CHECK_FALSE(watch.socket_name().empty());
  watch.stop();
  watch.stop();
  CHECK(watch.unrecorded().empty());
}
