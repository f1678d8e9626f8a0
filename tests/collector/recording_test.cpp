// Programs with the collector inside: what is recorded, and that the program does not notice.
#include <algorithm>
#include <array>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/collector/recorded_child.h"

using namespace gputrace;
using namespace gputrace::tests;
using trace::Table;

namespace {

std::size_t find_range(const trace::Trace& trace, std::string_view text) {
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    if (trace.text(trace.nvtx.text[i]) == text) return i;
  }
  FAIL("no range " << text);
  return 0;
}

}  // namespace

TEST_CASE("An NVTX-only program is recorded without any CUPTI") {
  const Recording run = record_child({"nvtx"}, false);
  REQUIRE(run.summary);
  CHECK(run.program.status == 0);
  CHECK(run.program.err.empty());
  CHECK(run.summary->complete);
  CHECK(run.trace.has(Table::nvtx));
  CHECK_FALSE(run.trace.has(Table::kernels));

  const auto& nvtx = run.trace.nvtx;
  const std::size_t outer = find_range(run.trace, "outer"), inner = find_range(run.trace, "inn\u00e9r");
  const std::size_t registered = find_range(run.trace, "registered"), mark = find_range(run.trace, "mark");
  CHECK(nvtx.kind[outer] == trace::NvtxKind::push_pop);
  CHECK(nvtx.start_ns[outer] <= nvtx.start_ns[inner]);
  CHECK(nvtx.end_ns[inner] <= nvtx.end_ns[outer]);
  // Popped in its own domain, although another domain's range was pushed after it.
  CHECK(nvtx.end_ns[registered] <= nvtx.start_ns[mark]);
  CHECK(nvtx.start_ns[mark] <= nvtx.end_ns[inner]);
  CHECK(run.trace.text(nvtx.domain[registered]) == "library");
  CHECK(run.trace.text(nvtx.domain[outer]) == "");
  CHECK(nvtx.color_argb[registered] == 0xFF112233);
  CHECK(nvtx.kind[mark] == trace::NvtxKind::mark);
  CHECK(nvtx.kind[find_range(run.trace, "across threads")] == trace::NvtxKind::start_end);
  CHECK(nvtx.end_ns[find_range(run.trace, "across threads")] != trace::kNoEnd);
  CHECK(nvtx.end_ns[find_range(run.trace, "never closed")] == trace::kNoEnd);
}

TEST_CASE("Kernels and API calls of four threads are all recorded") {
  const Recording run = record_child({"kernels", "20000"});
  REQUIRE(run.summary);
  CHECK(run.program.status == 0);
  CHECK(run.program.err.empty());
  CHECK(run.summary->complete);
  CHECK(run.summary->dropped_records == 0);
  REQUIRE(run.trace.kernels.size() == 20000);
  REQUIRE(run.trace.api_calls.size() == 20000);
  const auto& kernels = run.trace.kernels;
  CHECK(run.trace.text(kernels.name[0]) == "void kernel<float>(float*, int)");
  CHECK(run.trace.text(kernels.short_name[0]) == "kernel");
  CHECK(kernels.grid[0] == trace::Dim3{4, 2, 1});
  CHECK(kernels.end_ns[0] - kernels.start_ns[0] == 500);
  CHECK(run.trace.text(run.trace.api_calls.name[0]) == "cudaLaunchKernel_v7000");
  std::array<int, 4> per_device{};
  for (const auto device : kernels.device) ++per_device.at(static_cast<std::size_t>(device.value));
  CHECK(per_device == std::array<int, 4>{5000, 5000, 5000, 5000});
  // NVTX and CUPTI share a clock, so the range holds every launch.
  const std::size_t work = find_range(run.trace, "work");
  const auto& calls = run.trace.api_calls.start_ns;
  CHECK(*std::min_element(calls.begin(), calls.end()) >= run.trace.nvtx.start_ns[work]);
  CHECK(*std::max_element(calls.begin(), calls.end()) <= run.trace.nvtx.end_ns[work]);
}

TEST_CASE("Ranges of many short-lived threads are all paired") {
  const Recording run = record_child({"threads", "160"}, false);
  REQUIRE(run.summary);
  CHECK(run.summary->complete);
  CHECK(run.trace.nvtx.size() == 160 * 40);
  for (const std::int64_t end_ns : run.trace.nvtx.end_ns) CHECK(end_ns != trace::kNoEnd);
  CHECK(run.trace.diagnostics.empty());
}

TEST_CASE("A process that exits while its threads use NVTX exits as it would") {
  const Recording run = record_child({"exit-while-busy"}, false);
  CHECK(run.program.status == 11);
  CHECK(run.program.err.empty());
  REQUIRE(run.summary);
  CHECK(run.trace.nvtx.size() > 0);
  const auto& ends = run.trace.nvtx.end_ns;
  CHECK(std::count(ends.begin(), ends.end(), trace::kNoEnd) <= 4);
}

TEST_CASE("Every kind of record reaches its table, and what CUPTI says of itself is kept") {
  const Recording run = record_child({"each"}, true, {{"GPUTRACE_GRAPH_TRACE", "graph"}});
  REQUIRE(run.summary);
  CHECK(run.trace.copies.size() == 2);
  CHECK(run.trace.fills.size() == 1);
  CHECK(run.trace.synchronizations.size() == 1);
  CHECK(run.trace.cuda_events.size() == 1);
  CHECK(run.trace.graph_launches.size() == 1);
  CHECK(run.trace.overheads.size() == 1);
  CHECK(run.trace.gpus.size() == 2);
  CHECK(run.trace.links.size() == 4);
  CHECK(run.trace.synchronizations.device.at(0).value == 1);  // CUPTI gave the context alone
  CHECK(run.trace.copies.source_memory.at(0) == trace::MemoryKind::pinned);
  CHECK(run.trace.metadata.simulated);
  CHECK(run.trace.metadata.machine == "Fake box");
}

TEST_CASE("CUDA graphs are recorded by node unless the whole is asked for") {
  const Recording run = record_child({"each"});
  REQUIRE(run.summary);
  CHECK_FALSE(run.trace.has(Table::graph_launches));  // else CUPTI would leave out the kernels in graphs
}

TEST_CASE("Tables that were enabled but stayed empty are captured") {
  const Recording run = record_child({"kernels", "4"});
  REQUIRE(run.summary);
  CHECK(run.trace.has(Table::copies));
  CHECK(run.trace.copies.size() == 0);
}

TEST_CASE("A CUPTI clock far from the wall clock does not move NVTX against kernels") {
  // NVTX is in use before CUDA starts, on the wall clock; afterwards both are on CUPTI's.
  const Recording run = record_child({"kernels", "4"}, true, {{"FAKE_CUPTI_AHEAD_NS", "-1500000000000000000"}});
  REQUIRE(run.summary);
  const std::size_t work = find_range(run.trace, "work");
  CHECK(run.trace.nvtx.start_ns[work] >= 0);
  CHECK(run.trace.nvtx.start_ns[work] < 60'000'000'000);
  CHECK(run.trace.kernels.start_ns.at(0) >= run.trace.nvtx.start_ns[work]);
}

TEST_CASE("What a process had flushed before it died is in the trace") {
  const auto [mode, status] = GENERATE(table<std::string, int>(
      {{"kill", 128 + 9}, {"abort", 128 + 6}, {"segfault", 128 + 11}, {"_exit", 4}, {"term", 128 + 15}}));
  INFO(mode);
  const Recording run = record_child({mode, "1000"});
  CHECK(run.program.status == status);
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 1000);
  CHECK(has_range(run.trace, "flushed"));
  CHECK_FALSE(run.summary->complete);
  CHECK_THAT(run.summary->incomplete_why, Catch::Contains("was killed, crashed, or left by _exit"));
  CHECK_FALSE(run.trace.metadata.complete);
}

TEST_CASE("A forked child has a spool of its own") {
  const Recording run = record_child({"fork"}, false);
  CHECK(run.program.status == 0);
  REQUIRE(run.summary);
  CHECK(run.summary->processes == 2);
  CHECK(run.summary->complete);
  const auto& nvtx = run.trace.nvtx;
  const std::size_t parent = find_range(run.trace, "parent"), child = find_range(run.trace, "child");
  REQUIRE(nvtx.thread[parent].value >= 0);
  REQUIRE(nvtx.thread[child].value >= 0);
  const auto process = [&](std::size_t row) {
    return run.trace.threads.at(static_cast<std::size_t>(nvtx.thread[row].value)).process;
  };
  CHECK(process(parent) != process(child));
  CHECK(nvtx.end_ns[parent] != trace::kNoEnd);
}

TEST_CASE("Output and exit status are the same with and without the collector") {
  const auto mode = GENERATE(as<std::vector<std::string>>{}, std::vector<std::string>{"print", "20000"},
                             std::vector<std::string>{"nothing"}, std::vector<std::string>{"close-all", "150"},
                             std::vector<std::string>{"nvtx"}, std::vector<std::string>{"fork"});
  INFO(mode.front());
  std::vector<std::string> command{child_program()};
  command.insert(command.end(), mode.begin(), mode.end());
  const ProgramResult plain = run_program(command);
  const Recording run = record_child(mode, false);
  CHECK(run.program.status == plain.status);
  CHECK(run.program.out == plain.out);
  CHECK(run.program.err == plain.err);
}

TEST_CASE("A program that closes all descriptors is recorded to its end") {
  const Recording run = record_child({"close-all", "150"}, false);
  CHECK(run.program.status == 0);
  REQUIRE(run.summary);
  CHECK(run.summary->complete);
  int after = 0;
  for (std::size_t i = 0; i < run.trace.nvtx.size(); ++i) after += run.trace.text(run.trace.nvtx.text[i]) == "after";
  CHECK(after == 150);
}

TEST_CASE("Where CUPTI refuses or is missing, the program runs on and a note says so") {
  const Recording run = record_child({"kernels", "4"}, false);
  CHECK(run.program.status == 0);
  CHECK(run.program.err.empty());
  REQUIRE(run.summary);
  REQUIRE_FALSE(run.summary->notes.empty());
  const auto& notes = run.summary->notes;
  CHECK(std::any_of(notes.begin(), notes.end(),
                    [](const std::string& note) { return note.starts_with("no GPU activity was recorded"); }));
  CHECK_FALSE(run.trace.has(Table::kernels));
  CHECK(has_range(run.trace, "work"));
}

TEST_CASE("A spool that cannot grow costs records, not the program") {
  const Recording run = record_child({"file-limit", "10"});
  CHECK(run.program.status == 5);
  REQUIRE(run.summary);
  CHECK_FALSE(run.summary->complete);
  CHECK_THAT(run.summary->incomplete_why, Catch::Contains("could not be written further: File too large"));
  CHECK(run.summary->dropped_records > 0);
  CHECK(run.trace.kernels.size() > 10);
}

TEST_CASE("Too small buffers drop records and count them") {
  const Recording run = record_child({"cuda-only-first", "400000"}, true,
                                     {{"GPUTRACE_BUFFER_MB", "1"}, {"GPUTRACE_FLUSH_PERIOD_MS", "3000"}});
  REQUIRE(run.summary);
  const auto recorded = static_cast<std::int64_t>(run.trace.kernels.size() + run.trace.api_calls.size());
  CHECK(recorded + run.summary->dropped_records >= 800000);
  CHECK(recorded <= 800000);
}

TEST_CASE("A Python program is recorded through its own NVTX") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("built with a sanitizer, whose runtime Python does not have: skipped");
  return;
#endif
  if (std::system("python3 -c 'import ctypes, sqlite3' > /dev/null 2>&1") != 0) {
    WARN("no python3 with sqlite3: skipped");
    return;
  }
  // Python has no NVTX of its own here; the child's shared part is loaded with ctypes, beside Python's SQLite.
  const TemporaryFolder spools;
  const std::string script =
      "import ctypes, sqlite3\n"
      "nvtx = ctypes.CDLL('" + std::string(GPUTRACE_NVTX_LIBRARY) + "')\n"
      "nvtx.push(b'in python')\n"
      "print(sqlite3.connect(':memory:').execute('select 1+1').fetchone()[0])\n"
      "nvtx.pop()\n";
  const Recording run =
      convert(spools.path(), run_program({"python3", "-c", script}, recording_environment(spools.path())));
  CHECK(run.program.status == 0);
  CHECK(run.program.out == "2\n");
  CHECK(run.program.err.empty());
  REQUIRE(run.summary);
  CHECK(has_range(run.trace, "in python"));
  CHECK_THAT(run.trace.processes.at(0).name, Catch::Contains("python"));
}
