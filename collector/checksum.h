// The checksum of spool blocks. Eight bytes a step: state = rotate(state ^ word, 29) * odd constant. Each step is a
// bijection of the state for a given word, and of the word for a given state, so damage within any one word is always
// seen; wider damage escapes with chance 2^-64. The length is mixed in first. Not for use against an attacker.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gputrace::spool {

inline std::uint64_t checksum(const void* data, std::size_t size_bytes, std::uint64_t seed = 0) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  std::uint64_t state = (seed ^ size_bytes) * kMultiplier + 1;
  const auto* bytes = static_cast<const unsigned char*>(data);
  const auto step = [&](std::uint64_t word) { state = std::rotl(state ^ word, 29) * kMultiplier; };
  for (; size_bytes >= 8; size_bytes -= 8, bytes += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    step(word);
  }
  std::uint64_t tail = 0;
  if (size_bytes != 0) std::memcpy(&tail, bytes, size_bytes);  // the data of an empty block may be null
  step(tail);
  return state ^ (state >> 32);
}

}  // namespace gputrace::spool
