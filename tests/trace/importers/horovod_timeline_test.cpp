#include <catch2/catch.hpp>

#include "tests/trace/imported.h"

namespace gputrace::trace {
namespace {

using namespace tests;

constexpr char kTimeline[] =
    "[\n"
    R"({"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "DistributedAdam_Allreduce/conv1"}},
{"name": "process_sort_index", "ph": "M", "pid": 1, "args": {"sort_index": 1}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 100, "pid": 1},
{"ph": "X", "name": "0", "ts": 101, "pid": 1, "dur": 0},
{"ph": "X", "name": "3", "ts": 180, "pid": 1, "dur": 0},
{"ph": "E", "ts": 181, "pid": 1},
{"ph": "B", "name": "ALLREDUCE", "ts": 190, "pid": 1},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 200, "pid": 1},
{"ph": "E", "ts": 240, "pid": 1},
{"ph": "E", "ts": 250, "pid": 1, "args": {"dtype": "float32"}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 300, "pid": 1},
)";

TEST_CASE("a Horovod timeline gives the phases of every tensor, and when each rank was ready") {
  const Trace trace = imported(kTimeline);
  CHECK(trace.metadata.producer == "Horovod timeline");
  CHECK(trace.metadata.complete);
  REQUIRE(trace.nvtx.size() == 6);
  CHECK(trace.text(trace.nvtx.text[0]) == "NEGOTIATE_ALLREDUCE");
  CHECK(range_span(trace, 0) == Span{100'000, 181'000});
  CHECK(trace.text(trace.nvtx.text[1]) == "rank 0 ready");
  CHECK(trace.nvtx.kind[1] == NvtxKind::mark);
  CHECK(trace.text(trace.nvtx.text[2]) == "rank 3 ready");
  CHECK(trace.nvtx.start_ns[2] == 180'000);
  CHECK(range_span(trace, 3) == Span{190'000, 250'000});
  CHECK(range_span(trace, 4) == Span{200'000, 240'000});
  CHECK(trace.nvtx.end_ns[5] == kNoEnd);
  CHECK(counted(trace, "range events still open at the end") == 1);
  REQUIRE(trace.threads.size() == 1);
  CHECK(trace.threads[0].name == "DistributedAdam_Allreduce/conv1");
  CHECK_FALSE(trace.has(Table::kernels));
}

TEST_CASE("an end without a begin is counted, not a range") {
  const Trace trace = imported(R"([{"ph": "E", "ts": 5, "pid": 1}, {"ph": "B", "name": "NEGOTIATE_BROADCAST", "ts": 6, "pid": 1}, {"ph": "E", "ts": 9, "pid": 1}])");
  CHECK(trace.nvtx.size() == 1);
  CHECK(counted(trace, "end without having begun") == 1);
}

}  // namespace
}  // namespace gputrace::trace
