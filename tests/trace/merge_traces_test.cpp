#include "trace/merge_traces.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"
#include "tests/trace/imported.h"
#include "trace/clock_alignment.h"

namespace gputrace::trace {
namespace {

using namespace tests;

// A rank with an all-reduce at the end of each of `steps` steps of 10 ms; its clock reads `offset + (1 + drift) time`.
Trace rank(int number, std::int64_t offset_ns, double drift = 0, int steps = 20, std::int64_t jitter_ns = 0) {
  TraceBuilder builder;
  const auto clock = [&](std::int64_t time_ns) { return time_ns + offset_ns + static_cast<std::int64_t>(drift * static_cast<double>(time_ns)); };
  for (int step = 0; step < steps; ++step) {
    const std::int64_t start = step * 10_ms + 1_ms, end = start + 8_ms + (step % 3 == number % 3 ? jitter_ns : 0);
    builder.kernel({.start = clock(start), .end = clock(start + 2_ms), .name = "conv"});
    builder.kernel({.start = clock(start + 2_ms + number * 100_us), .end = clock(end), .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"});
  }
  Trace trace = builder.build();
  trace.metadata.rank = number;
  return trace;
}

std::vector<Trace> list(Trace first, Trace second) {
  std::vector<Trace> traces;
  traces.push_back(std::move(first));
  traces.push_back(std::move(second));
  return traces;
}

TEST_CASE("ranks of a job become processes of one trace, in the order of ranks, on GPUs of their own") {
  const Trace whole = merge_traces(list(rank(1, 0), rank(0, 0)));
  REQUIRE(whole.processes.size() == 2);
  CHECK(whole.processes[0].name == "trainer (rank 0)");
  CHECK(whole.processes[1].name == "trainer (rank 1)");
  CHECK(whole.processes[0].global_pid != whole.processes[1].global_pid);
  CHECK(whole.kernels.size() == 80);
  for (std::size_t i = 0; i < whole.kernels.size(); ++i) CHECK(whole.kernels.device[i].value == whole.kernels.process[i].value);
  CHECK(counted(whole, "numbered anew") == static_cast<std::int64_t>(whole.gpus.size()));
}

TEST_CASE("the whole is named by the folder of its files, or by the first of them") {
  const auto name = [](const char* first, const char* second) {
    std::vector<Trace> files = list(rank(0, 0), rank(1, 0));
    files[0].metadata.file = first;
    files[1].metadata.file = second;
    return merge_traces(std::move(files)).metadata.file;
  };
  CHECK(name("runs/a/rank0.json", "runs/a/rank1.json") == "runs/a (2 files)");
  CHECK(name("runs/a/rank0.json", "runs/b/rank1.json") == "runs/a/rank0.json and 1 more");
  CHECK(name("rank0.json", "rank1.json") == "rank0.json and 1 more");
}

TEST_CASE("clocks that differ by seconds are aligned by the ends of collectives") {
  const Trace whole = merge_traces(list(rank(0, 0), rank(1, 7_s)));
  REQUIRE(whole.clocks.size() == 2);
  CHECK(whole.clocks[1].offset_ns == -7_s);
  CHECK(whole.clocks[1].matched == 20);
  CHECK(whole.clock_residual_ns() == 0);
  CHECK(whole.span().duration_ns() < 300_ms);
}

TEST_CASE("a clock that runs fast is slowed down, and jitter is stated as the residual") {
  const Trace whole = merge_traces(list(rank(0, 0, 0, 400, 20_us), rank(1, 3_s, 50e-6, 400, 20_us)));
  CHECK(std::abs(whole.clocks[1].drift_ppb + 50'000) < 2'000);
  const auto residual_ns = whole.clock_residual_ns();
  REQUIRE(residual_ns);
  CHECK(*residual_ns >= 10_us);
  CHECK(*residual_ns <= 30_us);
}

TEST_CASE("without a matching collective the clocks stay, and nothing is known across the ranks") {
  const Trace whole = merge_traces(list(rank(0, 0), rank(1, 5_s, 0, 19)));
  CHECK(whole.clocks[1].residual_ns == -1);
  CHECK_FALSE(whole.clock_residual_ns());
  CHECK(counted(whole, "clock could not be aligned") == 1);
}

TEST_CASE("clocks are brought together by the wall clock where both files tell it") {
  Trace first = rank(0, 0, 0, 1), second = rank(1, 0, 0, 0);
  first.metadata.start_utc_ns = 1'000_s;
  second = TraceBuilder{}.kernel({.start = 1_ms, .end = 2_ms}).build();
  second.metadata.start_utc_ns = 1'002_s;
  const Trace whole = merge_traces(list(std::move(first), std::move(second)));
  CHECK(whole.kernels.start_ns.back() == 2_s + 1_ms);
}

TEST_CASE("a table that one rank lacks is not captured in the whole; a rank without GPU work has no say") {
  const auto with_calls = [] { return TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).api({.start = 0, .end = 1_us}).build(); };
  Trace without = TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build();
  CHECK_FALSE(merge_traces(list(with_calls(), std::move(without))).has(Table::api_calls));
  Trace host_only = TraceBuilder{}.range({.start = 0, .end = 1_ms, .text = "wait"}).build();
  const Trace whole = merge_traces(list(with_calls(), std::move(host_only)));
  CHECK(whole.has(Table::api_calls));
  CHECK(whole.has(Table::kernels));
}

TEST_CASE("GPUs with the same UUID are one GPU") {
  const auto with_gpu = [] {
    Gpu gpu;
    gpu.uuid = "GPU-1";
    return TraceBuilder{}.gpu(gpu).kernel({.start = 0, .end = 1_ms}).build();
  };
  const Trace whole = merge_traces(list(with_gpu(), with_gpu()));
  CHECK(whole.kernels.device[0] == whole.kernels.device[1]);
  CHECK(whole.gpus.size() == 1);
}

TEST_CASE("names of files tell ranks") {
  CHECK(rank_in_name("rank3.json") == 3);
  CHECK(rank_in_name("hta_sampled_rank-1.json.gz") == 1);
  CHECK(rank_in_name("worker07_step_12.1694128201545.pt.trace.json.gz") == 7);
  CHECK(rank_in_name("Rank_12.sqlite") == 12);
  CHECK(rank_in_name("trace.json") == -1);
  CHECK(rank_in_name("frank.json") == -1);
}

}  // namespace
}  // namespace gputrace::trace
