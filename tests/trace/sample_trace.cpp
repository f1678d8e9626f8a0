#include "tests/trace/sample_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "trace/counter_rows.h"
#include "trace/native_threads.h"
#include "trace/timeline_rows.h"

namespace gputrace::tests {
namespace {

using namespace trace;

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string process_of(const Trace& trace, ProcessIndex process) {
  return process.value < 0 ? "none" : std::to_string(trace.processes[static_cast<std::size_t>(process.value)].pid);
}

std::string thread_of(const Trace& trace, ThreadIndex thread) {
  if (thread.value < 0) return "none";
  const Thread& native = trace.threads[static_cast<std::size_t>(thread.value)];
  return process_of(trace, native.process) + "/" + std::to_string(native.tid);
}

std::string device_line(const Trace& trace, const DeviceColumns& rows, std::size_t i) {
  return fmt::format("{}..{} gpu {} context {} stream {} correlation {} process {}", rows.start_ns[i], rows.end_ns[i], rows.device[i].value,
                     rows.context[i].value, rows.stream[i].value, rows.correlation[i].value, process_of(trace, rows.process[i]));
}

}  // namespace

Trace sample_trace() {
  Trace trace;
  NativeThreads threads{trace};
  TimelineRows rows{trace};
  const auto text = [&trace](std::string_view value) { return trace.strings.intern(value); };
  const ProcessIndex first = threads.process(100), second = threads.process(200);
  const ThreadIndex main = threads.thread(100, 100), worker = threads.thread(200, 201);
  threads.name_process(100, "train \"one\"");
  threads.name_thread(200, 201, "worker\n1");
  rows.add_call({1'000'001, 1'002'000}, main, text("cudaLaunchKernel_v7000"), 5, ApiClass::runtime);
  rows.add_call({1'003'000, 1'004'000}, worker, text("cuLaunchKernel"), 5, ApiClass::driver);
  rows.add_kernel({{1'010'123, 1'020'456}, 0, 1, 7, 5, first}, "void conv<float>(float*, int)",
                  {.grid = {4, 2, 1}, .block = {128, 1, 1}, .registers_per_thread = 40, .static_shared_bytes = 16, .dynamic_shared_bytes = 48, .graph_node = 9, .mangled = "_Z4convIfEvPfi"});
  rows.add_kernel({{1'015'000, 1'030'000}, 0, 1, 7, 0, first}, "overlaps", {});  // on the same stream: not nested
  rows.add_kernel({{1'016'000, 1'016'000}, 1, 2, 14, 5, second}, "no length", {});
  rows.add_kernel({{1'017'000, 1'018'000}, 1, 2, 14, 0, ProcessIndex{-1}}, "of nobody", {});
  rows.add_copy({{1'040'000, 1'050'000}, 0, 1, 8, 6, first},
                {.bytes = 1 << 20, .kind = CopyKind::host_to_device, .source = MemoryKind::pageable, .destination = MemoryKind::device});
  rows.add_copy({{1'060'000, 1'070'000}, 1, 2, 8, 0, second},
                {.bytes = 7, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .destination = MemoryKind::device, .source_device = 1, .destination_device = 0});
  rows.add_copy({{1'061'000, 1'062'000}, 1, 2, 9, 0, second},
                {.bytes = 4096, .kind = CopyKind::unified_host_to_device, .source = MemoryKind::managed, .destination = MemoryKind::managed});
  rows.add_fill({{1'080'000, 1'081'000}, 0, 1, 7, 0, first}, 256, MemoryKind::device);
  rows.add_synchronization({{1'090'000, 1'091'000}, 0, 1, 7, 0, first}, SyncKind::stream);
  rows.add_range({.span = {1'000'000, 1'100'000}, .thread = main, .domain = text("step"), .text = text("step 1"), .category = text("phase"), .color_argb = 0xFF00FF00});
  rows.add_range({.span = {1'000'000, 1'050'000}, .thread = main, .domain = text("kernel"), .text = text("a domain named as a category")});
  rows.add_range({.span = {1'001'000, 1'200'000}, .thread = main, .text = text("start/end"), .kind = NvtxKind::start_end});
  rows.add_range({.span = {1'002'000, 1'002'000}, .thread = worker, .text = text("mark"), .kind = NvtxKind::mark});
  rows.add_range({.span = {1'300'000, kNoEnd}, .thread = worker, .text = text("never ended")});
  RowProblems problems{"counter rows"};
  add_counter_sample(trace, {.time_ns = 1'000'500, .name = text("memory allocated"), .unit = text("bytes"), .process = first, .device = DeviceId{0}, .value = 9'007'199'254'740'991.0}, problems);
  add_counter_sample(trace, {.time_ns = 1'000'600, .name = text("memory allocated"), .unit = text("bytes"), .process = first, .device = DeviceId{1}, .value = 0.1}, problems);
  add_counter_sample(trace, {.time_ns = 1'000'700, .name = text("queue length"), .value = -3}, problems);
  threads.give_names();
  Gpu gpu;
  gpu.name = "GPU model";
  gpu.sm_count = 80;
  gpu.memory_bandwidth_bytes_per_s = 900'000'000'000;
  trace.gpus.push_back(gpu);
  rows.finish();
  trace.metadata.producer = "sample 1.0";
  trace.metadata.simulated = true;
  trace.metadata.machine = "model";
  trace.metadata.complete = false;
  trace.metadata.incomplete_why = "killed";
  trace.metadata.dropped_records = 3;
  sort_by_start(trace);
  return trace;
}

std::vector<std::string> kernel_lines(const Trace& trace) {
  std::vector<std::string> lines;
  const Kernels& rows = trace.kernels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lines.push_back(fmt::format("{} {} | {} | grid {} {} {} block {} registers {} shared {}+{} node {}", device_line(trace, rows, i), trace.text(rows.name[i]),
                                trace.text(rows.mangled[i]), rows.grid[i].x, rows.grid[i].y, rows.grid[i].z, rows.block[i].x, rows.registers_per_thread[i],
                                rows.static_shared_bytes[i], rows.dynamic_shared_bytes[i], rows.graph_node[i]));
  }
  return sorted(std::move(lines));
}

std::vector<std::string> copy_lines(const Trace& trace) {
  std::vector<std::string> lines;
  const Copies& rows = trace.copies;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lines.push_back(fmt::format("{} {} bytes {} {} -> {} from {} to {}", device_line(trace, rows, i), rows.bytes[i], name(rows.kind[i]), name(rows.source_memory[i]),
                                name(rows.destination_memory[i]), rows.source_device[i].value, rows.destination_device[i].value));
  }
  return sorted(std::move(lines));
}

std::vector<std::string> fill_lines(const Trace& trace) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < trace.fills.size(); ++i)
    lines.push_back(fmt::format("{} {} bytes of {}", device_line(trace, trace.fills, i), trace.fills.bytes[i], name(trace.fills.memory[i])));
  for (std::size_t i = 0; i < trace.synchronizations.size(); ++i)
    lines.push_back(fmt::format("{} waits for {}", device_line(trace, trace.synchronizations, i), name(trace.synchronizations.kind[i])));
  return sorted(std::move(lines));
}

std::vector<std::string> call_lines(const Trace& trace, Threads threads) {
  std::vector<std::string> lines;
  const ApiCalls& rows = trace.api_calls;
  for (std::size_t i = 0; i < rows.size(); ++i)
    lines.push_back(fmt::format("{}..{} {} {} {} {}", rows.start_ns[i], rows.end_ns[i], threads == Threads::unsaid ? "" : thread_of(trace, rows.thread[i]),
                                trace.text(rows.name[i]), rows.correlation[i].value, rows.api_class[i] == ApiClass::driver));
  return sorted(std::move(lines));
}

std::vector<std::string> range_lines(const Trace& trace) {
  std::vector<std::string> lines;
  const NvtxRanges& rows = trace.nvtx;
  for (std::size_t i = 0; i < rows.size(); ++i)
    lines.push_back(fmt::format("{}..{} {} kind {} {} | {} | {} color {:x}", rows.start_ns[i], rows.end_ns[i], thread_of(trace, rows.thread[i]), static_cast<int>(rows.kind[i]),
                                trace.text(rows.domain[i]), trace.text(rows.category[i]), trace.text(rows.text[i]), rows.color_argb[i]));
  return sorted(std::move(lines));
}

std::vector<std::string> counter_lines(const Trace& trace) {
  std::vector<std::string> lines;
  const Counters& rows = trace.counters;
  for (std::size_t i = 0; i < rows.size(); ++i)
    lines.push_back(fmt::format("{} {} [{}] gpu {} process {} is {}", rows.start_ns[i], trace.text(rows.name[i]), trace.text(rows.unit[i]), rows.device[i].value,
                                process_of(trace, rows.process[i]), rows.value[i]));
  return sorted(std::move(lines));
}

void check_same_rows(const Trace& expected, const Trace& trace) {
  CHECK(kernel_lines(trace) == kernel_lines(expected));
  CHECK(copy_lines(trace) == copy_lines(expected));
  CHECK(fill_lines(trace) == fill_lines(expected));
  CHECK(call_lines(trace) == call_lines(expected));
  CHECK(range_lines(trace) == range_lines(expected));
  CHECK(counter_lines(trace) == counter_lines(expected));
}

}  // namespace gputrace::tests
