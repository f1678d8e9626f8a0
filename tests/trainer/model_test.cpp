#include "trainer/models/model.h"

#include <catch2/catch.hpp>
#include <map>

#include "graph_check.h"

using namespace trainer;

TEST_CASE("gradient of batch norm, through the batch's mean and variance") {
  const auto normalize = [](Graph& g, const std::vector<Tensor*>& v) {
    return batch_norm(g, v[0], v[1], v[2]);
  };
  CHECK(test::largest_gradient_error({{4, 2, 2, 3}, {3}, {3}}, normalize) < 5e-3);
}

TEST_CASE("batch norm leaves a mean of offset and a deviation of scale") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({4, 1});
  Tensor* scale = graph.persistent({1});
  Tensor* offset = graph.persistent({1});
  Tensor* y = batch_norm(graph, x, scale, offset);
  test::GraphRun run(graph);
  std::copy_n(std::vector<float>{-30, -10, 10, 30}.data(), 4, x->data);  // deviation sqrt(500)
  scale->data[0] = 2;
  offset->data[0] = 5;
  run.run();
  CHECK(y->data[0] == Approx(5 - 2 * 30 / std::sqrt(500.0)).epsilon(1e-4));
  CHECK(y->data[2] == Approx(5 + 2 * 10 / std::sqrt(500.0)).epsilon(1e-4));
}

TEST_CASE("a channel without variance stays finite") {
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent({3, 1});
  Tensor* y = batch_norm(graph, x, graph.persistent({1}), graph.persistent({1}));
  test::GraphRun run(graph);
  for (Tensor* tensor : {x, graph.ops()[4].outputs[0]}) std::fill_n(tensor->data, tensor->elements(), 1.0F);
  for (const Op& op : graph.ops()) {
    for (Tensor* input : op.inputs)
      if (input->persistent) std::fill_n(input->data, input->elements(), 1.0F);
  }
  run.run();
  CHECK(y->data[0] == Approx(1));
}

TEST_CASE(
    "the residual network has 18 layers of weights and 17 batch norms, 26.5 GFLOP of convolutions a step") {
  Graph graph("tower_0", test::gpu(0));
  const Model model = build_resnet(graph, {}, {});
  std::map<std::string, int> variables;
  for (const Variable& variable : model.variables)
    ++variables[variable.name.substr(variable.name.rfind('/') + 1)];
  CHECK(variables == std::map<std::string, int>{
                         {"filter", 17}, {"scale", 17}, {"offset", 17}, {"weights", 1}, {"bias", 1}});

  double convolution_flops = 0;
  std::map<std::string, int> ops;
  for (const Op& op : graph.ops()) {
    ++ops[op.type];
    if (op.type.starts_with("Conv2D")) convolution_flops += op.flops;
  }
  CHECK(convolution_flops == Approx(26.5e9).epsilon(0.02));
  CHECK(ops["Conv2D"] == 17);
  CHECK(ops["Conv2DBackpropInput"] == 16);  // the first layer's input needs none
  CHECK(ops["Tile"] == 2 * 17 + 1 + 1);     // two means per batch norm, the pooling, the loss
  CHECK(model.loss->shape.elements() == 1);
  for (const Variable& variable : model.variables) CHECK(variable.gradient->shape == variable.value->shape);
}

TEST_CASE("the residual network's gradient agrees with a finite difference along it") {
  Graph graph("tower_0", test::gpu(0));
  const Model model =
      build_resnet(graph, {.batch = 4, .image_size = 8, .first_filters = 4, .stages = 2, .classes = 3},
                   {});
  test::GraphRun run(graph);
  const auto wave = [](Tensor& tensor, double frequency, float mean, float size) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.data[i] = mean + size * static_cast<float>(std::sin(frequency * static_cast<double>(i + 1)));
    }
  };
  wave(*model.input, 1.7, 0, 1);
  for (int i = 0; i < 4; ++i) model.labels->data[i] = static_cast<float>(i % 3);
  double frequency = 0.9;
  for (const Variable& variable : model.variables)
    wave(*variable.value, frequency += 0.37, variable.initial_mean, 0.2F);
  run.run();

  double square = 0;
  std::vector<std::vector<float>> gradients;
  for (const Variable& variable : model.variables) {
    gradients.emplace_back(variable.gradient->data, variable.gradient->data + variable.gradient->elements());
    for (const float value : gradients.back())
      square += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto loss_at = [&](double distance) {
    for (std::size_t v = 0; v < gradients.size(); ++v) {
      for (std::size_t i = 0; i < gradients[v].size(); ++i) {
        model.variables[v].value->data[i] +=
            static_cast<float>(distance * static_cast<double>(gradients[v][i]));
      }
    }
    run.run();
    return static_cast<double>(model.loss->data[0]);
  };
  const double h = 2e-3 / std::sqrt(square);
  const double above = loss_at(h), below = loss_at(-2 * h);
  CHECK((above - below) / (2 * h) == Approx(square).epsilon(0.03));
}

TEST_CASE("the MLP has 17 large matrix products a step") {
  Graph graph("tower_0", test::gpu(0));
  build_mlp(graph, {});
  double flops = 0;
  int products = 0;
  for (const Op& op : graph.ops()) {
    if (op.type != "MatMul") continue;
    ++products;
    flops += op.flops;
  }
  CHECK(products == 17);
  CHECK(flops == 17 * 128e9);
}
