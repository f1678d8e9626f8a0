#include "trace/device_numbers.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

namespace gputrace::trace {
namespace {

using tests::TraceBuilder;

// Two processes, each with one kernel on CUDA device 0.
Trace two_processes(std::string_view first_kernel, std::string_view second_kernel) {
  Trace trace = TraceBuilder{}
                    .kernel({.start = 1, .end = 2, .name = first_kernel, .process = 0})
                    .kernel({.start = 1, .end = 2, .name = second_kernel, .process = 1})
                    .build();
  trace.processes.push_back({.global_pid = std::uint64_t{2000} << 24, .pid = 2000});
  return trace;
}

TEST_CASE("processes with NCCL kernels on one CUDA number have a GPU each, and it is said") {
  Trace trace = two_processes("ncclDevKernel_AllReduce", "ncclDevKernel_AllReduce");
  separate_devices_of_nccl_ranks(trace);
  REQUIRE(trace.kernels.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{1}});
  REQUIRE(trace.diagnostics.size() == 1);
  REQUIRE(trace.diagnostics[0].count == 2);
}

TEST_CASE("processes without NCCL may share a GPU: their numbers stay") {
  for (const char* second : {"gemm", "ncclDevKernel_AllReduce"}) {
    Trace trace = two_processes("gemm", second);
    separate_devices_of_nccl_ranks(trace);
    REQUIRE(trace.kernels.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{0}});
    REQUIRE(trace.diagnostics.empty());
  }
}

TEST_CASE("NCCL ranks whose numbers differ keep them") {
  Trace trace = two_processes("ncclKernel", "ncclKernel");
  trace.kernels.device[1] = DeviceId{5};
  separate_devices_of_nccl_ranks(trace);
  REQUIRE(trace.kernels.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{5}});
}

TEST_CASE("a list of devices is ambiguous when one number names two GPUs") {
  REQUIRE_FALSE(is_ambiguous({}));
  const CudaDevice same[] = {{1000, 0, 4}, {2000, 0, 4}, {2000, 1, 5}};
  REQUIRE_FALSE(is_ambiguous(same));
  const CudaDevice different[] = {{1000, 0, 4}, {2000, 0, 5}};
  REQUIRE(is_ambiguous(different));
}

TEST_CASE(
    "rows get the number of their GPU; rows of a process that is not listed keep theirs and are counted") {
  Trace trace = two_processes("a", "b");
  const CudaDevice devices[] = {{1000, 0, 4}, {1000, 1, 5}};
  number_devices_by_gpu(trace, devices);
  REQUIRE(trace.kernels.device == std::vector<DeviceId>{DeviceId{4}, DeviceId{0}});
  REQUIRE(trace.diagnostics.size() == 1);
  REQUIRE(trace.diagnostics[0].count == 1);
}

TEST_CASE("synchronizations and events have the device of their context, by process") {
  Trace trace = two_processes("a", "b");
  trace.kernels.context = {ContextId{1}, ContextId{1}};
  trace.kernels.device = {DeviceId{0}, DeviceId{1}};
  const auto add = [](DeviceColumns& rows, int process, int context) {
    rows.start_ns.push_back(1), rows.end_ns.push_back(2);
    rows.device.push_back(DeviceId{0}), rows.context.push_back(ContextId{context}), rows.stream.push_back({});
    rows.correlation.push_back({}), rows.process.push_back(ProcessIndex{process});
  };
  add(trace.synchronizations, 0, 1);
  add(trace.synchronizations, 1, 1);
  add(trace.synchronizations, 1, 2);  // a context without work
  add(trace.cuda_events, 1, 1);
  take_devices_from_contexts(trace);
  REQUIRE(trace.synchronizations.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{1}, DeviceId{0}});
  REQUIRE(trace.cuda_events.device == std::vector<DeviceId>{DeviceId{1}});
}

}  // namespace
}  // namespace gputrace::trace
