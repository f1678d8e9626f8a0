#include <algorithm>
#include <vector>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

// Copies `small` to, or from, its place within `large` at the given offsets; calls copy(large index, small
// index, count) for each run of the last dimension.
template <class Copy>
void for_each_run(const Shape& large, const Shape& small, const Paddings& borders, Copy copy) {
  for (std::int64_t n = 0; n < small[0]; ++n) {
    for (std::int64_t h = 0; h < small[1]; ++h) {
      for (std::int64_t w = 0; w < small[2]; ++w) {
        const std::int64_t from = ((n * small[1] + h) * small[2] + w) * small[3];
        const std::int64_t row = (n + borders[0][0]) * large[1] + h + borders[1][0];
        copy((row * large[2] + w + borders[2][0]) * large[3] + borders[3][0], from, small[3]);
      }
    }
  }
}

Shape grown(const Shape& shape, const Paddings& paddings, std::int64_t sign) {
  const auto dimension = [&](int index) {
    const auto& border = paddings[static_cast<std::size_t>(index)];
    return shape[index] + sign * (border[0] + border[1]);
  };
  return {dimension(0), dimension(1), dimension(2), dimension(3)};
}

// Eigen's padding evaluator takes the dimensions from the outermost inwards, divides once for each, and
// returns zero as soon as one lies in the border: a coefficient that is padding already in dimension d costs
// d + 1 divisions.
double padding_index_ops(const Shape& from, const Shape& to) {
  double divisions = 0, reached = static_cast<double>(to.elements());
  for (int dimension = 0; dimension < to.rank(); ++dimension) {
    divisions += reached;
    reached *= static_cast<double>(from[dimension]) / static_cast<double>(to[dimension]);
  }
  return divisions;
}

template <class Copy>
void for_each_strided_pixel(const PlaneView& large, std::int64_t stride, const PlaneView& small, Copy copy) {
  for (std::int64_t plane = 0; plane < small.outer; ++plane) {
    for (std::int64_t h = 0; h < small.height; ++h) {
      for (std::int64_t w = 0; w < small.width; ++w) {
        copy(((plane * large.height + h * stride) * large.width + w * stride) * large.run,
             ((plane * small.height + h) * small.width + w) * small.run, small.run);
      }
    }
  }
}

std::vector<std::int64_t> strides_of(const PlaneView& large, std::int64_t stride) {
  return {large.outer, large.height, large.width, large.run, stride};
}

Tensor* strided_slice_gradient(Graph& graph, Tensor* dy, const Shape& shape, std::int64_t stride, Layout layout) {
  Tensor* dx = graph.temporary(shape);
  const Work zeros = streaming_work(dx->elements(), 1, 0), assignment = streaming_work(dy->elements(), 2, 0);
  graph.add({.type = "StridedSliceGrad",
             .inputs = {dy},
             .outputs = {dx},
             .work = {.bytes = zeros.bytes + assignment.bytes},
             .kernels = {with_operands(elementwise_launch(names::kFill, dx->elements(), zeros), {{dx}, {dx->elements()}, {0.0F}}),
                         with_operands(elementwise_launch(names::kStridedAssign, dy->elements(), assignment),
                                       {{dy, dx}, strides_of(planes_of(shape, layout), stride)})},
             .arithmetic = [dy, dx, stride, layout] {
               std::fill_n(dx->data, dx->elements(), 0.0F);
               for_each_strided_pixel(planes_of(dx->shape, layout), stride, planes_of(dy->shape, layout),
                                      [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                                        std::copy_n(dy->data + from, count, dx->data + to);
                                      });
             }});
  return dx;
}

// The dimensions of x, then {before, after} of each.
std::vector<std::int64_t> borders_of(const Tensor& x, const Paddings& borders) {
  std::vector<std::int64_t> extents = {x.shape[0], x.shape[1], x.shape[2], x.shape[3]};
  for (const auto& [before, after] : borders) extents.insert(extents.end(), {before, after});
  return extents;
}

}  // namespace

Tensor* pad(Graph& graph, Tensor* x, const Paddings& paddings) {
  Tensor* y = graph.temporary(grown(x->shape, paddings, 1));
  const double bytes = 4.0 * static_cast<double>(x->elements() + y->elements());
  const Work work{.bytes = bytes, .index_ops = padding_index_ops(x->shape, y->shape)};
  graph.add({.type = "Pad",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(names::kPad, y->elements(), work), {{x, y}, borders_of(*x, paddings)})},
             .arithmetic = [x, y, paddings] {
               std::fill_n(y->data, y->elements(), 0.0F);
               for_each_run(y->shape, x->shape, paddings,
                            [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                              std::copy_n(x->data + from, count, y->data + to);
                            });
             }});
  graph.differentiate(
      y, [&graph, x, paddings](Tensor* dy) { graph.add_gradient(x, slice(graph, dy, paddings)); });
  return y;
}

Tensor* slice(Graph& graph, Tensor* x, const Paddings& cut_off) {
  Tensor* y = graph.temporary(grown(x->shape, cut_off, -1));
  const Work work = streaming_work(y->elements(), 2, 0);
  graph.add({.type = "Slice",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(names::kSlice, y->elements(), work), {{x, y}, borders_of(*x, cut_off)})},
             .arithmetic = [x, y, cut_off] {
               for_each_run(x->shape, y->shape, cut_off,
                            [&](std::int64_t from, std::int64_t to, std::int64_t count) {
                              std::copy_n(x->data + from, count, y->data + to);
                            });
             }});
  return y;
}

Tensor* strided_slice(Graph& graph, Tensor* x, std::int64_t stride, Layout layout) {
  ImageSize size = size_of(x->shape, layout);
  size.height = (size.height + stride - 1) / stride;
  size.width = (size.width + stride - 1) / stride;
  Tensor* y = graph.temporary(shape_of(size, layout));
  const Work work = streaming_work(y->elements(), 2, 0);
  graph.add({.type = "StridedSlice",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(names::kStridedRead, y->elements(), work),
                                       {{x, y}, strides_of(planes_of(x->shape, layout), stride)})},
             .arithmetic = [x, y, stride, layout] {
               for_each_strided_pixel(planes_of(x->shape, layout), stride, planes_of(y->shape, layout),
                                      [&](std::int64_t from, std::int64_t to, std::int64_t count) {
                                        std::copy_n(x->data + from, count, y->data + to);
                                      });
             }});
  graph.differentiate(y, [=, &graph](Tensor* dy) {
    if (x->differentiable) graph.add_gradient(x, strided_slice_gradient(graph, dy, x->shape, stride, layout));
  });
  return y;
}

}  // namespace trainer
