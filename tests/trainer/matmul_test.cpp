#include <catch2/catch.hpp>

#include "graph_check.h"
#include "trainer/ops/ops.h"

using namespace trainer;
using trainer::test::largest_gradient_error;

namespace {
constexpr double kTolerance = 5e-3;
std::vector<float> values(const Tensor* tensor) { return {tensor->data, tensor->data + tensor->elements()}; }
}  // namespace

TEST_CASE("gradient of a matrix product") {
  CHECK(largest_gradient_error({{4, 3}, {3, 5}}, [](Graph& g, auto v) { return matmul(g, v[0], v[1]); }) <
        kTolerance);
}

TEST_CASE("matrix products by hand, plain and transposed") {
  Graph graph("test", test::gpu(0));
  Tensor* a = graph.persistent({2, 3});
  Tensor* b = graph.persistent({3, 2});
  Tensor* plain = matmul(graph, a, b);
  Tensor* a_turned = matmul(graph, a, plain, true, false);  // [3, 2]
  Tensor* b_turned = matmul(graph, plain, b, false, true);  // [2, 3]
  test::GraphRun run(graph);
  std::copy_n(std::vector<float>{1, 2, 3, 4, 5, 6}.data(), 6, a->data);
  std::copy_n(std::vector<float>{1, 0, 0, 1, 1, 1}.data(), 6, b->data);
  run.run();
  CHECK(values(plain) == std::vector<float>{4, 5, 10, 11});
  CHECK(values(a_turned) == std::vector<float>{44, 49, 58, 65, 72, 81});
  CHECK(values(b_turned) == std::vector<float>{4, 5, 9, 10, 11, 21});
  CHECK(graph.ops()[0].flops == 2 * 2 * 3 * 2);
  CHECK(graph.ops()[0].kernels[0].work.kind == WorkKind::matmul);
}

TEST_CASE("a higher rank is rows of the last dimension") {
  Graph graph("test", test::gpu(0));
  Tensor* y = matmul(graph, graph.persistent({2, 5, 3}), graph.persistent({3, 4}));
  CHECK(y->shape == Shape{10, 4});
}
