#include <catch2/catch.hpp>
#include <iostream>
#include <protozero/pbf_writer.hpp>

#include "tests/trace/imported.h"
#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;
using protozero::pbf_writer;

void add_name(pbf_writer& plane, std::uint32_t field, std::int64_t id, const std::string& name) {
  pbf_writer entry(plane, field);
  entry.add_int64(1, id);
  pbf_writer value(entry, 2);
  value.add_string(2, name);
}

void add_event(pbf_writer& line, std::int64_t metadata, std::int64_t offset_ps, std::int64_t duration_ps, const std::string& details, std::int64_t details_id) {
  pbf_writer event(line, 4);
  event.add_int64(1, metadata);
  event.add_int64(2, offset_ps);
  event.add_int64(3, duration_ps);
  pbf_writer stat(event, 4);
  stat.add_int64(1, details_id);
  stat.add_string(5, details);
}

std::string sample() {
  std::string bytes;
  {
    pbf_writer space(bytes);
    pbf_writer plane(space, 1);
    plane.add_int64(1, 1);
    plane.add_string(2, "/device:GPU:3");
    {
      pbf_writer line(plane, 3);
      line.add_int64(1, 14);
      line.add_string(2, "Stream #14(Compute)");
      line.add_int64(3, 1000);
      add_event(line, 1, 500'000, 2'000'500, "regs:38 shm:16 grid:160,2,1 block:1024,1,1", 1);
    }
    {
      pbf_writer line(plane, 3);
      line.add_int64(1, 15);
      line.add_string(2, "Stream #15(MemcpyH2D)");
      line.add_int64(3, 1000);
      add_event(line, 2, 9'000'000, 1'000'000, "kind_src:pinned kind_dst:device size:4096 dest:3 async:1", 2);
    }
    {
      pbf_writer line(plane, 3);
      line.add_string(2, "TensorFlow Ops");
      add_event(line, 1, 500'000, 2'000'500, "", 1);
    }
    add_name(plane, 4, 1, "_Z4convPf");
    add_name(plane, 4, 2, "MemcpyH2D");
    add_name(plane, 5, 1, "kernel_details");
    add_name(plane, 5, 2, "memcpy_details");
  }
  {
    pbf_writer space(bytes);
    pbf_writer plane(space, 1);
    plane.add_string(2, "/host:CPU");
    {
      pbf_writer line(plane, 3);
      line.add_int64(1, 77);
      line.add_string(2, "tf_Compute/77");
      line.add_int64(3, 900);
      add_event(line, 1, 0, 5'000'000, "", 9);
    }
    add_name(plane, 4, 1, "MatMul:MatMul");
  }
  return bytes;
}

TEST_CASE("an XPlane gives the kernels and copies of GPU streams, and the host's events, once") {
  for (const std::string& bytes : {sample(), gzip(sample())}) {
    const Trace trace = imported(bytes);
    REQUIRE(trace.kernels.size() == 1);
    CHECK(trace.text(trace.kernels.name[0]) == "conv(float*)");
    CHECK(trace.kernels.span(0) == Span{1500, 3500});
    CHECK(trace.kernels.device[0].value == 3);
    CHECK(trace.kernels.stream[0].value == 14);
    CHECK(trace.kernels.grid[0] == Dim3{160, 2, 1});
    CHECK(trace.kernels.registers_per_thread[0] == 38);
    CHECK(trace.kernels.dynamic_shared_bytes[0] == 16);
    REQUIRE(trace.copies.size() == 1);
    CHECK(trace.copies.bytes[0] == 4096);
    CHECK(trace.copies.kind[0] == CopyKind::host_to_device);
    CHECK(trace.copies.source_memory[0] == MemoryKind::pinned);
    REQUIRE(trace.nvtx.size() == 1);
    CHECK(trace.text(trace.nvtx.text[0]) == "MatMul:MatMul");
    CHECK(trace.threads.at(0).name == "tf_Compute/77");
    CHECK(counted(trace, "repeat the time of a GPU's streams") == 1);
  }
}

TEST_CASE("an XPlane that is cut off says so") {
  const Trace trace = imported(sample().substr(0, sample().size() - 5));
  CHECK_FALSE(trace.metadata.complete);
  CHECK(trace.kernels.size() == 1);
}

TEST_CASE("a real XPlane loads event for event") {
  const auto path = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/tensorflow/xprof_gpu_multi_worker.xplane.pb";
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: no real XPlane here\n";
    return;
  }
  const auto trace = read_trace(path);
  if (!trace) FAIL(trace.error().line());
  CHECK(trace->gpus.size() == 8);
  CHECK(trace->kernels.size() > 600);
  CHECK(trace->copies.size() > 100);
}

}  // namespace
}  // namespace gputrace::trace
