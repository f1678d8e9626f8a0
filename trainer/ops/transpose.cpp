#include <vector>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace {

// The dimensions of x, then which of them comes first, second ... in the result.
std::vector<std::int64_t> order_of(const Tensor& x, Layout from) {
  const Shape& shape = x.shape;
  if (from == Layout::nhwc) return {shape[0], shape[1], shape[2], shape[3], 0, 3, 1, 2};
  return {shape[0], shape[1], shape[2], shape[3], 0, 2, 3, 1};
}

}  // namespace

Tensor* transpose(Graph& graph, Tensor* x, Layout from) {
  const Layout to = from == Layout::nhwc ? Layout::nchw : Layout::nhwc;
  const ImageSize size = size_of(x->shape, from);
  Tensor* y = graph.temporary(shape_of(size, to));
  const Work work = streaming_work(x->elements(), 2, 0);
  graph.add({.type = "Transpose",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(kernel_names::kShuffle4, x->elements(), work), {{x, y}, order_of(*x, from)})},
             .arithmetic = [=] { change_layout(x->data, from, size, y->data); }});
  graph.differentiate(y, [=, &graph](Tensor* dy) { graph.add_gradient(x, transpose(graph, dy, to)); });
  return y;
}

}  // namespace trainer
