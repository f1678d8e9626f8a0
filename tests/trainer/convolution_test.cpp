#include <catch2/catch.hpp>
#include <map>

#include "graph_check.h"
#include "trainer/convolution_arithmetic.h"
#include "trainer/kernel_names.h"
#include "trainer/ops/ops.h"

using namespace trainer;
using trainer::test::largest_gradient_error;

namespace {

constexpr double kTolerance = 5e-3;

auto convolution_of(std::int64_t stride, PaddingStyle style) {
  return
      [=](Graph& g, const std::vector<Tensor*>& v) { return convolution(g, v[0], v[1], stride, 1, style); };
}

std::map<std::string, int> ops_by_type(std::int64_t stride, PaddingStyle style) {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({2, 6, 6, 3});
  Tensor* filter = graph.persistent({3, 3, 3, 4});
  x->differentiable = filter->differentiable = true;
  Tensor* y = convolution(graph, x, filter, stride, 1, style);
  graph.backward(y, graph.persistent(y->shape));
  std::map<std::string, int> count;
  for (const Op& op : graph.ops()) ++count[op.type];
  return count;
}

}  // namespace

TEST_CASE("gradients of convolutions") {
  const std::vector<Shape> shapes = {{2, 6, 5, 3}, {3, 3, 3, 4}};
  for (const PaddingStyle style : {PaddingStyle::explicit_ops, PaddingStyle::fused}) {
    CHECK(largest_gradient_error(shapes, convolution_of(1, style)) < kTolerance);
    CHECK(largest_gradient_error(shapes, convolution_of(2, style)) < kTolerance);
  }
}

TEST_CASE("explicit and fused padding compute the same") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({1, 8, 8, 16});
  Tensor* filter = graph.persistent({3, 3, 16, 16});
  Tensor* with_ops = convolution(graph, x, filter, 2, 1, PaddingStyle::explicit_ops);
  Tensor* fused = convolution(graph, x, filter, 2, 1, PaddingStyle::fused);
  test::GraphRun run(graph);
  for (std::int64_t i = 0; i < x->elements(); ++i) x->data[i] = static_cast<float>(i % 7) - 3;
  for (std::int64_t i = 0; i < filter->elements(); ++i) filter->data[i] = static_cast<float>(i % 5) - 2;
  run.run();
  REQUIRE(with_ops->shape == Shape{1, 4, 4, 16});
  for (std::int64_t i = 0; i < fused->elements(); ++i)
    CHECK(with_ops->data[i] == Approx(fused->data[i]).margin(1e-4));
}

TEST_CASE("a convolution by hand") {
  const ConvolutionGeometry geometry{1, 3, 3, 1, 3, 1, 1, 1};
  ConvolutionArithmetic forward(ConvolutionPass::forward, geometry);
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9}, filter = {0, 0, 0, 0, 1, 1, 0, 0, 0};
  std::vector<float> y(9);
  forward.run(x.data(), filter.data(), y.data());
  CHECK(y == std::vector<float>{3, 5, 3, 9, 11, 6, 15, 17, 9});  // each pixel plus its right neighbour
  CHECK(geometry.flops() == 2 * 9 * 9);
}

TEST_CASE("explicit padding is an op before the convolution and before the input gradient of stride 1") {
  using Counts = std::map<std::string, int>;
  CHECK(ops_by_type(1, PaddingStyle::explicit_ops) ==
        Counts{{"Pad", 2}, {"Conv2D", 1}, {"Conv2DBackpropInput", 1}, {"Conv2DBackpropFilter", 1}});
  CHECK(
      ops_by_type(2, PaddingStyle::explicit_ops) ==
      Counts{
          {"Pad", 1}, {"Conv2D", 1}, {"Conv2DBackpropInput", 1}, {"Conv2DBackpropFilter", 1}, {"Slice", 1}});
  CHECK(ops_by_type(1, PaddingStyle::fused) ==
        Counts{{"Conv2D", 1}, {"Conv2DBackpropInput", 1}, {"Conv2DBackpropFilter", 1}});
}

TEST_CASE("padding adds no arithmetic to what a convolution counts") {
  for (const PaddingStyle style : {PaddingStyle::explicit_ops, PaddingStyle::fused}) {
    Graph graph("test", test::gpu(0));
    Tensor* x = graph.persistent({2, 6, 6, 3});
    Tensor* filter = graph.persistent({3, 3, 3, 4});
    x->differentiable = filter->differentiable = true;
    Tensor* y = convolution(graph, x, filter, 1, 1, style);
    graph.backward(y, graph.persistent(y->shape));
    for (const Op& op : graph.ops()) {
      if (op.type.starts_with("Conv2D")) CHECK(op.flops == 2.0 * 27 * 2 * 36 * 4);
    }
  }
}
