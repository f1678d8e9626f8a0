#include <catch2/catch.hpp>
#include <cmath>

#include "graph_check.h"
#include "trainer/ops/ops.h"

using namespace trainer;

namespace {

struct Fixture {
  Graph graph{"test", test::gpu(0)};
  Tensor* logits = graph.persistent({2, 3});
  Tensor* labels = graph.persistent({2});
  Tensor* loss = nullptr;
  Tensor* gradient = nullptr;
  std::unique_ptr<test::GraphRun> run;

  Fixture() {
    logits->differentiable = true;
    loss = softmax_cross_entropy(graph, logits, labels);
    graph.backward(loss, fill(graph, {}, 1));
    gradient = graph.gradient(logits);
    run = std::make_unique<test::GraphRun>(graph);
  }
};

}  // namespace

TEST_CASE("cross-entropy of equal logits is the logarithm of the number of classes") {
  Fixture f;
  std::fill_n(f.logits->data, 6, 2.0F);
  f.labels->data[0] = 0;
  f.labels->data[1] = 2;
  f.run->run();
  CHECK(f.loss->data[0] == Approx(std::log(3.0)));
  CHECK(f.gradient->data[0] == Approx((1.0 / 3 - 1) / 2));  // (softmax - 1) / rows
  CHECK(f.gradient->data[1] == Approx(1.0 / 3 / 2));
}

TEST_CASE("cross-entropy agrees with its finite differences") {
  Fixture f;
  const std::vector<float> start = {0.3F, -1, 2, 0.5F, 0, -0.7F};
  f.labels->data[0] = 1;
  f.labels->data[1] = 0;
  std::copy(start.begin(), start.end(), f.logits->data);
  f.run->run();
  const std::vector<float> gradient(f.gradient->data, f.gradient->data + 6);
  for (std::size_t i = 0; i < 6; ++i) {
    f.logits->data[i] = start[i] + 0.01F;
    f.run->run();
    const double above = static_cast<double>(f.loss->data[0]);
    f.logits->data[i] = start[i] - 0.01F;
    f.run->run();
    const double below = static_cast<double>(f.loss->data[0]);
    f.logits->data[i] = start[i];
    CHECK((above - below) / 0.02 == Approx(static_cast<double>(gradient[i])).margin(1e-3));
  }
}

TEST_CASE("large logits neither overflow nor give a loss that is no number") {
  Fixture f;
  std::copy_n(std::vector<float>{1000, -1000, 0, -1e30F, 0, 1e30F}.data(), 6, f.logits->data);
  f.labels->data[0] = 0;
  f.labels->data[1] = 2;
  f.run->run();
  CHECK(f.loss->data[0] == Approx(0).margin(1e-6));
}
