#include <catch2/catch.hpp>

#include "tests/trace/imported.h"
#include "trace/placement_line.h"

namespace gputrace::trace {
namespace {

using namespace tests;

constexpr char kPrefix[] = "2019-05-01 10:00:00.123456: I tensorflow/core/common_runtime/placer.cc:54] ";

TEST_CASE("each spelling of a placement says the op, its type and its device") {
  struct Spelling {
    const char *line, *name, *type, *requested, *device;
  };
  const Spelling spellings[] = {
      {"conv1/Conv2D: /job:localhost/replica:0/task:0/gpu:0", "conv1/Conv2D", "", "", "/job:localhost/replica:0/task:0/gpu:0"},
      {"conv1/Conv2D: /job:localhost/replica:0/task:0/device:GPU:0", "conv1/Conv2D", "", "", "/job:localhost/replica:0/task:0/device:GPU:0"},
      {"conv1/Conv2D: (Conv2D): /job:localhost/replica:0/task:0/gpu:0", "conv1/Conv2D", "Conv2D", "", "/job:localhost/replica:0/task:0/gpu:0"},
      {"conv1/Conv2D: (Conv2D): /job:localhost/replica:0/task:0/device:CPU:0", "conv1/Conv2D", "Conv2D", "", "/job:localhost/replica:0/task:0/device:CPU:0"},
      {"conv1/Conv2D: (Conv2D)/job:localhost/replica:0/task:0/cpu:0", "conv1/Conv2D", "Conv2D", "", "/job:localhost/replica:0/task:0/cpu:0"},
      {"Executing op Conv2D in device /job:localhost/replica:0/task:0/device:GPU:0", "Conv2D", "Conv2D", "", "/job:localhost/replica:0/task:0/device:GPU:0"},
      {"  conv1/Conv2D (Conv2D) /device:GPU:0", "conv1/Conv2D", "Conv2D", "/device:GPU:0", ""},
      {"  conv1/Conv2D (Conv2D) /device:GPU:0 framework assigned device=/job:a/task:0/device:CPU:0", "conv1/Conv2D", "Conv2D", "/device:GPU:0", "/job:a/task:0/device:CPU:0"}};
  for (const Spelling& spelling : spellings) {
    for (const std::string& prefix : {std::string(), std::string(kPrefix)}) {
      INFO(prefix + spelling.line);
      const auto placement = parse_placement_line(prefix + spelling.line);
      REQUIRE(placement);
      CHECK(placement->op_name == spelling.name);
      CHECK(placement->op_type == spelling.type);
      CHECK(placement->requested_device == spelling.requested);
      CHECK(placement->device == spelling.device);
    }
  }
}

TEST_CASE("lines of a log that are no placement are none") {
  for (const char* line : {"", "hello", "step 5: loss 0.3", "conv1: (Conv2D): somewhere", "error: /dev/null not found", "name (type) text",
                           "Executing op Conv2D in device", "a: /job:x is the job", "(x): /gpu:0: y"})
    CHECK_FALSE(parse_placement_line(line));
}

TEST_CASE("a placement log becomes the table of op placements, with what was asked for where the log says it") {
  const Trace trace = imported(std::string("starting\nDevice mapping:\n") +
                               "/job:localhost/replica:0/task:0/device:GPU:1 -> device: 1, name: GeForce GTX 1060 6GB, pci bus id: 0000:02:00.0, compute capability: 6.1\r\n" +
                               kPrefix + "tower_1/MatMul: (MatMul): /job:localhost/replica:0/task:0/device:CPU:0\n" +
                               kPrefix + "tower_1/MatMul: (MatMul): /job:localhost/replica:0/task:0/device:CPU:0\n" +
                               "  tower_1/MatMul (MatMul) /device:GPU:1\n" + "tower_1/add: (Add): /job:localhost/replica:0/task:0/device:GPU:1");
  CHECK(trace.metadata.producer == "TensorFlow placement log");
  REQUIRE(trace.op_placements.size() == 2);
  CHECK(trace.op_placements[0].requested_device == "/device:GPU:1");
  CHECK(trace.op_placements[0].device == "/job:localhost/replica:0/task:0/device:CPU:0");
  CHECK(trace.op_placements[1].requested_device.empty());
  REQUIRE(trace.gpus.size() == 1);
  CHECK(trace.gpus[0].device.value == 1);
  CHECK(trace.gpus[0].name == "GeForce GTX 1060 6GB");
  CHECK(trace.gpus[0].bus_location == "0000:02:00.0");
  CHECK(trace.gpus[0].compute_major == 6);
  CHECK(counted(trace, "place no op") == 2);
  CHECK_FALSE(trace.has(Table::kernels));
}

TEST_CASE("a line of many megabytes is cut, and the log goes on") {
  const Trace trace = imported("a: (Add): /device:GPU:0\n" + std::string(3 << 20, 'x') + "\nb: (Add): /device:GPU:0\n");
  CHECK(trace.op_placements.size() == 2);
  CHECK(counted(trace, "over 1 MiB") == 1);
}

}  // namespace
}  // namespace gputrace::trace
