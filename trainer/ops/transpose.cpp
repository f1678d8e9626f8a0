#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

Tensor* transpose(Graph& graph, Tensor* x, Layout from) {
  const Layout to = from == Layout::nhwc ? Layout::nchw : Layout::nhwc;
  const ImageSize size = size_of(x->shape, from);
  Tensor* y = graph.temporary(shape_of(size, to));
  const Work work = streaming_work(x->elements(), 2, 0);
  graph.add({.type = "Transpose",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {elementwise_launch(kernel_names::kShuffle4, x->elements(), work)},
             .arithmetic = [=] { change_layout(x->data, from, size, y->data); }});
  graph.differentiate(y, [=, &graph](Tensor* dy) { graph.add_gradient(x, transpose(graph, dy, to)); });
  return y;
}

}  // namespace trainer
