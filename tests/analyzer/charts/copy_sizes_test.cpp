#include "analyzer/charts/copy_sizes.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

std::vector<analyzer::CopySize> sizes(const trace::Trace& trace) { return analyzer::copy_sizes(trace, analyzer::measure(trace)); }

}  // namespace

TEST_CASE("copy sizes: a size belongs to the class that it begins") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0, .end = 1})
                         .copy({.start = 1_ms, .end = 2_ms, .bytes = 4095})
                         .copy({.start = 2_ms, .end = 4_ms, .bytes = 4096})
                         .copy({.start = 4_ms, .end = 5_ms, .bytes = 300'000'000})
                         .build();
  const auto all = sizes(trace);
  REQUIRE(all.size() == 3);
  CHECK(all[0].below_bytes == 4096);
  CHECK(all[0].count == 1);
  CHECK(all[1].from_bytes == 4096);
  CHECK(all[1].below_bytes == 65'536);
  CHECK(all[1].total_ns == 2_ms);
  CHECK(all[2].from_bytes == 268'435'456);
  CHECK(all[2].below_bytes == 0);
  CHECK(all[2].bytes == 300'000'000);
}

TEST_CASE("copy sizes: directions and kinds of memory stand apart, and only the window counts") {
  TraceBuilder builder;
  for (int i = 0; i < 8; ++i) builder.step(i * 10_ms, (i + 1) * 10_ms).kernel({.start = i * 10_ms, .end = i * 10_ms + 9_ms});
  builder.copy({.start = 11_ms, .end = 12_ms, .bytes = 100})
      .copy({.start = 12_ms, .end = 13_ms, .bytes = 100, .source = trace::MemoryKind::pinned})
      .copy({.start = 13_ms, .end = 14_ms, .bytes = 100, .kind = trace::CopyKind::device_to_host,
             .source = trace::MemoryKind::device, .destination = trace::MemoryKind::pinned})
      .copy({.start = 100_ms, .end = 101_ms, .bytes = 100});  // behind the last step
  const auto all = sizes(builder.build());
  REQUIRE(all.size() == 3);
  CHECK(all[0].direction == "device to host");
  CHECK(all[0].memory == "pinned");
  CHECK(all[1].memory == "pageable");
  CHECK(all[2].memory == "pinned");
  for (const auto& size : all) CHECK(size.count == 1);
}

TEST_CASE("copy sizes: without copies there are none") {
  CHECK(sizes(TraceBuilder{}.kernel({.start = 0, .end = 10}).build()).empty());
}
