#include <catch2/catch.hpp>

#include "graph_check.h"
#include "trainer/ops/ops.h"

using namespace trainer;
using trainer::test::largest_gradient_error;

namespace {

constexpr double kTolerance = 5e-3;  // of the largest gradient: float arithmetic, steps of 0.01

std::vector<float> values(const Tensor* tensor) { return {tensor->data, tensor->data + tensor->elements()}; }

}  // namespace

TEST_CASE("gradients of binary ops with operands of one shape") {
  const std::vector<Shape> shapes = {{3, 4}, {3, 4}};
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return add(g, v[0], v[1]); }) < kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return subtract(g, v[0], v[1]); }) <
        kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return multiply(g, v[0], v[1]); }) <
        kTolerance);
}

TEST_CASE("gradients of binary ops that broadcast a vector over rows") {
  const std::vector<Shape> shapes = {{2, 3, 2, 4}, {4}};
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return add(g, v[0], v[1]); }) < kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return subtract(g, v[0], v[1]); }) <
        kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return multiply(g, v[0], v[1]); }) <
        kTolerance);
}

TEST_CASE("gradients of unary ops") {
  const std::vector<Shape> shapes = {{3, 5}};
  // No value lies within a step of the kink at zero.
  CHECK(largest_gradient_error(
            shapes, [](Graph& g, auto v) { return relu(g, v[0]); }, 0.5, 2) < kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return sigmoid(g, v[0]); }) < kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return negate(g, v[0]); }) < kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return add_scalar(g, v[0], 3); }) < kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return multiply_scalar(g, v[0], -1.5F); }) <
        kTolerance);
  CHECK(largest_gradient_error(shapes, [](Graph& g, auto v) { return divide_scalar(g, v[0], 4); }) <
        kTolerance);
  CHECK(largest_gradient_error(
            shapes, [](Graph& g, auto v) { return reciprocal_square_root(g, v[0]); }, 2, 0.2) < kTolerance);
}

TEST_CASE("the squared difference takes its second operand as a constant") {
  Graph graph("test", test::gpu(0));
  Tensor* a = graph.persistent({2, 2});
  Tensor* b = graph.persistent({2});
  a->differentiable = b->differentiable = true;
  Tensor* y = squared_difference_to_constant(graph, a, b);
  Tensor* seed = graph.persistent({2, 2});
  graph.backward(y, seed);
  CHECK(graph.gradient(b) == nullptr);
  Tensor* gradient = graph.gradient(a);

  test::GraphRun run(graph);
  std::copy_n(std::vector<float>{1, 2, 3, 4}.data(), 4, a->data);
  std::copy_n(std::vector<float>{0, 1}.data(), 2, b->data);
  std::fill_n(seed->data, 4, 1.0F);
  run.run();
  CHECK(values(y) == std::vector<float>{1, 1, 9, 9});
  CHECK(values(gradient) == std::vector<float>{2, 2, 6, 6});
}

TEST_CASE("a ReLU passes nothing at and below zero") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({3});
  x->differentiable = true;
  Tensor* seed = fill(graph, {3}, 1);
  Tensor* y = relu(graph, x);
  graph.backward(y, seed);
  Tensor* gradient = graph.gradient(x);
  test::GraphRun run(graph);
  std::copy_n(std::vector<float>{-1e-6F, 0, 1e-6F}.data(), 3, x->data);
  run.run();
  CHECK(values(y) == std::vector<float>{0, 0, 1e-6F});
  CHECK(values(gradient) == std::vector<float>{0, 0, 1});
}

TEST_CASE("gradients that meet are summed") {
  const auto square_plus_itself_twice = [](Graph& g, const std::vector<Tensor*>& v) {
    return add(g, add(g, multiply(g, v[0], v[0]), v[0]), v[0]);
  };
  CHECK(largest_gradient_error({{2, 3}}, square_plus_itself_twice) < kTolerance);
}
