#include "analyzer/kernel_period.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;

namespace {

// Kernels of 1 ms back to back, one per letter.
gputrace::trace::Trace sequence(const std::string& letters) {
  TraceBuilder builder;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) * 1_ms;
    builder.kernel({.start = at, .end = at + 1_ms, .name = std::string_view(letters).substr(i, 1)});
  }
  return builder.build();
}

std::string repeat(const std::string& unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += unit;
  return text;
}

}  // namespace

TEST_CASE("a sequence that repeats has a period, and its units lie end to end") {
  const KernelPeriod period = find_kernel_period(sequence(repeat("abcde", 6)));
  CHECK(period.kernels == 5);
  CHECK(period.units.size() == 6);
  CHECK(period.share == 1.0);
  for (std::size_t i = 1; i < period.units.size(); ++i) CHECK(period.units[i].start_ns == period.units[i - 1].end_ns);
}

TEST_CASE("the step counts, not the layers in it") {
  CHECK(find_kernel_period(sequence(repeat("i" + repeat("xyz", 8) + "o", 5))).kernels == 26);
}

TEST_CASE("layers with other kernels around them are no steps") {
  CHECK(find_kernel_period(sequence("ij" + repeat("xyz", 8) + "op")).kernels == 0);
}

TEST_CASE("steps cut off at both ends are steps all the same") {
  const KernelPeriod period = find_kernel_period(sequence("de" + repeat("abcde", 4) + "abc"));
  CHECK(period.kernels == 5);
  CHECK(period.units.size() >= 4);
}

TEST_CASE("a step has at least four kernels") {
  CHECK(find_kernel_period(sequence(repeat("abc", 20))).kernels == 0);
  CHECK(find_kernel_period(sequence(repeat("abcd", 20))).kernels == 4);
}

TEST_CASE("two repeats are too few, and a sequence without a pattern has none") {
  CHECK(find_kernel_period(sequence(repeat("abcde", 2))).kernels == 0);
  CHECK(find_kernel_period(sequence("abcdefghij")).kernels == 0);
  CHECK(find_kernel_period(sequence("")).kernels == 0);
}

TEST_CASE("kernels of the start-up before the units do no harm, from five units of 16 on that are half of all") {
  const std::string unit = "abcdefghijklmnop";
  CHECK(find_kernel_period(sequence("uvw" + repeat(unit, 5))).units.size() == 5);
  CHECK(find_kernel_period(sequence("uvw" + repeat(unit, 4))).kernels == 0);
  CHECK(find_kernel_period(sequence("uvw" + repeat("abcdefghijklmno", 5))).kernels == 0);
  CHECK(find_kernel_period(sequence(std::string(80, 'u') + repeat(unit, 5))).kernels == 16);
  CHECK(find_kernel_period(sequence(std::string(81, 'u') + repeat(unit, 5))).kernels == 0);
}

TEST_CASE("an evaluation between the steps ends a run of them, and the longer run is taken") {
  const std::string unit = "abcdefghijklmnop", evaluation = "abxyzxyz";
  const KernelPeriod before = find_kernel_period(sequence(repeat(unit, 8) + evaluation + repeat(unit, 6)));
  CHECK(before.kernels == 16);
  CHECK(before.units.size() == 8);
  const KernelPeriod after = find_kernel_period(sequence(repeat(unit, 6) + evaluation + repeat(unit, 9)));
  CHECK(after.units.size() == 9);
  CHECK(after.share < 0.7);
}

TEST_CASE("two steps of many layers are not taken for many steps of one layer") {
  const std::string layer = "ABCDEFGHabcdefgh";
  CHECK(find_kernel_period(sequence(repeat("ij" + repeat(layer, 8) + "op", 2))).kernels == 0);
}
