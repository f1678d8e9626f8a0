// Real exports against SQLite's own counts; exports of old and new schemas, and hostile ones, made by hand.
#include <catch2/catch.hpp>

#include <iostream>
#include <map>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using tests::count_rows;
using tests::SqlFile;

const std::filesystem::path kData = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";

std::int64_t total(const Trace& trace, std::string_view part) {
  std::int64_t count = 0;
  for (const Diagnostic& diagnostic : trace.diagnostics) {
    if (diagnostic.what.find(part) != std::string::npos) count += diagnostic.count;
  }
  return count;
}

TEST_CASE("real exports load row for row") {
  if (!std::filesystem::exists(kData)) {
    std::cout << "skipped: no real exports here\n";
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(kData)) {
    if (entry.path().extension() != ".sqlite") continue;
    INFO(entry.path());
    const auto trace = read_trace(entry.path());
    if (!trace) FAIL(trace.error().line());
    const std::map<std::string, std::size_t> read = {
        {"CUPTI_ACTIVITY_KIND_KERNEL", trace->kernels.size()},
        {"CUPTI_ACTIVITY_KIND_MEMCPY", trace->copies.size()},
        {"CUPTI_ACTIVITY_KIND_MEMSET", trace->fills.size()},
        {"CUPTI_ACTIVITY_KIND_RUNTIME", trace->api_calls.size()},
        {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", trace->synchronizations.size()},
        {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", trace->cuda_events.size()},
        {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", trace->graph_launches.size()}};
    for (const auto& [table, size] : read) {
      INFO(table);
      REQUIRE(size == count_rows(entry.path(), table));
    }
    REQUIRE(trace->overheads.size() == count_rows(entry.path(), "CUPTI_ACTIVITY_KIND_OVERHEAD") +
                                           count_rows(entry.path(), "PROFILER_OVERHEAD"));
    REQUIRE(trace->nvtx.size() == count_rows(entry.path(), "NVTX_EVENTS", "eventType IN (34, 59, 60)"));
    REQUIRE(total(*trace, "left out") == 0);
    REQUIRE(total(*trace, "not among the file's strings") == 0);
  }
}

}  // namespace
}  // namespace gputrace::trace
