#include "trainer/memory_plan.h"

#include <catch2/catch.hpp>

#include "graph_check.h"
#include "trainer/models/model.h"

using namespace trainer;

TEST_CASE("temporaries that are never alive at once share memory") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({64});  // 256 bytes
  Tensor* a = negate(graph, x);
  Tensor* b = negate(graph, a);
  Tensor* c = negate(graph, b);
  const MemoryPlan plan = plan_memory(graph.ops());
  CHECK(plan.size_bytes == 512);
  CHECK_FALSE(plan.offset_bytes.contains(x));
  CHECK(plan.offset_bytes.at(a) == plan.offset_bytes.at(c));
  CHECK(plan.offset_bytes.at(a) != plan.offset_bytes.at(b));
}

TEST_CASE("a tensor that is read late keeps its place") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({64});
  Tensor* a = negate(graph, x);
  Tensor* b = negate(graph, a);
  Tensor* c = negate(graph, b);
  Tensor* d = add(graph, c, a);
  const MemoryPlan plan = plan_memory(graph.ops());
  CHECK(plan.size_bytes == 3 * 256);  // a, c and d at the last op; b's place is free by then
  for (Tensor* other : {b, c, d}) CHECK(plan.offset_bytes.at(a) != plan.offset_bytes.at(other));
  CHECK(plan.offset_bytes.at(d) == plan.offset_bytes.at(b));
}

TEST_CASE("freed neighbours join to take a larger tensor") {
  Graph graph("test", test::gpu(0));
  Tensor* small = graph.persistent({64});
  Tensor* a = negate(graph, small);
  Tensor* b = negate(graph, a);
  negate(graph, b);  // a and b are free from here on
  Tensor* large = graph.persistent({128});
  Tensor* y = negate(graph, large);
  const MemoryPlan plan = plan_memory(graph.ops());
  CHECK(plan.offset_bytes.at(y) == 0);
}

TEST_CASE("no two live tensors of the residual network overlap") {
  Graph graph("tower", test::gpu(0));
  ResnetShape shape;
  shape.batch = 2;
  shape.image_size = 8;
  build_resnet(graph, shape, {});
  const MemoryPlan plan = plan_memory(graph.ops());

  std::map<Tensor*, std::pair<std::size_t, std::size_t>> lives;
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    for (Tensor* tensor : graph.ops()[i].outputs) lives.try_emplace(tensor, i, i);
    for (Tensor* tensor : graph.ops()[i].inputs)
      if (lives.contains(tensor)) lives[tensor].second = i;
  }
  std::size_t sum = 0, overlaps = 0;
  for (const auto& [a, a_at] : plan.offset_bytes) {
    sum += a->shape.size_bytes();
    for (const auto& [b, b_at] : plan.offset_bytes) {
      if (a == b || lives[a].second < lives[b].first || lives[b].second < lives[a].first) continue;
      if (a_at < b_at + b->shape.size_bytes() && b_at < a_at + a->shape.size_bytes()) ++overlaps;
    }
  }
  CHECK(overlaps == 0);
  CHECK(plan.size_bytes < sum / 2);
}

TEST_CASE("no ops need no memory") { CHECK(plan_memory({}).size_bytes == 0); }
