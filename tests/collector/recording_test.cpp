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

TEST_CASE("Buffers that many threads hand over at once lose nothing") {
  const Recording run = record_child({"kernels", "60000"}, true, {{"FAKE_CUPTI_PER_THREAD", "1"}});
  REQUIRE(run.summary);
  CHECK(run.program.status == 0);
  CHECK(run.program.err.empty());
  CHECK(run.summary->complete);
  CHECK(run.summary->dropped_records == 0);
  CHECK(run.trace.kernels.size() == 60000);
  CHECK(run.trace.api_calls.size() == 60000);
  CHECK(run.trace.diagnostics.empty());
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
  const Recording run = record_child({"each"});
  REQUIRE(run.summary);
  CHECK(run.trace.copies.size() == 3);  // one is a migration of unified memory
  CHECK(run.trace.fills.size() == 1);
  CHECK(run.trace.synchronizations.size() == 1);
  CHECK(run.trace.cuda_events.size() == 1);
  CHECK(run.trace.graph_launches.size() == 1);
  const auto& overheads = run.trace.overheads.kind;
  CHECK(std::count(overheads.begin(), overheads.end(), trace::OverheadKind::command_buffer_full) == 1);
  CHECK(run.trace.gpus.size() == 2);
  CHECK(run.trace.links.size() == 4);
  CHECK(run.trace.synchronizations.device.at(0).value == 1);  // CUPTI gave the context alone
  const auto& copies = run.trace.copies;
  CHECK(std::count(copies.source_memory.begin(), copies.source_memory.end(), trace::MemoryKind::pinned) == 1);
  CHECK(std::count(copies.kind.begin(), copies.kind.end(), trace::CopyKind::unified_host_to_device) == 1);
  CHECK(run.trace.metadata.simulated);
  CHECK(run.trace.metadata.machine == "Fake box");
}

TEST_CASE("CUDA graphs are recorded as a whole unless their nodes are asked for") {
  const Recording run = record_child({"each"}, true, {{"GPUTRACE_GRAPH_TRACE", "node"}});
  REQUIRE(run.summary);
  CHECK_FALSE(run.trace.has(Table::graph_launches));  // else CUPTI would leave out the kernels in graphs
}

TEST_CASE("Clocks, compilations, external ids and migrations stand in the tables that scripts know") {
  const Recording run = record_child({"each"});
  REQUIRE(run.summary);
  const auto rows = [&](const std::string& sql) { return run.query(sql); };
  CHECK(rows("SELECT metricName, value, typeId & 255 FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING(typeId, metricId)"
             " ORDER BY metricId") ==
        std::vector<std::string>{"SM Clock Frequency [MHz]|1410|1", "Memory Clock Frequency [MHz]|1215|1", "PCIe Lanes|16|1",
                                 "Clock Throttle Reasons [bits]|4|1", "Temperature [C]|65|1"});
  CHECK(rows("SELECT operation, entry, cacheBytes, value, end - start FROM GPUTRACE_JIT JOIN StringIds ON id = cachePathId") ==
        std::vector<std::string>{"3|1|999|/cache/a|1000"});
  CHECK(rows("SELECT correlationId, externalKind, externalId FROM GPUTRACE_EXTERNAL_CORRELATION") ==
        std::vector<std::string>{"77|4|4242"});
  CHECK(rows("SELECT bytes, deviceId, virtualAddress, m.label FROM CUPTI_ACTIVITY_KIND_MEMCPY"
             " JOIN ENUM_CUDA_UNIF_MEM_MIGRATION m ON m.id = migrationCause") ==
        std::vector<std::string>{"65536|1|40960|Speculative prefetch"});
  // Not asked for: absent, not empty.
  CHECK(rows("SELECT name FROM sqlite_master WHERE name LIKE 'CUDA_GPU_MEMORY%' OR name LIKE 'CUDA_UM%'").empty());
}

TEST_CASE("Allocations, pools and page faults are recorded where asked for") {
  const Recording run = record_child({"each"}, true, {{"GPUTRACE_TRACE", "cuda,nvtx,memory,page-faults"}});
  REQUIRE(run.summary);
  CHECK(run.query("SELECT o.label, k.label, bytes, address, u.name, correlationId, localMemoryPoolAddress, localMemoryPoolSize"
                  " FROM CUDA_GPU_MEMORY_USAGE_EVENTS u JOIN ENUM_CUDA_DEV_MEM_EVENT_OPER o ON o.id = memoryOperationType"
                  " JOIN ENUM_CUDA_MEM_KIND k ON k.id = memKind ORDER BY memoryOperationType") ==
        std::vector<std::string>{"Allocation|Device|1048576|28672|weights|77|36864|4194304",
                                 "Deallocation|Device|1048576|28672|NULL|77|NULL|NULL"});
  CHECK(run.query("SELECT o.label, t.label, address, localMemoryPoolSize FROM CUDA_GPU_MEMORY_POOL_EVENTS"
                  " JOIN ENUM_CUDA_MEMPOOL_OPER o ON o.id = operationType JOIN ENUM_CUDA_MEMPOOL_TYPE t ON t.id = poolType") ==
        std::vector<std::string>{"Trimmed|Local|36864|4194304"});
  CHECK(run.query("SELECT address, originalFaultPc, value FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS JOIN StringIds ON id = CpuInstruction") ==
        std::vector<std::string>{"40960|49374|0xc0de"});
  CHECK(run.query("SELECT address, numberOfPageFaults, label FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS"
                  " JOIN ENUM_CUDA_UNIF_MEM_ACCESS_TYPE ON id = faultAccessType") == std::vector<std::string>{"40960|3|Write"});
}

TEST_CASE("Page faults that were asked for and never came are captured") {
  const Recording run = record_child({"kernels", "4"}, true, {{"GPUTRACE_TRACE", "cuda,page-faults"}});
  REQUIRE(run.summary);
  CHECK(run.query("SELECT count(*) FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS") == std::vector<std::string>{"0"});
  CHECK(run.query("SELECT count(*) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS") == std::vector<std::string>{"0"});
}

TEST_CASE("The recorder's own time stands where Nsight Systems puts a profiler's, and is none of the program's events") {
  const Recording run = record_child({"kernels", "20000"});
  REQUIRE(run.summary);
  CHECK(run.summary->records == 20000 * 2 + 2);
  const auto named = [&](const std::string& what) {
    return run.query("SELECT count(*) > 0, min(end - start) >= 0, min(globalTid) > 0, min(overheadType) FROM PROFILER_OVERHEAD"
                     " JOIN StringIds ON id = nameId WHERE value = 'gputrace: " + what + "'");
  };
  for (const char* what : {"encoding of a CUPTI buffer", "flush of CUPTI", "writing of the spool"}) {
    INFO(what);
    CHECK(named(what) == std::vector<std::string>{"1|1|1|3"});
  }
  // Within the run, on its axis.
  CHECK(run.query("SELECT count(*) FROM PROFILER_OVERHEAD WHERE start < 0 OR end > 600e9") == std::vector<std::string>{"0"});
}

TEST_CASE("NVTX payloads are kept as they came and in words, with their schemas and enumerations") {
  const Recording run = record_child({"payloads"}, false);
  REQUIRE(run.summary);
  CHECK(run.trace.diagnostics.empty());
  CHECK(run.query("SELECT e.text, s.value, json_extract(j.value, '$.\"Message size [bytes]\"') FROM NVTX_EVENTS e"
                  " JOIN StringIds s ON s.id = e.textId JOIN StringIds j ON j.id = e.jsonTextId WHERE e.domainId = 1 AND e.eventType = 59") ==
        std::vector<std::string>{"NULL|AllReduce|1048576"});
  CHECK(run.query("SELECT j.value FROM NVTX_EVENTS JOIN StringIds j ON j.id = jsonTextId WHERE eventType = 59 AND textId IS NOT NULL") ==
        std::vector<std::string>{R"({"NCCL communicator ID":18446744073709551615,"Message size [bytes]":1048576,"Reduction operation":"Sum"})"});
  // Domain, schema, payload size, whole size, then the payload itself: communicator, bytes, operation.
  CHECK(run.query("SELECT hex(binaryData), typeof(binaryData) FROM NVTX_EVENTS WHERE eventType = 59 AND textId IS NOT NULL") ==
        std::vector<std::string>{"0100000000000000" "0700000100000000" "1800000000000000" "3800000000000000"
                                 "FFFFFFFFFFFFFFFF" "0000100000000000" "0000000000000000|blob"});
  CHECK(run.query("SELECT schemaId, type, numEntries, payloadSize FROM NVTX_PAYLOAD_SCHEMAS ORDER BY schemaId LIMIT 1") ==
        std::vector<std::string>{"16777223|1|3|24"});
  CHECK(run.query("SELECT idx, type, name, offset FROM NVTX_PAYLOAD_SCHEMA_ENTRIES WHERE schemaId = 16777223 ORDER BY idx") ==
        std::vector<std::string>{"0|18|NCCL communicator ID|0", "1|22|Message size [bytes]|8", "2|16777232|Reduction operation|16"});
  CHECK(run.query("SELECT name, value FROM NVTX_PAYLOAD_ENUM_ENTRIES WHERE schemaId = 16777232 ORDER BY idx") ==
        std::vector<std::string>{"Sum|0", "Prod|1"});
  // By the extension's own functions: a mark, and a range whose end brings the payload.
  CHECK(run.query("SELECT eventType, value FROM NVTX_EVENTS JOIN StringIds ON id = jsonTextId WHERE textId IS NULL ORDER BY start") ==
        std::vector<std::string>{R"(34|{"loss":0.5,"tag":"abc"})", R"(59|{"loss":0.25,"tag":""})", R"(60|{"loss":0.125,"tag":"x"})"});
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

TEST_CASE("A program that goes on as another by exec leaves what it had flushed, and the other is recorded too") {
  const Recording run = record_child({"exec", "300"});
  CHECK(run.program.status == 0);
  REQUIRE(run.summary);
  CHECK(run.summary->processes == 2);
  CHECK(run.trace.kernels.size() == 300);
  CHECK(has_range(run.trace, "before exec"));
  CHECK(has_range(run.trace, "outer"));  // of the program after
  CHECK_FALSE(run.summary->complete);
  CHECK_THAT(run.summary->incomplete_why, Catch::Contains("left by _exit or exec"));
}

TEST_CASE("A spool folder that is removed under a program does not touch it") {
  const TemporaryFolder folder;
  const auto spools = folder.path() / "spools";
  std::filesystem::create_directory(spools);
  Environment environment = recording_environment(spools);
  environment.emplace_back("FAKE_CUPTI", fake_cupti_library());
  const ProgramResult program = run_program({child_program(), "remove-folder", "300"}, environment);
  CHECK(program.status == 6);
  CHECK(program.err.empty());
  const auto summary = collector::convert_spools(spools, {folder.path() / "t.sqlite", false, {}});
  REQUIRE_FALSE(summary);
  CHECK_THAT(summary.error().line(), Catch::Contains("cannot read the folder"));
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
