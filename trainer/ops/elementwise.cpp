#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

template <class Function>
Tensor* unary(Graph& graph, std::string type, std::string_view kernel, Tensor* x, Function function,
              std::vector<float> scalars = {}) {
  Tensor* y = graph.temporary(x->shape);
  const Work work = streaming_work(x->elements(), 2);
  graph.add({.type = std::move(type),
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(kernel, x->elements(), work),
                                       {{x, y}, {x->elements()}, std::move(scalars)})},
             .arithmetic = [x, y, function] {
               const std::int64_t count = x->elements();
               for (std::int64_t i = 0; i < count; ++i) y->data[i] = function(x->data[i]);
             }});
  return y;
}

// How the second operand fits the first.
enum class Fit { same, rows, channels };

Fit fit_of(const Tensor* a, const Tensor* b) {
  if (a->elements() == b->elements()) return Fit::same;
  return b->shape.rank() == 4 ? Fit::channels : Fit::rows;
}

struct BinaryNames {
  std::string_view same, rows, channels;
  std::string_view of(Fit fit) const {
    if (fit == Fit::same) return same;
    return fit == Fit::rows ? rows : channels;
  }
};

// b[1, C, 1, 1] over a[N, C, H, W].
template <class Function>
void apply_channels(const Tensor& a, const Tensor& b, Tensor& y, Function function) {
  const std::int64_t pixels = a.shape[2] * a.shape[3];
  for (std::int64_t plane = 0; plane < a.shape[0] * a.shape[1]; ++plane) {
    const float value = b.data[plane % a.shape[1]];
    for (std::int64_t i = plane * pixels; i < (plane + 1) * pixels; ++i) y.data[i] = function(a.data[i], value);
  }
}

template <class Function>
void apply_rows(const Tensor& a, const Tensor& b, Tensor& y, Function function) {
  const std::int64_t columns = b.elements(), rows = a.elements() / columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = a.data + row * columns;
    float* to = y.data + row * columns;
    for (std::int64_t column = 0; column < columns; ++column)
      to[column] = function(from[column], b.data[column]);
  }
}

// What each fit's kernels take.
std::vector<std::int64_t> extents_of(const Tensor* a, const Tensor* b) {
  const std::int64_t elements = a->elements(), columns = b->elements();
  switch (fit_of(a, b)) {
    case Fit::same: return {1, elements, 1, elements};
    case Fit::rows: return {elements / columns, columns, 1, columns};
    case Fit::channels: break;
  }
  return {a->shape[0], a->shape[1], a->shape[2] * a->shape[3]};
}

// One body for both shapes of b: same-shaped operands are one row.
template <class Function>
Tensor* binary(Graph& graph, std::string type, std::string_view kernel, Tensor* a, Tensor* b,
               Function function) {
  Tensor* y = graph.temporary(a->shape);
  const bool same_shape = a->elements() == b->elements();
  const Work work = streaming_work(a->elements(), same_shape ? 3 : 2);
  graph.add({.type = std::move(type),
             .inputs = {a, b},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(kernel, a->elements(), work), {{a, b, y}, extents_of(a, b)})},
             .arithmetic = [a, b, y, function] {
               if (fit_of(a, b) == Fit::channels)
                 apply_channels(*a, *b, *y, function);
               else
                 apply_rows(*a, *b, *y, function);
             }});
  return y;
}

template <class Function>
Tensor* binary(Graph& graph, std::string type, const BinaryNames& kernels, Tensor* a, Tensor* b, Function function) {
  return binary(graph, std::move(type), kernels.of(fit_of(a, b)), a, b, function);
}

// The gradient of an operand that was broadcast is summed over where it went.
Tensor* reduced_like(Graph& graph, Tensor* gradient, const Tensor* operand) {
  const Fit fit = fit_of(gradient, operand);
  if (fit == Fit::same) return gradient;
  return fit == Fit::rows ? sum_over_rows(graph, gradient) : sum_per_channel(graph, gradient);
}

BinaryNames add_names() { return {names::kAdd, names::kBroadcastAdd, names::kChannelAdd}; }
BinaryNames subtract_names() { return {names::kSubtract, names::kBroadcastSubtract, names::kChannelSubtract}; }
BinaryNames multiply_names() { return {names::kMultiply, names::kBroadcastMultiply, names::kChannelMultiply}; }
BinaryNames squared_difference_names() {
  return {names::kBroadcastSquaredDifference, names::kBroadcastSquaredDifference, names::kChannelSquaredDifference};
}

Tensor* relu_gradient(Graph& graph, Tensor* dy, Tensor* y) {
  return binary(graph, "ReluGrad", names::kReluGradient, dy, y,
                [](float gradient, float value) { return value > 0 ? gradient : 0.0F; });
}

Tensor* sigmoid_gradient(Graph& graph, Tensor* dy, Tensor* y) {
  return binary(graph, "SigmoidGrad", names::kSigmoidGradient, dy, y,
                [](float gradient, float value) { return gradient * value * (1 - value); });
}

Tensor* reciprocal_square_root_gradient(Graph& graph, Tensor* dy, Tensor* y) {
  return binary(graph, "RsqrtGrad", names::kReciprocalSquareRootGradient, dy, y,
                [](float gradient, float value) { return -0.5F * gradient * value * value * value; });
}

}  // namespace

Tensor* add(Graph& graph, Tensor* a, Tensor* b) {
  Tensor* y = binary(graph, "Add", add_names(), a, b,
                     [](float left, float right) { return left + right; });
  graph.differentiate(y, [&graph, a, b](Tensor* dy) {
    graph.add_gradient(a, dy);
    if (b->differentiable) graph.add_gradient(b, reduced_like(graph, dy, b));
  });
  return y;
}

Tensor* subtract(Graph& graph, Tensor* a, Tensor* b) {
  Tensor* y = binary(graph, "Sub", subtract_names(), a, b,
                     [](float left, float right) { return left - right; });
  graph.differentiate(y, [&graph, a, b](Tensor* dy) {
    graph.add_gradient(a, dy);
    if (b->differentiable) graph.add_gradient(b, negate(graph, reduced_like(graph, dy, b)));
  });
  return y;
}

Tensor* multiply(Graph& graph, Tensor* a, Tensor* b) {
  Tensor* y = binary(graph, "Mul", multiply_names(), a, b,
                     [](float left, float right) { return left * right; });
  graph.differentiate(y, [&graph, a, b](Tensor* dy) {
    if (a->differentiable) graph.add_gradient(a, multiply(graph, dy, b));
    if (b->differentiable) graph.add_gradient(b, reduced_like(graph, multiply(graph, dy, a), b));
  });
  return y;
}

Tensor* squared_difference_to_constant(Graph& graph, Tensor* a, Tensor* b) {
  Tensor* y = binary(graph, "SquaredDifference", squared_difference_names(), a, b,
                     [](float left, float right) { return (left - right) * (left - right); });
  graph.differentiate(y, [&graph, a, b](Tensor* dy) {
    if (!a->differentiable) return;
    Tensor* twice = multiply_scalar(graph, dy, 2);
    graph.add_gradient(a, multiply(graph, twice, subtract(graph, a, b)));
  });
  return y;
}

Tensor* add_scalar(Graph& graph, Tensor* x, float scalar) {
  Tensor* y = unary(graph, "Add", names::kAddScalar, x, [scalar](float value) { return value + scalar; }, {scalar});
  graph.differentiate(y, [&graph, x](Tensor* dy) { graph.add_gradient(x, dy); });
  return y;
}

Tensor* multiply_scalar(Graph& graph, Tensor* x, float scalar) {
  Tensor* y =
      unary(graph, "Mul", names::kMultiplyScalar, x, [scalar](float value) { return value * scalar; }, {scalar});
  graph.differentiate(
      y, [&graph, x, scalar](Tensor* dy) { graph.add_gradient(x, multiply_scalar(graph, dy, scalar)); });
  return y;
}

Tensor* divide_scalar(Graph& graph, Tensor* x, float scalar) {
  Tensor* y =
      unary(graph, "RealDiv", names::kDivideScalar, x, [scalar](float value) { return value / scalar; }, {scalar});
  graph.differentiate(
      y, [&graph, x, scalar](Tensor* dy) { graph.add_gradient(x, divide_scalar(graph, dy, scalar)); });
  return y;
}

Tensor* negate(Graph& graph, Tensor* x) {
  Tensor* y = unary(graph, "Neg", names::kNegate, x, [](float value) { return -value; });
  graph.differentiate(y, [&graph, x](Tensor* dy) { graph.add_gradient(x, negate(graph, dy)); });
  return y;
}

Tensor* reciprocal_square_root(Graph& graph, Tensor* x) {
  Tensor* y = unary(graph, "Rsqrt", names::kReciprocalSquareRoot, x,
                    [](float value) { return 1 / std::sqrt(value); });
  graph.differentiate(y, [&graph, x, y](Tensor* dy) {
    graph.add_gradient(x, reciprocal_square_root_gradient(graph, dy, y));
  });
  return y;
}

Tensor* relu(Graph& graph, Tensor* x) {
  Tensor* y = unary(graph, "Relu", names::kRelu, x, [](float value) { return value > 0 ? value : 0.0F; });
  graph.differentiate(y, [&graph, x, y](Tensor* dy) { graph.add_gradient(x, relu_gradient(graph, dy, y)); });
  return y;
}

Tensor* sigmoid(Graph& graph, Tensor* x) {
  Tensor* y =
      unary(graph, "Sigmoid", names::kSigmoid, x, [](float value) { return 1 / (1 + std::exp(-value)); });
  graph.differentiate(y,
                      [&graph, x, y](Tensor* dy) { graph.add_gradient(x, sigmoid_gradient(graph, dy, y)); });
  return y;
}

Tensor* fill(Graph& graph, Shape shape, float value) {
  Tensor* y = graph.temporary(std::move(shape));
  const Work work = streaming_work(y->elements(), 1, 0);
  graph.add({.type = "Fill",
             .inputs = {},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(names::kFill, y->elements(), work), {{y}, {y->elements()}, {value}})},
             .arithmetic = [y, value] {
               for (std::int64_t i = 0; i < y->elements(); ++i) y->data[i] = value;
             }});
  return y;
}

Tensor* add_n(Graph& graph, const std::vector<Tensor*>& parts) {
  Tensor* y = graph.temporary(parts.front()->shape);
  const int count = static_cast<int>(parts.size());
  const Work work = streaming_work(y->elements(), count + 1, count - 1);
  std::vector<Operand> operands(parts.begin(), parts.end());
  operands.emplace_back(y);
  graph.add({.type = "AddN",
             .inputs = parts,
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(count == 2 ? names::kAdd : names::kAdd3, y->elements(), work),
                                       {std::move(operands), {y->elements()}})},
             .arithmetic = [parts, y] {
               for (std::int64_t i = 0; i < y->elements(); ++i) {
                 float sum = 0;
                 for (const Tensor* part : parts) sum += part->data[i];
                 y->data[i] = sum;
               }
             }});
  return y;
}

}  // namespace trainer
