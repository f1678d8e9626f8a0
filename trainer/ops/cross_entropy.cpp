#include <algorithm>
#include <cmath>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

// Per row: log(sum(exp(logits))) - logits[label], and its gradient softmax(logits) - onehot(label).
void cross_entropy_rows(const Tensor& logits, const Tensor& labels, Tensor& losses, Tensor& backprop) {
  const std::int64_t classes = logits.shape.last();
  for (std::int64_t row = 0; row < labels.elements(); ++row) {
    const float* from = logits.data + row * classes;
    float* gradient = backprop.data + row * classes;
    const float largest = *std::max_element(from, from + classes);  // exp of a positive number may overflow
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(from[c] - largest));
    for (std::int64_t c = 0; c < classes; ++c) {
      gradient[c] = static_cast<float>(std::exp(static_cast<double>(from[c] - largest)) / sum);
    }
    const auto label = static_cast<std::int64_t>(labels.data[row]);
    gradient[label] -= 1;
    losses.data[row] = static_cast<float>(std::log(sum)) - (from[label] - largest);
  }
}

// backprop[row, :] * dlosses[row].
Tensor* scale_rows(Graph& graph, Tensor* backprop, Tensor* dlosses) {
  Tensor* y = graph.temporary(backprop->shape);
  const Work work = streaming_work(y->elements(), 2);
  const std::int64_t rows = dlosses->elements();
  graph.add({.type = "Mul",
             .inputs = {backprop, dlosses},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(names::kBroadcastMultiply, y->elements(), work),
                                       {{backprop, dlosses, y}, {rows, y->shape.last(), rows, 1}})},
             .arithmetic = [=] {
               const std::int64_t columns = y->shape.last();
               for (std::int64_t i = 0; i < y->elements(); ++i) {
                 y->data[i] = backprop->data[i] * dlosses->data[i / columns];
               }
             }});
  return y;
}

}  // namespace

Tensor* softmax_cross_entropy(Graph& graph, Tensor* logits, Tensor* labels) {
  Tensor* losses = graph.temporary({labels->elements()});
  Tensor* backprop = graph.temporary(logits->shape);
  const Work work = streaming_work(logits->elements(), 3, 4),
             row_work = streaming_work(logits->elements(), 1);
  const std::int64_t rows = labels->elements(), classes = logits->shape.last();
  const Operand row_statistics = Operand::scratch(0, 2 * rows);
  graph.add({.type = "SparseSoftmaxCrossEntropyWithLogits",
             .inputs = {logits, labels},
             .outputs = {losses, backprop},
             .work = work,
             .kernels = {with_operands(column_reduction_launch(names::kInnerSum, classes, rows, row_work),
                                       {{logits, row_statistics}, {rows, classes}, {}, names::kCrossEntropyVariant}),
                         with_operands(elementwise_launch(names::kSubtract, logits->elements(), work),
                                       {{logits, labels, row_statistics, losses, backprop},
                                        {rows, classes},
                                        {},
                                        names::kCrossEntropyVariant})},
             .arithmetic = [=] { cross_entropy_rows(*logits, *labels, *losses, *backprop); }});
  graph.differentiate(losses, [=, &graph](Tensor* dlosses) {
    graph.add_gradient(logits, scale_rows(graph, backprop, dlosses));
  });
  return mean_of_all(graph, losses);
}

}  // namespace trainer
