#include <catch2/catch.hpp>

#include "graph_check.h"
#include "trainer/ops/ops.h"

using namespace trainer;

TEST_CASE("an op's annotation tells its type, name, devices and sizes") {
  Graph graph("tower_0", {.requested = "/gpu:0", .device = "/cpu:0", .on_gpu = false});
  const Graph::Scope block(graph, "block_1");
  Tensor* input = graph.persistent({32000, 1000});
  Tensor* weights = graph.persistent({1000, 1000});
  input->name = "input";
  weights->name = "block_1/weights";
  relu(graph, matmul(graph, input, weights));
  CHECK(graph.ops()[0].annotation ==
        "MatMul, name = tower_0/block_1/MatMul, requested = /gpu:0, device = /cpu:0, "
        "inputs = [input, block_1/weights], sizes = [[32000, 1000], [1000, 1000]]");
  CHECK(graph.ops()[1].annotation.find("inputs = [tower_0/block_1/MatMul]") != std::string::npos);
}

TEST_CASE("a scalar's size is an empty list, an op without inputs has none") {
  Graph graph("t", test::gpu(1));
  fill(graph, {2}, 0);
  CHECK(graph.ops()[0].annotation ==
        "Fill, name = t/Fill, requested = /gpu:1, device = /gpu:1, inputs = [], sizes = []");
  add_scalar(graph, graph.persistent({}), 1);
  CHECK(graph.ops()[1].annotation.ends_with("sizes = [[]]"));
}

TEST_CASE("names are unique and scopes nest") {
  Graph graph("tower_2", test::gpu(2));
  Tensor* x = graph.persistent({1});
  negate(graph, x);
  negate(graph, x);
  {
    const Graph::Scope outer(graph, "a");
    const Graph::Scope inner(graph, "b");
    negate(graph, x);
  }
  negate(graph, x);
  CHECK(graph.ops()[0].name == "tower_2/Neg");
  CHECK(graph.ops()[1].name == "tower_2/Neg_1");
  CHECK(graph.ops()[2].name == "tower_2/a/b/Neg");
  CHECK(graph.ops()[3].name == "tower_2/Neg_2");
}

TEST_CASE("an op on a GPU has kernels, the same op on the host has host work") {
  for (const bool on_gpu : {true, false}) {
    Graph graph("t", on_gpu ? test::gpu(0) : test::host());
    negate(graph, graph.persistent({4}));
    const Op& op = graph.ops()[0];
    CHECK(op.kernels.empty() != on_gpu);
    CHECK(static_cast<bool>(op.host_work.arithmetic) != on_gpu);
    if (!on_gpu) CHECK(op.host_work.work.bytes == 2 * 4 * 4);
  }
}

TEST_CASE("what depends on no variable has no gradient, and costs no op") {
  Graph graph("t", test::gpu(0));
  Tensor* data = graph.persistent({4});
  Tensor* variable = graph.persistent({4});
  variable->differentiable = true;
  Tensor* y = multiply(graph, negate(graph, data), variable);
  graph.backward(y, graph.persistent({4}));
  CHECK(graph.gradient(data) == nullptr);
  CHECK(graph.gradient(variable) != nullptr);
  CHECK(graph.ops().size() == 3);  // Neg, Mul, and one Mul backward
}
