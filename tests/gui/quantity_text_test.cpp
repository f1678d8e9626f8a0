#include "gui/quantity_text.h"

#include <catch2/catch.hpp>

namespace gputrace::gui {
namespace {

TEST_CASE("Durations have four digits and change unit at a thousand") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(999) == "999 ns");
  CHECK(duration_text(1'000) == "1.000 µs");
  CHECK(duration_text(999'999) == "1.000 ms");
  CHECK(duration_text(12'345'678) == "12.35 ms");
  CHECK(duration_text(1'500'000'000) == "1.500 s");
}

TEST_CASE("Sizes, rates and counts") {
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(1'000) == "1.00 kB");
  CHECK(bytes_text(64'000'000) == "64.0 MB");
  CHECK(rate_text(12'000, 1'000) == "12.0 GB/s");
  CHECK(rate_text(50, 1'000) == "50.0 MB/s");
  CHECK(rate_text(50, 0).empty());
  CHECK(count_text(999) == "999");
  CHECK(count_text(1'234'567) == "1 234 567");
}

TEST_CASE("Times have the digits that their resolution needs") {
  CHECK(time_text(1.5e9, 1e9) == "2 s");
  CHECK(time_text(1.25e9, 1e7) == "1.25 s");
  CHECK(time_text(1'234'567'891, 1) == "1.234 567 891 s");
}

TEST_CASE("Durations are read with and without a unit, and nothing else is") {
  double ns = 0;
  CHECK((parse_duration("12.5ms", ns) && ns == 12.5e6));
  CHECK((parse_duration("300us", ns) && ns == 300e3));
  CHECK((parse_duration("2 s", ns) && ns == 2e9));
  CHECK((parse_duration("3", ns) && ns == 3e9));
  for (const char* odd : {"", "ms", "1m", "inf", "nan", "1ms2", "1e999"})
    CHECK_FALSE(parse_duration(odd, ns));
}

}  // namespace
}  // namespace gputrace::gui
