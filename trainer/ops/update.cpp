#include <algorithm>
#include <cmath>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

// A scalar from a scalar.
template <class Function>
Tensor* scalar_op(Graph& graph, const char* type, std::string_view kernel, Tensor* x, Function function, float scalar,
                  std::string_view variant = {}) {
  Tensor* y = graph.temporary({});
  const Work work = streaming_work(1, 2);
  graph.add({.type = type,
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(kernel, 1, work), {{x, y}, {1}, {scalar}, variant})},
             .arithmetic = [=] { y->data[0] = function(x->data[0]); }});
  return y;
}

Tensor* half_sum_of_squares(Graph& graph, Tensor* x) {
  Tensor* y = graph.temporary({});
  const Work work = streaming_work(x->elements(), 1, 2);
  graph.add({.type = "L2Loss",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(full_reduction_launch(names::kL2Loss, x->elements(), work), {{x, y}, {x->elements()}})},
             .arithmetic = [=] {
               double sum = 0;
               for (std::int64_t i = 0; i < x->elements(); ++i) {
                 sum += static_cast<double>(x->data[i]) * static_cast<double>(x->data[i]);
               }
               y->data[0] = static_cast<float>(sum / 2);
             }});
  return y;
}

}  // namespace

void apply_momentum(Graph& graph, Tensor* variable, Tensor* accumulator, Tensor* gradient,
                    float learning_rate, float momentum) {
  const std::int64_t count = variable->elements();
  const Work accumulate = streaming_work(count, 3, 2), step = streaming_work(count, 3, 2);
  graph.add({.type = "ApplyMomentum",
             .inputs = {variable, accumulator, gradient},
             .outputs = {variable, accumulator},
             .work = {.flops = accumulate.flops + step.flops, .bytes = accumulate.bytes + step.bytes},
             .kernels = {with_operands(elementwise_launch(names::kMomentumAccumulator, count, accumulate),
                                       {{accumulator, gradient, accumulator}, {count}, {momentum}}),
                         with_operands(elementwise_launch(names::kMomentumVariable, count, step),
                                       {{variable, accumulator, variable}, {count}, {learning_rate}})},
             .arithmetic = [=] {
               for (std::int64_t i = 0; i < count; ++i) {
                 accumulator->data[i] = accumulator->data[i] * momentum + gradient->data[i];
                 variable->data[i] -= learning_rate * accumulator->data[i];
               }
             }});
}

void apply_adam(Graph& graph, Tensor* variable, Tensor* first_moment, Tensor* second_moment, Tensor* gradient,
                const AdamConstants& constants, Tensor* step) {
  const std::int64_t count = variable->elements();
  const Work moment = streaming_work(count, 3, 3), update = streaming_work(count, 4, 5);
  graph.add({.type = "ApplyAdam",
             .inputs = {variable, first_moment, second_moment, gradient, step},
             .outputs = {variable, first_moment, second_moment},
             .work = {.flops = 2 * moment.flops + update.flops, .bytes = 2 * moment.bytes + update.bytes},
             .kernels = {with_operands(elementwise_launch(names::kAdamFirstMoment, count, moment),
                                       {{first_moment, gradient, first_moment}, {count}, {1 - constants.beta1}}),
                         with_operands(elementwise_launch(names::kAdamSecondMoment, count, moment),
                                       {{second_moment, gradient, second_moment}, {count}, {1 - constants.beta2}}),
                         with_operands(elementwise_launch(names::kAdamVariable, count, update),
                                       {{variable, first_moment, second_moment, step, variable},
                                        {count},
                                        {constants.learning_rate, constants.beta1, constants.beta2, constants.epsilon}})},
             .arithmetic = [=] {
               const auto& [learning_rate, beta1, beta2, epsilon] = constants;
               const float t = step->data[0] + 1;
               const float rate =
                   learning_rate * std::sqrt(1 - std::pow(beta2, t)) / (1 - std::pow(beta1, t));
               for (std::int64_t i = 0; i < count; ++i) {
                 const float g = gradient->data[i];
                 float& m = first_moment->data[i];
                 float& v = second_moment->data[i];
                 m += (g - m) * (1 - beta1);
                 v += (g * g - v) * (1 - beta2);
                 variable->data[i] -= rate * m / (std::sqrt(v) + epsilon);
               }
             }});
}

void advance_step(Graph& graph, Tensor* step) {
  const Work work = streaming_work(1, 2);
  graph.add({.type = "AssignAdd",
             .inputs = {step},
             .outputs = {step},
             .work = work,
             .kernels = {with_operands(elementwise_launch(names::kAddScalar, 1, work), {{step, step}, {1}, {1.0F}})},
             .arithmetic = [=] { step->data[0] += 1; }});
}

std::vector<Tensor*> clip_by_global_norm(Graph& graph, const std::vector<Tensor*>& gradients, float limit) {
  std::vector<Tensor*> squares;
  for (Tensor* gradient : gradients) squares.push_back(half_sum_of_squares(graph, gradient));
  Tensor* half_sum = squares.size() > 1 ? add_n(graph, squares) : squares.front();
  Tensor* norm =
      scalar_op(graph, "Sqrt", names::kSquareRoot, half_sum, [](float half) { return std::sqrt(2 * half); }, 2);
  Tensor* scale = scalar_op(graph, "Minimum", names::kDivideScalar, norm,
                            [limit](float value) { return value > limit ? limit / value : 1.0F; }, limit, names::kClipVariant);
  std::vector<Tensor*> clipped;
  for (Tensor* gradient : gradients) clipped.push_back(multiply(graph, gradient, scale));
  return clipped;
}

Tensor* average(Graph& graph, const std::vector<Tensor*>& towers) {
  if (towers.size() == 1) return towers.front();
  return multiply_scalar(graph, add_n(graph, towers), 1.0F / static_cast<float>(towers.size()));
}

}  // namespace trainer
