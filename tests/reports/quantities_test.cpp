#include "reports/quantities.h"

#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

using namespace gputrace::reports;

TEST_CASE("durations have three digits and the unit that fits") {
  CHECK(duration(0) == "0 ns");
  CHECK(duration(870) == "870 ns");
  CHECK(duration(999) == "999 ns");
  CHECK(duration(1000) == "1.00 us");
  CHECK(duration(12'345) == "12.3 us");
  CHECK(duration(999'400) == "999 us");
  CHECK(duration(999'600) == "1.00 ms");  // not "1000 us"
  CHECK(duration(4'885e6) == "4.88 s");
  CHECK(duration(9'999e6) == "10.0 s");
  CHECK(duration(-12'345) == "-12.3 us");
  CHECK(duration(2 * 3600e9 - 1e9) == "7199 s");
  CHECK(duration(3 * 3600e9 + 5 * 60e9) == "3 h 05 min");
  CHECK(duration(static_cast<double>(std::numeric_limits<std::int64_t>::min())) == "-2562047 h 47 min");
}

TEST_CASE("bytes and rates are decimal") {
  CHECK(byte_count(0) == "0 B");
  CHECK(byte_count(25.5e9) == "25.5 GB");
  CHECK(byte_count(1000) == "1.00 kB");
  CHECK(rate(27.7) == "27.7 GB/s");
  CHECK(rate(0.0001) == "100 kB/s");
  CHECK(rate(0.099) == "99.0 MB/s");
  CHECK(rate(0.1) == "0.10 GB/s");
}

TEST_CASE("a share that is not zero is not shown as zero") {
  CHECK(percent(0.349) == "34.9 %");
  CHECK(percent(0.0) == "0.0 %");
  CHECK(percent(0.0004) == "<0.1 %");
  CHECK(percent(0.0005) == "0.1 %");
  CHECK(percent(1.0) == "100.0 %");
  CHECK(percent(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(percent(std::optional<double>{}) == "-");
}

TEST_CASE("counts have thousands separators") {
  CHECK(count(0) == "0");
  CHECK(count(999) == "999");
  CHECK(count(4097) == "4,097");
  CHECK(count(-1234567) == "-1,234,567");
  CHECK(count(-123) == "-123");
}
