#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/checksum.h"

using gputrace::spool::checksum;

TEST_CASE("Every single-bit change alters the checksum") {
  std::vector<std::uint8_t> data(61);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7);
  const std::uint64_t whole = checksum(data.data(), data.size());
  for (std::size_t bit = 0; bit < data.size() * 8; ++bit) {
    data[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    CHECK(checksum(data.data(), data.size()) != whole);
    data[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
  }
  CHECK(checksum(data.data(), data.size()) == whole);
}

TEST_CASE("Trailing zeros and order count") {
  const std::uint64_t zeros[4] = {};
  CHECK(checksum(zeros, 8) != checksum(zeros, 16));
  const std::uint64_t forward[2] = {1, 2}, backward[2] = {2, 1};
  CHECK(checksum(forward, 16) != checksum(backward, 16));
}
