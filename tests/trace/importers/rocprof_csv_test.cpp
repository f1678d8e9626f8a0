#include <catch2/catch.hpp>

#include "tests/trace/imported.h"

namespace gputrace::trace {
namespace {

using namespace tests;

TEST_CASE("rocprof's CSV gives kernels with their GPU, queue and names") {
  const Trace trace = imported(
      "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"queue-index\",\"pid\",\"tid\",\"grd\",\"wgr\",\"lds\",\"BeginNs\",\"EndNs\",\"DurationNs\"\r\n"
      "0,\"_Z3addPf.kd\",1,2,0,77,78,1024,256,0,1000,4000,3000\r\n"
      "1,\"void mul(float*, int) [clone .kd]\",1,2,0,77,78,256,256,0,5000,4000,3000\r\n"
      "broken\r\n");
  CHECK(trace.metadata.producer == "rocprof");
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.text(trace.kernels.name[0]) == "add(float*)");
  CHECK(trace.kernels.device[0].value == 1);
  CHECK(trace.kernels.stream[0].value == 2);
  CHECK(trace.kernels.span(0) == Span{1000, 4000});
  CHECK(trace.kernels.grid[0].x == 4);
  CHECK(trace.processes.at(0).pid == 77);
  CHECK(counted(trace, "end before they start") == 1);
  CHECK(counted(trace, "no event of rocprof's") == 1);
}

TEST_CASE("rocprofv3's CSV gives kernels, copies and calls") {
  const Trace kernels = imported(
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","
      "\"Workgroup_Size_X\",\"Grid_Size_X\"\n"
      "\"KERNEL_DISPATCH\",\"Agent 4\",1,9,1,5,\"add(float*, int)\",3,100,200,64,128\n\"KERNEL_DISPATCH\",5,1,9,1,5,\"add(float*, int)\",4,100,200,64,128\n");
  REQUIRE(kernels.kernels.size() == 2);
  CHECK(kernels.kernels.device[0] != kernels.kernels.device[1]);
  CHECK(kernels.kernels.grid[0].x == 2);
  CHECK(kernels.kernels.correlation[0].value == 3);
  const Trace copies = imported(
      "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
      "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,4,7,100,300\n");
  REQUIRE(copies.copies.size() == 1);
  CHECK(copies.copies.kind[0] == CopyKind::host_to_device);
  CHECK(counted(copies, "whose size was not recorded") == 1);
  const Trace calls = imported(
      "\"Domain\",\"Kind\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
      "\"HIP_RUNTIME_API\",\"x\",\"hipLaunchKernel\",7,8,3,90,95\n");
  REQUIRE(calls.api_calls.size() == 1);
  CHECK_FALSE(calls.has(Table::kernels));
}

}  // namespace
}  // namespace gputrace::trace
