#include <catch2/catch.hpp>
#include <cmath>

#include "graph_check.h"
#include "trainer/ops/ops.h"

using namespace trainer;

TEST_CASE("momentum: two updates by hand") {
  Graph graph("test", test::host());
  Tensor* variable = graph.persistent({1});
  Tensor* accumulator = graph.persistent({1});
  Tensor* gradient = graph.persistent({1});
  apply_momentum(graph, variable, accumulator, gradient, 0.1F, 0.9F);
  test::GraphRun run(graph);
  variable->data[0] = 1;
  accumulator->data[0] = 0;
  gradient->data[0] = 2;
  run.run();
  CHECK(variable->data[0] == Approx(1 - 0.1 * 2));
  run.run();  // the accumulator is 0.9 * 2 + 2
  CHECK(variable->data[0] == Approx(0.8 - 0.1 * 3.8));
}

TEST_CASE("Adam: two updates by hand") {
  Graph graph("test", test::host());
  Tensor* variable = graph.persistent({1});
  Tensor* m = graph.persistent({1});
  Tensor* v = graph.persistent({1});
  Tensor* gradient = graph.persistent({1});
  Tensor* step = graph.persistent({});
  apply_adam(graph, variable, m, v, gradient, {.learning_rate = 0.1F, .beta1 = 0.5F, .beta2 = 0.9F}, step);
  advance_step(graph, step);
  test::GraphRun run(graph);
  variable->data[0] = 1;
  m->data[0] = v->data[0] = step->data[0] = 0;
  gradient->data[0] = 3;
  run.run();  // bias correction makes the first step the learning rate, whatever the gradient
  CHECK(variable->data[0] == Approx(0.9));
  gradient->data[0] = -1;
  run.run();
  // m = 0.5 * 1.5 - 0.5, v = 0.9 * 0.9 + 0.1; corrected by 1 - 0.25 and 1 - 0.81.
  const double second_m = 0.25 / 0.75, second_v = 0.91 / 0.19;
  CHECK(variable->data[0] == Approx(0.9 - 0.1 * second_m / std::sqrt(second_v)));
  CHECK(step->data[0] == 2);
}

TEST_CASE("clipping by global norm scales all gradients together, and only above the limit") {
  const float limit = GENERATE(4.99F, 5.0F, 5.01F);
  Graph graph("test", test::host());
  Tensor* a = graph.persistent({1});
  Tensor* b = graph.persistent({2});
  const std::vector<Tensor*> clipped = clip_by_global_norm(graph, {a, b}, limit);
  test::GraphRun run(graph);
  a->data[0] = 3;
  b->data[0] = 0;
  b->data[1] = -4;  // the norm over both is 5
  run.run();
  const double scale = limit < 5 ? static_cast<double>(limit) / 5 : 1;
  CHECK(clipped[0]->data[0] == Approx(3 * scale));
  CHECK(clipped[1]->data[1] == Approx(-4 * scale));
}

TEST_CASE("gradients of zero are not scaled") {
  Graph graph("test", test::host());
  Tensor* a = graph.persistent({1});
  const std::vector<Tensor*> clipped = clip_by_global_norm(graph, {a}, 5);
  test::GraphRun run(graph);
  a->data[0] = 0;
  run.run();
  CHECK(clipped[0]->data[0] == 0);
}

TEST_CASE("towers are averaged, one tower's gradient is taken as it is") {
  Graph graph("test", test::host());
  Tensor* first = graph.persistent({2});
  CHECK(average(graph, {first}) == first);
  CHECK(graph.ops().empty());
  Tensor* second = graph.persistent({2});
  Tensor* mean = average(graph, {first, second});
  test::GraphRun run(graph);
  std::copy_n(std::vector<float>{1, 2}.data(), 2, first->data);
  std::copy_n(std::vector<float>{3, -2}.data(), 2, second->data);
  run.run();
  CHECK(mean->data[0] == 2);
  CHECK(mean->data[1] == 0);
}
