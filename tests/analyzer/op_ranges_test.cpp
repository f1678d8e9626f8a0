#include "analyzer/op_ranges.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;

TEST_CASE("an op's text gives its type, name, devices and sizes") {
  const auto op = parse_op_text(
      "MatMul, name = tower_0/block_1/MatMul, requested = /gpu:0, device = /cpu:0, inputs = [input, block_1/w], "
      "sizes = [[32000, 1000], [1000, 1000]]");
  REQUIRE(op);
  CHECK(op->type == "MatMul");
  CHECK(op->name == "tower_0/block_1/MatMul");
  CHECK(gpu_of(op->requested) == 0);
  CHECK(is_cpu(op->device));
  CHECK(op->inputs == std::vector<std::string>{"input", "block_1/w"});
  CHECK(input_bytes(*op, 1) == 4e6);
  CHECK(input_bytes(*op, 2) == 0);
  CHECK(op->sizes == std::vector<std::vector<std::int64_t>>{{32000, 1000}, {1000, 1000}});
}

TEST_CASE("PyTorch's own ranges are ops without devices") {
  const auto op = parse_op_text("aten::mm, op_id = 317177, sizes = [[2, 3], [3, 4]]");
  REQUIRE(op);
  CHECK(op->requested.empty());
  CHECK(op_work(*op).flops == 2.0 * 2 * 3 * 4);
}

TEST_CASE("ordinary range texts are no ops, and hostile ones are bounded") {
  CHECK_FALSE(parse_op_text("step 12"));
  CHECK_FALSE(parse_op_text("loading data, please wait"));
  CHECK_FALSE(parse_op_text("two words, name = x"));
  CHECK_FALSE(parse_op_text(""));
  std::string deep = "MatMul, sizes = " + std::string(100000, '[') + "1";
  CHECK(parse_op_text(deep)->sizes.size() <= 64);
  CHECK(parse_op_text("MatMul, sizes = [[99999999999999999999]]")->sizes.empty());
}

TEST_CASE("devices are read in the spellings of the frameworks") {
  CHECK(gpu_of("/job:worker/replica:0/task:0/device:GPU:3") == 3);
  CHECK(gpu_of("cuda:1") == 1);
  CHECK(gpu_of("/cpu:0") == -1);
  CHECK(is_cpu("/job:localhost/replica:0/task:0/device:CPU:0"));
}

TEST_CASE("work follows from sizes: matrix products with either side transposed, reductions, views") {
  const auto work = [](const char* text) { return op_work(*parse_op_text(text)); };
  CHECK(work("MatMul, sizes = [[5, 3], [3, 4]]").flops == 120);
  CHECK(work("MatMul, sizes = [[3, 5], [3, 4]]").flops == 120);
  CHECK(work("MatMul, sizes = [[5, 3], [4, 3]]").flops == 120);
  CHECK(work("MatMul, sizes = [[2, 5, 3], [3, 4]]").flops == 240);
  CHECK(work("MatMul, sizes = [[2, 5, 3], [10, 4]]").flops == 240);  // the gradient of the weights: rows of both sides
  CHECK(work("BatchMatMul, sizes = [[2, 5, 3], [2, 3, 4]]").flops == 240);
  CHECK(work("Sigmoid, sizes = [[100]]").bytes == 800);
  CHECK(work("Sum, sizes = [[100]]").bytes == 400);
  CHECK(work("Reshape, sizes = [[100]]").bytes == 0);
}

TEST_CASE("only ranges in the window are taken") {
  const auto trace = TraceBuilder{}
                         .range({.start = 0_ms, .end = 1_ms, .text = "Relu, name = a"})
                         .range({.start = 5_ms, .end = 6_ms, .text = "Relu, name = b"})
                         .range({.start = 6_ms, .end = 7_ms, .text = "not an op"})
                         .build();
  const OpRanges ops = find_op_ranges(trace, {2_ms, 10_ms});
  REQUIRE(ops.size() == 1);
  CHECK(ops.texts[ops.text[0]].name == "b");
}
