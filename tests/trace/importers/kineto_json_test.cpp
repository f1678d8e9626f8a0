// Real traces against counts and sums that Python's json module gave (exact decimals); traces made by hand,
// old and new spellings, and hostile ones.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <iostream>
#include <numeric>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using tests::TemporaryFolder;

struct RealTrace {
  const char* file;
  std::size_t kernels, copies, fills, calls, synchronizations, overheads, ranges;
  std::int64_t kernel_ns, copied_bytes, sum_of_call_correlations;
};

constexpr RealTrace kRealTraces[] = {
    {"gpupuzzlers_addition_d2h_sync.json.gz", 4097, 4097, 0, 12294, 0, 0, 57515, 8236000, 32768, 293972070},
    {"gpupuzzlers_blocking_streams.json.gz", 1000, 200, 1000, 8401, 0, 0, 4263, 128346000, 838860800,
     75134218},
    {"gpupuzzlers_cudagraph_mwe.json.gz", 285, 221, 0, 518, 0, 0, 1758, 14574000, 212800016, 1755199},
    {"gpupuzzlers_fusion_mwe_trace.json.gz", 64, 0, 0, 50, 0, 0, 2092, 375000, 0, 1408536},
    {"gpupuzzlers_non_blocking_streams.json.gz", 1000, 200, 1000, 8397, 0, 0, 4263, 129496000, 838860800,
     75118022},
    {"gpupuzzlers_p2p_copy.json.gz", 0, 30, 0, 91, 0, 0, 413, 0, 1200000000, 64758},
    {"hta_alexnet.json.gz", 79, 16, 3, 361, 41, 0, 367, 10692000, 244403360, 1488190},
    {"hta_cpu_only.json.gz", 0, 0, 0, 0, 0, 0, 7479, 0, 0, 0},
    {"hta_mi250.json.gz", 14, 2, 0, 21, 0, 0, 73, 110881, 0, 2667},
    {"hta_ns_resolution.json.gz", 4350, 1600, 145, 15329, 0, 0, 23980, 468153602, 512205160, 2663352586},
    {"hta_rank_not_found.json.gz", 0, 0, 0, 0, 0, 0, 2467, 0, 0, 0},
    {"hta_sampled_rank-0.json.gz", 1154, 40, 10, 1204, 0, 0, 2402, 606519000, 214067131, 8497513465},
    {"hta_sampled_rank-1.json.gz", 1104, 40, 10, 1154, 0, 0, 2367, 651026000, 3362442072, 8106120711},
    {"hta_trace_diff_control.json.gz", 8568, 228, 654, 24692, 0, 0, 40794, 446813000, 2245323516,
     45017372618},
    {"hta_trace_diff_test.json.gz", 9876, 4856, 900, 21167, 0, 0, 31524, 801858000, 28340638496, 42104838305},
    {"resnet50_num_workers_0.json.gz", 8772, 12, 312, 11923, 0, 0, 23646, 591532000, 115607040, 821836887},
    {"resnet50_num_workers_4.json.gz", 8868, 12, 378, 12085, 0, 0, 20562, 594868000, 115607040, 834708291},
    {"tracelens_h100_owlv2.json.gz", 4330, 85, 750, 9292, 0, 2, 89698, 551451628, 177315930, 4729122460},
    {"tracelens_triton.json.gz", 12, 0, 0, 59, 0, 0, 42, 12549021, 0, 1770},
    {"dlrm_8xV100/worker0_step_12.1694128201545.pt.trace.json.gz", 245, 16, 0, 525, 0, 0, 1673, 6832000,
     77984, 22251126},
    {"dlrm_8xV100/worker1_step_12.1694128201556.pt.trace.json.gz", 310, 16, 0, 527, 0, 0, 1673, 12582000,
     77984, 22803224},
    {"dlrm_8xV100/worker2_step_12.1694128201554.pt.trace.json.gz", 246, 16, 0, 513, 0, 0, 1673, 4560000,
     77984, 21988272},
    {"dlrm_8xV100/worker3_step_12.1694128201557.pt.trace.json.gz", 315, 16, 6, 541, 0, 0, 1673, 11014000,
     77984, 23686583},
    {"dlrm_8xV100/worker4_step_12.1694128201547.pt.trace.json.gz", 251, 16, 6, 523, 0, 0, 1673, 7713000,
     77984, 22535406},
    {"dlrm_8xV100/worker5_step_12.1694128201549.pt.trace.json.gz", 245, 16, 0, 505, 0, 0, 1673, 7292000,
     77984, 21516339},
    {"dlrm_8xV100/worker6_step_12.1694128201553.pt.trace.json.gz", 246, 16, 0, 515, 0, 0, 1673, 4609000,
     77984, 22016931},
    {"dlrm_8xV100/worker7_step_12.1694128201553.pt.trace.json.gz", 246, 16, 0, 504, 0, 0, 1673, 2805000,
     77984, 21382780},
};

Trace read(const std::filesystem::path& path) {
  auto trace = read_trace(path);
  if (!trace) FAIL(trace.error().line());
  return std::move(*trace);
}

Trace read_text(std::string_view json) {
  const TemporaryFolder folder;
  tests::write_file(folder.path() / "trace.json", json);
  return read(folder.path() / "trace.json");
}

std::string events(std::string_view list) {
  return "{\"schemaVersion\": 1, \"traceEvents\": [" + std::string(list) + "]}";
}

std::string gzip(std::string_view text) {
  std::string bytes(compressBound(static_cast<uLong>(text.size())) + 32, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::int64_t total(const Trace& trace, std::string_view part) {
  std::int64_t count = 0;
  for (const Diagnostic& diagnostic : trace.diagnostics) {
    if (diagnostic.what.find(part) != std::string::npos) count += diagnostic.count;
  }
  return count;
}

TEST_CASE("real Kineto traces load event for event") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/kineto";
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: no real Kineto traces here\n";
    return;
  }
  for (const RealTrace& expected : kRealTraces) {
    INFO(expected.file);
    const Trace trace = read(folder / expected.file);
    REQUIRE(trace.kernels.size() == expected.kernels);
    REQUIRE(trace.copies.size() == expected.copies);
    REQUIRE(trace.fills.size() == expected.fills);
    REQUIRE(trace.api_calls.size() == expected.calls);
    REQUIRE(trace.synchronizations.size() == expected.synchronizations);
    REQUIRE(trace.overheads.size() == expected.overheads);
    REQUIRE(trace.nvtx.size() == expected.ranges);
    std::int64_t kernel_ns = 0, correlations = 0;
    for (std::size_t i = 0; i < trace.kernels.size(); ++i) kernel_ns += trace.kernels.span(i).duration_ns();
    for (const CorrelationId id : trace.api_calls.correlation) correlations += id.value;
    REQUIRE(kernel_ns == expected.kernel_ns);
    REQUIRE(std::accumulate(trace.copies.bytes.begin(), trace.copies.bytes.end(), std::int64_t{0}) ==
            expected.copied_bytes);
    REQUIRE(correlations == expected.sum_of_call_correlations);
    REQUIRE(trace.metadata.complete);
    const bool lacks_sizes = expected.copies > 0 && expected.copied_bytes == 0;  // AMD's; all else is taken over
    REQUIRE(trace.diagnostics.size() == (lacks_sizes ? 1 : 0));
    REQUIRE(total(trace, "copies whose size was not recorded") == (lacks_sizes ? static_cast<std::int64_t>(expected.copies) : 0));
  }
}

TEST_CASE("a kernel event has everything in its row") {
  const Trace trace = read_text(
      events(R"json({"ph": "X", "cat": "kernel", "name": "void net::conv<float>(int)", "pid": 3, "tid": 20,
    "ts": 1712195495505583.25, "dur": 4.928, "args": {"External id": 112, "queued": 0, "device": 3, "context": 2, "stream": 20,
    "correlation": 135071, "registers per thread": 30, "shared memory": 4096, "blocks per SM": 0.1, "grid": [50, 2, 1], "block": [256, 1, 4]}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1102, "tid": 1262, "ts": 1712195495505543.2, "dur": 41.768,
     "args": {"External id": 112, "cbid": 211, "correlation": 135071}})json"));
  REQUIRE(trace.metadata.producer == "PyTorch profiler");
  REQUIRE(trace.kernels.size() == 1);
  REQUIRE(trace.kernels.span(0) == Span{1712195495505583250, 1712195495505588178});  // exact: a double is not
  REQUIRE(trace.text(trace.kernels.name[0]) == "void net::conv<float>(int)");
  REQUIRE(trace.text(trace.kernels.short_name[0]) == "conv");
  REQUIRE(trace.kernels.device[0] == DeviceId{3});
  REQUIRE(trace.kernels.context[0] == ContextId{2});
  REQUIRE(trace.kernels.stream[0] == StreamId{20});
  REQUIRE(trace.kernels.correlation[0] == CorrelationId{135071});
  REQUIRE(trace.kernels.grid[0] == Dim3{50, 2, 1});
  REQUIRE(trace.kernels.block[0] == Dim3{256, 1, 4});
  REQUIRE(trace.kernels.registers_per_thread[0] == 30);
  REQUIRE(trace.kernels.dynamic_shared_bytes[0] == 4096);
  REQUIRE(trace.processes.at(0).pid == 1102);
  REQUIRE(trace.kernels.process[0] == ProcessIndex{0});
  REQUIRE(trace.threads.at(0).tid == 1262);
  REQUIRE(trace.text(trace.api_calls.name[0]) == "cudaLaunchKernel");
}

TEST_CASE("copies: kind and memory stand in the name, peers in the arguments") {
  const Trace trace = read_text(events(
      R"json({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0, "bytes": 64}},
      {"ph": "X", "cat": "Memcpy", "name": "Memcpy DtoH (Device -> Pageable)", "pid": 0, "tid": "stream 7", "ts": 2, "dur": 1, "args": {"device": 0, "stream": 7, "bytes": 9007199254740993}},
      {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP (Device -> Device)", "pid": 0, "tid": 7, "ts": 3, "dur": 1, "args": {"fromDevice": 0, "inDevice": 0, "toDevice": 4, "bytes": 1}},
      {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Host -> Device)", "pid": 2, "tid": 0, "ts": 4, "dur": 1, "args": {"kind": "HtoD"}},
      {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 1, "tid": 0, "ts": 5, "dur": 1, "args": {"device": 1, "bytes": 8}})json"));
  const Copies& copies = trace.copies;
  REQUIRE(copies.kind == std::vector<CopyKind>{CopyKind::host_to_device, CopyKind::device_to_host,
                                               CopyKind::peer_to_peer, CopyKind::host_to_device});
  REQUIRE(copies.source_memory == std::vector<MemoryKind>{MemoryKind::pinned, MemoryKind::device,
                                                          MemoryKind::device, MemoryKind::unknown});
  REQUIRE(copies.destination_memory[1] == MemoryKind::pageable);
  REQUIRE(copies.bytes[1] == 9007199254740993);  // not a double
  REQUIRE(copies.source_device[2] == DeviceId{0});
  REQUIRE(copies.destination_device[2] == DeviceId{4});
  REQUIRE(copies.device[3] == DeviceId{2});  // from the row of the event
  REQUIRE(trace.fills.memory.at(0) == MemoryKind::device);
  REQUIRE(trace.fills.bytes.at(0) == 8);
}

TEST_CASE("synchronizations and overheads have their kind from their name") {
  const Trace trace = read_text(events(
      R"json({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0, "stream": 7}},
      {"ph": "X", "cat": "cuda_sync", "name": "Context Sync", "pid": 0, "tid": 7, "ts": 2, "dur": 1, "args": {"device": 0, "stream": -1}},
      {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 3, "dur": 1})json"));
  REQUIRE(trace.synchronizations.kind ==
          std::vector<SyncKind>{SyncKind::stream_wait_event, SyncKind::context});
  REQUIRE(trace.synchronizations.stream[1] == StreamId{-1});
  REQUIRE(trace.overheads.kind.at(0) == OverheadKind::buffer_flush);
  REQUIRE(trace.overheads.thread.at(0) == ThreadIndex{-1});
}

TEST_CASE(
    "other spans are ranges in a domain of their category; flows, counters and the profiler's own window are "
    "not") {
  const Trace trace = read_text(events(
      R"json({"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 9, "tid": 9, "ts": 1, "dur": 4},
      {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 9, "ts": 0, "dur": 9},
      {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 9, "tid": 9, "ts": 2}, {"ph": "i", "name": "[memory]", "ts": 2},
      {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": -5000, "dur": 100000},
      {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#1", "pid": 0, "tid": 7, "ts": 1, "dur": 4},
      {"ph": "B", "name": "begin", "pid": 9, "tid": 9, "ts": 3})json"));
  REQUIRE(trace.nvtx.size() == 3);
  REQUIRE(trace.text(trace.nvtx.text[0]) == "ProfilerStep#1");
  REQUIRE(trace.text(trace.nvtx.domain[0]) == "user_annotation");
  REQUIRE(trace.text(trace.nvtx.domain[1]) == "cpu_op");
  REQUIRE(trace.span() == Span{0, 9000});
  REQUIRE(trace.nvtx.end_ns[2] == kNoEnd);
  REQUIRE(total(trace, "still open at the end") == 1);
}

TEST_CASE(
    "annotations that older Kineto repeats in the row of a GPU are left out, those of a process with a small "
    "id are not") {
  const std::string list =
      R"json({"ph": "X", "cat": "user_annotation", "name": "step", "pid": 7, "tid": 7, "ts": 1, "dur": 4},
      {"ph": "X", "cat": "user_annotation", "name": "step", "pid": 0, "tid": 20, "ts": 2, "dur": 3},
      {"ph": "M", "name": "process_labels", "pid": 7, "tid": 0, "args": {"labels": "CPU"}},
      {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}})json";
  const Trace trace = read_text(events(list));
  REQUIRE(trace.nvtx.start_ns == std::vector<std::int64_t>{1000});
  REQUIRE(trace.processes.size() == 1);
  REQUIRE(trace.processes[0].pid == 7);
}

TEST_CASE("what was captured: GPU tables come together, and only where GPU work or calls were traced") {
  const Trace cpu_only = read_text(
      events(R"json({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 9, "tid": 9, "ts": 1, "dur": 4})json"));
  REQUIRE_FALSE(cpu_only.has(Table::kernels));
  REQUIRE_FALSE(cpu_only.has(Table::gpus));
  REQUIRE(cpu_only.has(Table::nvtx));
  const Trace idle_gpu = read_text(events(
      R"json({"ph": "X", "cat": "cuda_runtime", "name": "cudaFree", "pid": 9, "tid": 9, "ts": 1, "dur": 4})json"));
  REQUIRE(idle_gpu.has(Table::kernels));
  REQUIRE(idle_gpu.has(Table::copies));
  REQUIRE_FALSE(idle_gpu.has(Table::synchronizations));
}

std::vector<std::string> counter_samples(const Trace& trace) {
  std::vector<std::string> lines;
  const Counters& rows = trace.counters;
  for (std::size_t i = 0; i < rows.size(); ++i)
    lines.push_back(std::to_string(rows.start_ns[i]) + " " + std::string(trace.text(rows.name[i])) + " [" + std::string(trace.text(rows.unit[i])) + "] gpu " +
                    std::to_string(rows.device[i].value) + ": " + std::to_string(static_cast<std::int64_t>(rows.value[i])));
  return lines;
}

TEST_CASE("memory events become counters of memory in use, by GPU and of the host") {
  const Trace trace = read_text(events(
      R"json({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 1,
        "args": {"Total Reserved": 2097152, "Total Allocated": 512, "Bytes": 512, "Addr": 139926, "Device Id": 1, "Device Type": 1, "Ev Idx": 3}},
      {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 2,
        "args": {"Total Reserved": 0, "Total Allocated": 8, "Bytes": 8, "Addr": 5, "Device Id": -1, "Device Type": 0}},
      {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 3, "args": {"Bytes": 8, "Device Id": -1, "Device Type": 1}},
      {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 4, "args": {"Addr": 8}})json"));
  CHECK(counter_samples(trace) == std::vector<std::string>{"1000 memory allocated [bytes] gpu 1: 512", "1000 memory reserved [bytes] gpu 1: 2097152",
                                                           "2000 host memory allocated [bytes] gpu -1: 8"});
  CHECK(total(trace, "memory events without a device") == 1);
  CHECK(total(trace, "memory events with a value of the wrong type") == 1);
  CHECK(trace.nvtx.size() == 0);
}

TEST_CASE("memory events of versions that write no totals are summed in the order of time") {
  const Trace trace = read_text(events(
      R"json({"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 5, "args": {"Device Type": 1, "Device Id": 0, "Bytes": -256}},
      {"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 2, "args": {"Device Type": 1, "Device Id": 0, "Bytes": 1024}})json"));
  CHECK(counter_samples(trace) == std::vector<std::string>{"2000 memory allocated since the trace began [bytes] gpu 0: 1024",
                                                           "5000 memory allocated since the trace began [bytes] gpu 0: 768"});
}

TEST_CASE("Chrome's counters are read, a counter for each series; what is no number is counted") {
  const Trace trace = read_text(events(
      R"json({"ph": "C", "name": "queue", "pid": 9, "ts": 1, "args": {"length": 3}},
      {"ph": "C", "name": "memory", "pid": 9, "ts": 2, "args": {"used": 10, "free": "20"}},
      {"ph": "C", "name": "odd", "pid": 9, "ts": 3, "args": {"x": "many", "y": 1e999}})json"));
  CHECK(counter_samples(trace) == std::vector<std::string>{"1000 queue [] gpu -1: 3", "2000 memory used [] gpu -1: 10", "2000 memory free [] gpu -1: 20"});
  CHECK(total(trace, "counter events with a value of the wrong type") == 2);
}

TEST_CASE("frames of Python are ranges in a domain of their own, nested as they were called") {
  const Trace trace = read_text(events(
      R"json({"ph": "X", "cat": "python_function", "name": "train.py(20): step", "pid": 9, "tid": 9, "ts": 1, "dur": 10, "args": {"Python parent id": null, "Python id": 1}},
      {"ph": "X", "cat": "python_function", "name": "<built-in method matmul>", "pid": 9, "tid": 9, "ts": 2, "dur": 3, "args": {"Python parent id": 1, "Python id": 2}},
      {"ph": "X", "cat": "cpu_op", "name": "aten::matmul", "pid": 9, "tid": 9, "ts": 3, "dur": 1})json"));
  REQUIRE(trace.nvtx.size() == 3);
  CHECK(trace.text(trace.nvtx.domain[0]) == "python_function");
  CHECK(trace.text(trace.nvtx.text[0]) == "train.py(20): step");
  CHECK(trace.text(trace.nvtx.domain[2]) == "cpu_op");
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(trace.nvtx.start_ns[i] >= trace.nvtx.start_ns[i - 1]);
    CHECK(trace.nvtx.end_ns[i] <= trace.nvtx.end_ns[i - 1]);
  }
}

TEST_CASE("copies without a size are counted, and are no copies of nothing") {
  const Trace trace = read_text(events(
      R"json({"ph": "X", "cat": "gpu_memcpy", "name": "CopyHostToDevice", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0}},
      {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 3, "dur": 1, "args": {"device": 0, "bytes": 64}})json"));
  REQUIRE(trace.copies.size() == 2);
  CHECK_FALSE(trace.copies.has_size(0));
  CHECK(trace.copies.has_size(1));
  CHECK(total(trace, "copies whose size was not recorded") == 1);
}

TEST_CASE("GPUs, rank, wall clock and names are read wherever they stand") {
  const Trace trace = read_text(
      R"json({"deviceProperties": [{"id": 1, "name": "Tesla V100", "totalGlobalMem": 34079637504, "computeMajor": 7,
      "computeMinor": 0, "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 98304, "numSms": 80}],
    "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1102, "tid": -1019286784, "ts": 1, "dur": 4},
      {"name": "process_name", "ph": "M", "ts": 1, "pid": 1102, "tid": 0, "args": {"name": "python"}},
      {"name": "thread_name", "ph": "M", "ts": 1, "pid": 1102, "tid": -1019286784, "args": {"name": "loader"}}],
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "baseTimeNanoseconds": 1751410836000000000, "schemaVersion": 1})json");
  REQUIRE(trace.gpus.size() == 1);
  REQUIRE(trace.gpus[0].device == DeviceId{1});
  REQUIRE(trace.gpus[0].name == "Tesla V100");
  REQUIRE(trace.gpus[0].sm_count == 80);
  REQUIRE(trace.gpus[0].memory_bytes == 34079637504);
  REQUIRE(trace.metadata.start_utc_ns == 1751410836000000000);
  REQUIRE(trace.metadata.schema_version == "1");
  REQUIRE(trace.processes.at(0).name == "python (rank 3 of 8)");
  REQUIRE(trace.threads.at(0).name == "loader");
  REQUIRE(trace.threads.at(0).tid == -1019286784);
}

TEST_CASE("names with escapes, and with what JSON forbids, are read") {
  const Trace trace = read_text(
      events("{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\\\"b\\\\c\\u00e9\\ud83d\\ude00\\n}\", "
             "\"pid\": 9, \"tid\": 9, \"ts\": 1, \"dur\": 1, \"args\": {\"x\": NaN, \"y\": \"]}\"}},"
             "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"tab\there\", \"pid\": 9, \"tid\": 9, \"ts\": "
             "2, \"dur\": 1},"
             "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"lone \\ud83d half\", \"pid\": 9, \"tid\": 9, "
             "\"ts\": 3, \"dur\": 1}"));
  REQUIRE(trace.nvtx.size() == 3);
  REQUIRE(trace.text(trace.nvtx.text[0]) == "a\"b\\c\xc3\xa9\xf0\x9f\x98\x80\n}");
  REQUIRE(trace.text(trace.nvtx.text[1]) == "tab\there");
  REQUIRE(trace.text(trace.nvtx.text[2]) == "lone \xef\xbf\xbd half");
}

TEST_CASE("a bare array, an array without its end, and gzip are read alike") {
  const std::string event =
      R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0}})json";
  for (const std::string& text :
       {"[" + event + "," + event + "]", "[" + event + "," + event, gzip(events(event + "," + event)),
        gzip("[" + event) + gzip("," + event + "]")}) {
    const Trace trace = read_text(text);
    REQUIRE(trace.kernels.size() == 2);
    REQUIRE(trace.metadata.complete);
  }
}

TEST_CASE("a file that ends in the middle gives what it has, and says so") {
  const std::string event =
      R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0}})json";
  const std::string whole = events(event + "," + event);
  for (std::size_t size = whole.find("ph"); size < whole.size(); ++size) {
    INFO(whole.substr(0, size));
    const TemporaryFolder folder;
    tests::write_file(folder.path() / "t", std::string_view(whole).substr(0, size));
    const auto trace = read_trace(folder.path() / "t");
    if (!trace) continue;  // too short to be known
    REQUIRE_FALSE(trace->metadata.complete);
    REQUIRE(trace->metadata.incomplete_why == "the file ends in the middle");
    REQUIRE(trace->kernels.size() <= 2);
  }
  const std::string many = [&event] {
    std::string list = event;
    for (int i = 0; i < 20000; ++i)
      list += "," + event.substr(0, event.size() - 3) + std::to_string(i) + "}}";
    return gzip(events(list));
  }();
  const Trace cut = read_text(std::string_view(many).substr(0, many.size() / 2));
  REQUIRE_FALSE(cut.metadata.complete);
  REQUIRE(cut.kernels.size() > 1000);
  REQUIRE(cut.kernels.size() < 20000);
}

TEST_CASE("events that are not usable are counted") {
  const auto counted = [](std::string_view event, std::string_view why) {
    INFO(event);
    const Trace trace = read_text(events(event));
    REQUIRE(trace.kernels.size() == 0);
    REQUIRE(total(trace, why) == 1);
  };
  counted(R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "dur": 1})json",
          "without a start or an end");
  counted(R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "ts": 1})json",
          "without a start or an end");
  counted(R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "ts": 1e3, "dur": 1})json",
          "without a start or an end");
  counted(
      R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "ts": 99999999999999999999, "dur": 1})json",
      "without a start or an end");
  counted(
      R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "ts": 9223372036854774, "dur": 9223372036854774})json",
      "146 years");
  counted(R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "ts": 5, "dur": -1})json",
          "end before they start");
  counted(R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": "GPU", "ts": 5, "dur": 1})json",
          "without a device");
  counted(R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": -1, "ts": 5, "dur": 1})json",
          "without a device");
}

TEST_CASE("broken JSON never crashes") {
  const std::string event =
      R"json({"ph": "X", "cat": "kernel", "name": "k\u00e9", "pid": 0, "tid": 7, "ts": 1.5, "dur": 1, "args": {"device": 0, "grid": [1, 2, 3]}})json";
  const std::string whole = events(event + "," + event + "," + event);
  std::uint32_t random = 99;
  const TemporaryFolder folder;
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    for (int i = 0; i < 4; ++i) {
      random = random * 1664525 + 1013904223;
      text[random % text.size()] = "{}[]\",:\\0x"[random >> 16 & 7];
    }
    tests::write_file(folder.path() / "broken", text);
    const auto trace = read_trace(folder.path() / "broken");
    if (trace) REQUIRE(trace->kernels.size() <= 3);
  }
}

TEST_CASE("a caller can stop the read") {
  const TemporaryFolder folder;
  tests::write_file(
      folder.path() / "t",
      events(R"json({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 9, "tid": 9, "ts": 1, "dur": 4})json"));
  const auto stopped = read_trace(folder.path() / "t", {.progress = [](double) { return false; }});
  REQUIRE_FALSE(stopped);
  REQUIRE(stopped.error().what == "interrupted");
}

}  // namespace
}  // namespace gputrace::trace
