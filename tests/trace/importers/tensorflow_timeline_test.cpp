#include <catch2/catch.hpp>

#include "tests/trace/imported.h"

namespace gputrace::trace {
namespace {

using namespace tests;

std::string track(int pid, std::string_view name) {
  return R"({"name":"process_name","ph":"M","pid":)" + std::to_string(pid) + R"(,"args":{"name":")" + std::string(name) + "\"}},";
}

std::string op(int pid, int tid, int ts, int dur, std::string_view type, std::string_view name, std::string_view inputs = "") {
  return R"({"ph":"X","cat":"Op","name":")" + std::string(type) + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + R"(,"args":{"name":")" + std::string(name) +
         R"(","op":")" + std::string(type) + "\"" + std::string(inputs) + "}},";
}

std::string timeline(const std::string& events) {
  return R"({"traceEvents": [)" + events + R"({"ph":"C","cat":"Memory","name":"x","pid":9,"tid":0,"ts":1,"args":{"a":1}}]})";
}

// The same run as a version names its devices: one matrix product on the GPU, one copy, one op on the CPU.
std::string run(const std::string& cpu, const std::string& gpu, const std::string& streams) {
  return timeline(track(1, cpu + " Compute") + track(2, gpu + " Compute") + track(3, streams + "/stream:all Compute") +
                  track(4, streams + "/stream:13 Compute") + track(5, streams + "/memcpy Compute") + track(6, cpu + " Tensors") +
                  op(1, 0, 1000, 50, "Pad", "tower/pad", R"(,"input0":"images")") + op(2, 0, 1060, 5, "MatMul", "tower/MatMul") +
                  op(3, 0, 1100, 40, "MatMul", "tower/MatMul") + op(4, 0, 1100, 40, "MatMul", "tower/MatMul") +
                  op(3, 0, 1150, 10, "unknown", "edge_5:MEMCPYHtoD") + op(5, 0, 1150, 10, "unknown", "edge_5:MEMCPYHtoD"));
}

TEST_CASE("a TensorFlow timeline gives kernels once, whatever the tracks that show them") {
  for (const auto& text : {run("/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0", "/device:GPU:0"),
                           run("/job:localhost/replica:0/task:0/cpu:0", "/job:localhost/replica:0/task:0/gpu:0", "/gpu:0")}) {
    for (const std::string& bytes : {text, gzip(text)}) {
      const Trace trace = imported(bytes);
      CHECK(trace.metadata.producer == "TensorFlow timeline");
      REQUIRE(trace.kernels.size() == 1);
      CHECK(trace.text(trace.kernels.name[0]) == "MatMul");
      CHECK(trace.kernels.span(0) == Span{1'100'000, 1'140'000});
      CHECK(trace.kernels.device[0].value == 0);
      CHECK(trace.kernels.stream[0].value == 13);
      REQUIRE(trace.copies.size() == 1);
      CHECK(trace.copies.kind[0] == CopyKind::host_to_device);
      CHECK(counted(trace, "whose size was not recorded") == 1);
      REQUIRE(trace.nvtx.size() == 2);
      CHECK(trace.text(trace.nvtx.text[0]).starts_with("Pad, name = tower/pad, device = /job:"));
      CHECK(trace.text(trace.nvtx.text[0]).ends_with(", inputs = [images]"));
    }
  }
}

TEST_CASE("a TensorFlow timeline tells where its ops ran") {
  const Trace trace = imported(run("/job:a/task:0/device:CPU:0", "/job:a/task:0/device:GPU:0", "/device:GPU:0"));
  REQUIRE(trace.has(Table::op_placements));
  REQUIRE(trace.op_placements.size() == 2);
  CHECK(trace.op_placements[0].op_name == "tower/pad");
  CHECK(trace.op_placements[0].op_type == "Pad");
  CHECK(trace.op_placements[0].device == "/job:a/task:0/device:CPU:0");
  CHECK(trace.op_placements[0].requested_device.empty());
}

TEST_CASE("stream:all alone is read, and equal kernels of one stream stay apart") {
  const Trace all = imported(timeline(track(3, "/device:GPU:1/stream:all Compute") + op(3, 0, 10, 5, "Conv2D", "a") + op(3, 0, 20, 5, "Conv2D", "b")));
  REQUIRE(all.kernels.size() == 2);
  CHECK(all.kernels.device[0].value == 1);
  const std::string twice = op(4, 0, 10, 5, "Conv2D", "a") + op(4, 0, 10, 5, "Conv2D", "a");
  const Trace streams = imported(timeline(track(3, "/device:GPU:0/stream:all Compute") + track(4, "/device:GPU:0/stream:7 Compute") + twice));
  CHECK(streams.kernels.size() == 2);
}

TEST_CASE("GPU 0 of two tasks is two GPUs") {
  const Trace trace = imported(timeline(track(1, "/job:worker/task:0/device:GPU:0/stream:all Compute") + track(2, "/job:worker/task:1/device:GPU:0/stream:all Compute") +
                                        op(1, 0, 10, 5, "Conv2D", "a") + op(2, 0, 11, 5, "Conv2D", "a")));
  REQUIRE(trace.kernels.size() == 2);
  CHECK(trace.kernels.device[0] != trace.kernels.device[1]);
}

TEST_CASE("a timeline without GPU tracks has no kernels table, and events without times are counted") {
  const Trace trace = imported(timeline(track(1, "/job:a/task:0/device:CPU:0 Compute") + op(1, 0, 10, 5, "Conv2D", "a") +
                                        R"({"ph":"X","cat":"Op","name":"x","pid":1,"tid":0,"args":{}},)"));
  CHECK_FALSE(trace.has(Table::kernels));
  CHECK(trace.nvtx.size() == 1);
  CHECK(counted(trace, "range events without a start or an end") == 1);
}

}  // namespace
}  // namespace gputrace::trace
