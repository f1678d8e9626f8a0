#include <catch2/catch.hpp>

#include "tests/trace/imported.h"
#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;

Trace read(const SqlFile& file) {
  auto trace = read_trace(file.path());
  if (!trace) FAIL(trace.error().line());
  return std::move(*trace);
}

TEST_CASE("rocmProfileData's operations are kernels, copies and fills; its calls keep their threads") {
  const Trace trace = read(SqlFile(
      "CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);"
      "INSERT INTO rocpd_string VALUES(1,'KernelExecution'),(2,'CopyHostToDevice'),(3,'_Z3addPf'),(4,''),(5,'hipLaunchKernel'),(6,'forward'),(7,'FillBuffer'),(8,'Barrier');"
      "CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER, completionSignal TEXT, start INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER);"
      "INSERT INTO rocpd_op VALUES(1,2,1,0,'',100,200,3,1),(2,2,1,0,'',300,400,4,2),(3,2,1,0,'',500,600,4,7),(4,2,1,0,'',700,800,4,8),(5,2,1,0,'',900,850,3,1);"
      "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, apiName_id INTEGER, args_id INTEGER);"
      "INSERT INTO rocpd_api VALUES(1,10,11,90,95,5,4),(2,10,11,80,700,6,4);"));
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.text(trace.kernels.name[0]) == "add(float*)");
  CHECK(trace.text(trace.kernels.mangled[0]) == "_Z3addPf");
  CHECK(trace.kernels.device[0].value == 2);
  REQUIRE(trace.copies.size() == 1);
  CHECK(trace.copies.kind[0] == CopyKind::host_to_device);
  CHECK(trace.fills.size() == 1);
  CHECK(trace.api_calls.size() == 1);
  REQUIRE(trace.nvtx.size() == 1);
  CHECK(trace.text(trace.nvtx.text[0]) == "forward");
  CHECK(counted(trace, "of a kind that is not read") == 1);
  CHECK(counted(trace, "end before they start") == 1);
}

TEST_CASE("rocprofiler-sdk's tables are found with the run's id behind their names") {
  const Trace trace = read(SqlFile(
      "CREATE TABLE \"rocpd_string_00001a2b_0001\"(id INTEGER, guid TEXT, string TEXT); INSERT INTO \"rocpd_string_00001a2b_0001\" VALUES(1,'g','MEMORY_COPY_DEVICE_TO_HOST'),(2,'g','hipMemcpy');"
      "CREATE TABLE \"rocpd_info_agent_00001a2b_0001\"(id INTEGER, type TEXT, type_index INTEGER, name TEXT);"
      "INSERT INTO \"rocpd_info_agent_00001a2b_0001\" VALUES(1,'CPU',0,'EPYC'),(2,'GPU',0,'gfx942'),(3,'GPU',1,'gfx942');"
      "CREATE TABLE \"rocpd_info_kernel_symbol_00001a2b_0001\"(id INTEGER, kernel_name TEXT); INSERT INTO \"rocpd_info_kernel_symbol_00001a2b_0001\" VALUES(9,'_Z3addPf.kd');"
      "CREATE TABLE \"rocpd_kernel_dispatch_00001a2b_0001\"(start INTEGER, end INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, kernel_id INTEGER, pid INTEGER, workgroup_size_x INTEGER, grid_size_x INTEGER);"
      "INSERT INTO \"rocpd_kernel_dispatch_00001a2b_0001\" VALUES(100,200,3,1,5,9,77,64,256);"
      "CREATE TABLE \"rocpd_memory_copy_00001a2b_0001\"(start INTEGER, end INTEGER, pid INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, name_id INTEGER, queue_id INTEGER, stream_id INTEGER);"
      "INSERT INTO \"rocpd_memory_copy_00001a2b_0001\" VALUES(300,400,77,1,2,4096,1,1,5),(500,600,77,3,2,64,1,1,5);"
      "CREATE TABLE \"rocpd_region_00001a2b_0001\"(start INTEGER, end INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER); INSERT INTO \"rocpd_region_00001a2b_0001\" VALUES(290,410,77,78,2);"));
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.text(trace.kernels.name[0]) == "add(float*)");
  CHECK(trace.kernels.device[0].value == 1);
  CHECK(trace.kernels.stream[0].value == 5);
  CHECK(trace.kernels.grid[0].x == 4);
  REQUIRE(trace.copies.size() == 2);
  CHECK(trace.copies.bytes[0] == 4096);
  CHECK(trace.copies.kind[0] == CopyKind::device_to_host);
  CHECK(trace.copies.kind[1] == CopyKind::peer_to_peer);
  CHECK(trace.copies.source_device[1].value == 0);
  CHECK(trace.gpus.size() == 2);
  CHECK(trace.api_calls.size() == 1);
}

}  // namespace
}  // namespace gputrace::trace
