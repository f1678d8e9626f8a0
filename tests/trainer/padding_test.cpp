#include <catch2/catch.hpp>

#include "graph_check.h"
#include "trainer/kernel_names.h"
#include "trainer/ops/ops.h"

using namespace trainer;
using trainer::test::largest_gradient_error;

namespace {
constexpr double kTolerance = 5e-3;
std::vector<float> values(const Tensor* tensor) { return {tensor->data, tensor->data + tensor->elements()}; }
}  // namespace

TEST_CASE("gradients of padding and striding") {
  const Paddings uneven = {{{0, 1}, {1, 2}, {0, 1}, {2, 0}}};
  CHECK(largest_gradient_error({{2, 3, 2, 2}}, [&](Graph& g, auto v) { return pad(g, v[0], uneven); }) <
        kTolerance);
  CHECK(largest_gradient_error({{2, 5, 4, 2}}, [](Graph& g, auto v) { return strided_slice(g, v[0], 2); }) <
        kTolerance);
}

TEST_CASE("padding writes zeros around, a slice cuts them off again") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({1, 1, 2, 1});
  const Paddings border = {{{0, 0}, {1, 1}, {1, 0}, {0, 0}}};
  Tensor* y = pad(graph, x, border);
  Tensor* back = slice(graph, y, border);
  test::GraphRun run(graph);
  std::copy_n(std::vector<float>{5, 6}.data(), 2, x->data);
  run.run();
  CHECK(y->shape == Shape{1, 3, 3, 1});
  CHECK(values(y) == std::vector<float>{0, 0, 0, 0, 5, 6, 0, 0, 0});
  CHECK(values(back) == values(x));
}

TEST_CASE("a strided slice takes every second pixel, the last one too where the size is odd") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({1, 3, 3, 1});
  Tensor* y = strided_slice(graph, x, 2);
  test::GraphRun run(graph);
  for (int i = 0; i < 9; ++i) x->data[i] = static_cast<float>(i);
  run.run();
  CHECK(values(y) == std::vector<float>{0, 2, 6, 8});
}

TEST_CASE("index arithmetic of padding stops at the dimension that is padding") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({1, 1, 1, 1});
  // No border: every coefficient takes all four dimensions.
  pad(graph, x, {});
  CHECK(graph.ops().back().kernels[0].work.index_ops == 4);
  // One row above: its coefficient is known to be zero after the second dimension.
  pad(graph, x, {{{0, 0}, {1, 0}, {0, 0}, {0, 0}}});
  CHECK(graph.ops().back().kernels[0].work.index_ops == 4 + 2);
  CHECK(graph.ops().back().kernels[0].mangled_name == kernel_names::kPad);
}
