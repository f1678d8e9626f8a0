#include "graph_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "trainer/synthetic_data.h"

namespace trainer::test {

namespace {

void fill_with(Tensor& tensor, std::uint64_t stream, double mean, double deviation) {
  NormalNumbers numbers(7, stream);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.data[i] = static_cast<float>(mean + deviation * static_cast<double>(numbers.next()));
  }
}

double weighted_sum(const Tensor& y, const Tensor& weights) {
  double sum = 0;
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    sum += static_cast<double>(y.data[i]) * static_cast<double>(weights.data[i]);
  }
  return sum;
}

double largest(const Tensor& tensor) {
  double result = 1e-3;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    result = std::max(result, std::fabs(static_cast<double>(tensor.data[i])));
  return result;
}

}  // namespace

Placement host() { return {.requested = "/cpu:0", .device = "/cpu:0", .on_gpu = false}; }

Placement gpu(int index) {
  const std::string name = "/gpu:" + std::to_string(index);
  return {.requested = name, .device = name, .on_gpu = true};
}

GraphRun::GraphRun(Graph& graph, const std::vector<Tensor*>& also) : graph_(graph) {
  std::set<Tensor*> tensors(also.begin(), also.end());
  for (const Op& op : graph.ops()) {
    tensors.insert(op.inputs.begin(), op.inputs.end());
    tensors.insert(op.outputs.begin(), op.outputs.end());
  }
  for (Tensor* tensor : tensors) {
    // NaN: an op that reads what none wrote does not pass unnoticed.
    storage_.emplace_back(static_cast<std::size_t>(tensor->elements()), std::nanf(""));
    tensor->data = storage_.back().data();
  }
}

void GraphRun::run() {
  for (const Op& op : graph_.ops()) {
    if (op.placement.on_gpu)
      op.kernels.back().arithmetic();
    else
      op.host_work.arithmetic();
  }
}

double largest_gradient_error(const std::vector<Shape>& shapes,
                              const std::function<Tensor*(Graph&, const std::vector<Tensor*>&)>& build,
                              double mean, double deviation) {
  Graph graph("test", gpu(0));
  std::vector<Tensor*> variables;
  for (const Shape& shape : shapes) {
    variables.push_back(graph.persistent(shape));
    variables.back()->differentiable = true;
  }
  Tensor* y = build(graph, variables);
  Tensor* weights = graph.persistent(y->shape);
  std::vector<Tensor*> gradients;
  graph.backward(y, weights);
  for (Tensor* variable : variables) gradients.push_back(graph.gradient(variable));

  GraphRun run(graph, {weights});
  for (std::size_t i = 0; i < variables.size(); ++i) fill_with(*variables[i], i, mean, deviation);
  fill_with(*weights, 99, 0, 1);

  double worst = 0;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (!gradients[v]) return INFINITY;
    run.run();  // at the values themselves
    const std::vector<float> gradient(gradients[v]->data, gradients[v]->data + gradients[v]->elements());
    const double scale = largest(*gradients[v]);
    for (std::int64_t i = 0; i < variables[v]->elements(); ++i) {
      float& value = variables[v]->data[i];
      const float kept = value;
      const float step = 1e-2F;
      value = kept + step;
      run.run();
      const double above = weighted_sum(*y, *weights);
      value = kept - step;
      run.run();
      const double below = weighted_sum(*y, *weights);
      value = kept;
      const double difference = (above - below) / (2 * static_cast<double>(step));
      worst = std::max(
          worst, std::fabs(difference - static_cast<double>(gradient[static_cast<std::size_t>(i)])) / scale);
    }
  }
  return worst;
}

}  // namespace trainer::test
