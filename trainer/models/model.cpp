#include "trainer/models/model.h"

#include <utility>

namespace trainer {

Tensor* Model::add_variable(Graph& graph, std::string name, Shape shape, float initial_mean,
                            float initial_deviation) {
  Tensor* value = graph.persistent(std::move(shape));
  value->differentiable = true;
  value->name = name;
  variables.push_back({.name = std::move(name),
                       .value = value,
                       .initial_mean = initial_mean,
                       .initial_deviation = initial_deviation});
  return value;
}

void Model::finish(Graph& graph, Tensor* loss_value) {
  loss = loss_value;
  loss->persistent = true;
  graph.backward(loss, fill(graph, {}, 1));
  for (Variable& variable : variables) {
    variable.gradient = graph.gradient(variable.value);
    if (variable.gradient) variable.gradient->persistent = true;
  }
}

std::string mismatch(Layout layout, BatchNormStyle batch_norm) {
  const bool nhwc = layout == Layout::nhwc;
  if (nhwc && (batch_norm == BatchNormStyle::naive || batch_norm == BatchNormStyle::transposed))
    return "--batch-norm naive and transposed are ways to write it for --layout nchw";
  if (!nhwc && batch_norm == BatchNormStyle::unfused)
    return "--batch-norm unfused needs --layout nhwc; with nchw choose fused, naive or transposed";
  return {};
}

Tensor* batch_norm(Graph& graph, Tensor* x, Tensor* scale, Tensor* offset) {
  const auto mean_of = [&](Tensor* values) {
    return scale->shape.rank() == 4 ? mean_per_channel(graph, values) : mean_over_rows(graph, values);
  };
  Tensor* mean = mean_of(x);
  Tensor* variance = mean_of(squared_difference_to_constant(graph, x, mean));
  Tensor* factor =
      multiply(graph, reciprocal_square_root(graph, add_scalar(graph, variance, kBatchNormEpsilon)), scale);
  Tensor* shift = subtract(graph, offset, multiply(graph, mean, factor));
  return add(graph, multiply(graph, x, factor), shift);
}

}  // namespace trainer
