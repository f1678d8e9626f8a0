#include <fmt/format.h>

#include <cmath>

#include "trainer/models/model.h"

namespace trainer {

Model build_mlp(Graph& graph, const MlpShape& shape) {
  Model model;
  model.input = graph.persistent({shape.batch, shape.rows, shape.features});
  model.input->name = "input";
  const float deviation = std::sqrt(1.0F / static_cast<float>(shape.features));

  Tensor* x = model.input;
  for (int block = 0; block < shape.blocks; ++block) {
    const std::string name = fmt::format("block_{}", block + 1);
    const Graph::Scope within(graph, name);
    Tensor* weights =
        model.add_variable(graph, name + "/weights", {shape.features, shape.features}, 0, deviation);
    Tensor* bias = model.add_variable(graph, name + "/bias", {shape.features}, 0, 0);
    x = sigmoid(graph, add(graph, matmul(graph, x, weights), bias));
  }
  model.finish(graph, mean_of_all(graph, x));
  return model;
}

}  // namespace trainer
