#include <catch2/catch.hpp>

#include "graph_check.h"
#include "trainer/ops/ops.h"

using namespace trainer;
using trainer::test::largest_gradient_error;

namespace {
constexpr double kTolerance = 5e-3;
std::vector<float> values(const Tensor* tensor) { return {tensor->data, tensor->data + tensor->elements()}; }
}  // namespace

TEST_CASE("gradients of reductions") {
  const std::vector<Shape> image = {{2, 3, 2, 4}};
  CHECK(largest_gradient_error(image, [](Graph& g, auto v) { return mean_over_rows(g, v[0]); }) < kTolerance);
  CHECK(largest_gradient_error(image, [](Graph& g, auto v) { return mean_of_all(g, v[0]); }) < kTolerance);
  CHECK(largest_gradient_error(image, [](Graph& g, auto v) { return global_average_pool(g, v[0]); }) <
        kTolerance);
}

TEST_CASE("the gradient of a mean is a tile and a division, as TensorFlow's") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({2, 3, 2, 4});
  x->differentiable = true;
  Tensor* y = mean_over_rows(graph, x);
  graph.backward(y, graph.persistent(y->shape));
  REQUIRE(graph.ops().size() == 3);
  CHECK(graph.ops()[1].type == "Tile");
  CHECK(graph.ops()[2].type == "RealDiv");
  // Each output coefficient is found by a division per dimension.
  CHECK(graph.ops()[1].kernels[0].work.index_ops == Approx(48 * 4));
}

TEST_CASE("tiles repeat a scalar, a vector over rows, and a picture's channels over its pixels") {
  Graph graph("test", test::gpu(0));
  Tensor* scalar = graph.persistent({});
  Tensor* vector = graph.persistent({2});
  Tensor* channels = graph.persistent({2, 2});
  Tensor* a = tile(graph, scalar, {3});
  Tensor* b = tile(graph, vector, {2, 2});
  Tensor* c = tile(graph, channels, {2, 1, 2, 2});
  test::GraphRun run(graph);
  scalar->data[0] = 7;
  std::copy_n(std::vector<float>{1, 2}.data(), 2, vector->data);
  std::copy_n(std::vector<float>{1, 2, 3, 4}.data(), 4, channels->data);
  run.run();
  CHECK(values(a) == std::vector<float>{7, 7, 7});
  CHECK(values(b) == std::vector<float>{1, 2, 1, 2});
  CHECK(values(c) == std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4});
}

TEST_CASE("a mean over many rows keeps its digits") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({1 << 20, 1});
  Tensor* y = mean_over_rows(graph, x);
  test::GraphRun run(graph);
  std::fill_n(x->data, x->elements(), 0.1F);
  run.run();
  CHECK(y->data[0] == 0.1F);
}
