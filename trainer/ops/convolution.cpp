#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "trainer/convolution_arithmetic.h"
#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

// Of one kernel's tiles that several blocks sum; enough for filters of 2^24 weights (a tile has 64 x 32 of them).
constexpr std::int64_t kCounterLimit = 8192;

// One of the three passes; `a` and `b` as ConvolutionArithmetic::run takes them. cuDNN of 2016 computes in
// NCHW, so NHWC image operands are transposed on the way in, an image result on the way out, and the filter is
// brought into cuDNN's layout.
class Pass {
 public:
  // flops: of the convolution as such; what zeros around the operands add is not counted.
  Pass(ConvolutionPass pass, const ConvolutionGeometry& geometry, double flops)
      : pass_(pass), geometry_(geometry), flops_(flops) {}

  Tensor* add_to(Graph& graph, Tensor* a, Tensor* b, Shape shape) const {
    Tensor* result = graph.temporary(std::move(shape));
    Work work{.kind = WorkKind::convolution, .flops = flops_};
    work.bytes = 4.0 * static_cast<double>(a->elements() + b->elements() + result->elements());
    auto arithmetic = std::make_shared<ConvolutionArithmetic>(pass_, geometry_);
    graph.add({.type = type(),
               .inputs = {a, b},
               .outputs = {result},
               .work = work,
               .kernels = kernels(*a, *b, *result, work),
               .arithmetic = [=] { arithmetic->run(a->data, b->data, result->data); }});
    return result;
  }

 private:
  const char* type() const {
    if (pass_ == ConvolutionPass::forward) return "Conv2D";
    return pass_ == ConvolutionPass::backward_data ? "Conv2DBackpropInput" : "Conv2DBackpropFilter";
  }

  std::vector<KernelLaunch> kernels(const Tensor& a, const Tensor& b, const Tensor& result,
                                    const Work& work) const {
    const bool filter_is_result = pass_ == ConvolutionPass::backward_filter;
    const Operand a_planes = scratch(kFirstPlanes, a), b_planes = scratch(kSecondPlanes, b), result_planes = scratch(kResultPlanes, result);
    if (geometry_.layout == Layout::nchw) {
      if (filter_is_result) return {kernel(work, {&a, &b, result_planes}), filter_change(result_planes, &result, result, true)};
      return {filter_change(&b, b_planes, b, false), kernel(work, {&a, b_planes, &result})};
    }
    return {image_change(&a, a_planes, a, Layout::nhwc),
            filter_is_result ? image_change(&b, b_planes, b, Layout::nhwc) : filter_change(&b, b_planes, b, false),
            kernel(work, {a_planes, b_planes, result_planes}),
            filter_is_result ? filter_change(result_planes, &result, result, true)
                             : image_change(result_planes, &result, result, Layout::nchw)};
  }

  // Pieces of the stream's scratch. The counters' must be no other kernel's: they rely on what they left.
  enum Slot { kFirstPlanes, kSecondPlanes, kResultPlanes, kPartialSums, kCounters };
  static Operand scratch(Slot slot, const Tensor& like) { return Operand::scratch(slot, like.elements()); }

  static KernelLaunch layout_change(std::string_view name, const Tensor& tensor, KernelOperands operands) {
    return with_operands(elementwise_launch(name, tensor.elements(), streaming_work(tensor.elements(), 2, 0)), std::move(operands));
  }

  // `tensor` (of either side) is NHWC in the graph.
  static KernelLaunch image_change(const Operand& from, const Operand& to, const Tensor& tensor, Layout from_layout) {
    const ImageSize size = size_of(tensor.shape, Layout::nhwc);
    const std::int64_t pixels = size.height * size.width;
    const bool to_planes = from_layout == Layout::nhwc;
    return layout_change(names::kSwapDimensions12, tensor,
                         {{from, to}, {size.images, to_planes ? pixels : size.channels, to_planes ? size.channels : pixels}});
  }

  // [K, K, in, out] to [out, in, K, K], or back.
  static KernelLaunch filter_change(const Operand& from, const Operand& to, const Tensor& filter, bool back) {
    const std::int64_t taps = filter.shape[0] * filter.shape[1], in = filter.shape[2], out = filter.shape[3];
    return layout_change(names::kTransformFilter, filter, {{from, to}, {back ? out : taps, in, back ? taps : out}});
  }

  KernelLaunch kernel(const Work& work, std::vector<Operand> operands) const {
    KernelLaunch launch = kernel(work);
    const std::int64_t slices = launch.grid.z;
    if (slices > 1) {
      const std::int64_t sums = geometry_.kernel * geometry_.kernel * geometry_.in_channels * geometry_.out_channels;
      operands.push_back(Operand::scratch(kPartialSums, slices * sums));
      operands.push_back(Operand::scratch(kCounters, kCounterLimit));
    }
    return with_operands(std::move(launch), {std::move(operands),
                                             {geometry_.images, geometry_.height, geometry_.width, geometry_.in_channels,
                                              geometry_.kernel, geometry_.out_channels, geometry_.stride, geometry_.padding, slices, kCounterLimit}});
  }

  KernelLaunch kernel(const Work& work) const {
    const std::int64_t pixels = geometry_.images * geometry_.out_height() * geometry_.out_width();
    const std::int64_t taps = geometry_.kernel * geometry_.kernel * geometry_.in_channels;
    switch (pass_) {
      case ConvolutionPass::forward:
        return gemm_launch(names::kConvolutionForward, kConvolutionTile, pixels, geometry_.out_channels, 1,
                           work);
      case ConvolutionPass::backward_data:
        return gemm_launch(names::kConvolutionBackwardData, kConvolutionTile,
                           geometry_.images * geometry_.height * geometry_.width, geometry_.in_channels, 1,
                           work);
      case ConvolutionPass::backward_filter:
        break;
    }
    // The sum over pixels is cut into slices of 512, at most 64.
    const std::int64_t slices = std::clamp<std::int64_t>(pixels / 512, 1, 64);
    return gemm_launch(names::kConvolutionBackwardFilter, kConvolutionTile, taps, geometry_.out_channels,
                       slices, work);
  }

  ConvolutionPass pass_;
  ConvolutionGeometry geometry_;
  double flops_;
};

Paddings spatial(std::int64_t border, Layout layout) {
  if (layout == Layout::nchw) return {{{0, 0}, {0, 0}, {border, border}, {border, border}}};
  return {{{0, 0}, {border, border}, {border, border}, {0, 0}}};
}

// The gradient of the input as a convolution of the padded output gradient with the turned filter (stride 1):
// full correlation, so the gradient gets kernel - 1 - padding zeros on each side.
Tensor* input_gradient_by_padding(Graph& graph, Tensor* dy, Tensor* filter, const ConvolutionGeometry& fused,
                                  const Shape& x_shape) {
  Tensor* padded_dy = pad(graph, dy, spatial(fused.kernel - 1 - fused.padding, fused.layout));
  ConvolutionGeometry geometry = fused;
  geometry.padding = fused.kernel - 1;
  return Pass(ConvolutionPass::backward_data, geometry, fused.flops())
      .add_to(graph, padded_dy, filter, x_shape);
}

}  // namespace

Tensor* convolution(Graph& graph, Tensor* x, Tensor* filter, std::int64_t stride, std::int64_t padding,
                    PaddingStyle style, Layout layout) {
  const ImageSize size = size_of(x->shape, layout);
  const ConvolutionGeometry fused{size.images,      size.height,      size.width, size.channels,
                                  filter->shape[0], filter->shape[3], stride,     padding,
                                  layout};
  const bool explicit_ops = style == PaddingStyle::explicit_ops && padding > 0;
  Tensor* read = explicit_ops ? pad(graph, x, spatial(padding, layout)) : x;
  ConvolutionGeometry geometry = fused;
  if (explicit_ops) {
    geometry.height += 2 * padding;
    geometry.width += 2 * padding;
    geometry.padding = 0;
  }
  Tensor* y = Pass(ConvolutionPass::forward, geometry, fused.flops())
                  .add_to(graph, read, filter,
                          shape_of({fused.images, fused.out_height(), fused.out_width(), fused.out_channels}, layout));

  graph.differentiate(y, [=, &graph](Tensor* dy) {
    graph.add_gradient(filter, Pass(ConvolutionPass::backward_filter, geometry, fused.flops())
                                   .add_to(graph, read, dy, filter->shape));
    if (!x->differentiable) return;
    if (explicit_ops && stride == 1) {
      graph.add_gradient(x, input_gradient_by_padding(graph, dy, filter, fused, x->shape));
      return;
    }
    Tensor* dread =
        Pass(ConvolutionPass::backward_data, geometry, fused.flops()).add_to(graph, dy, filter, read->shape);
    graph.add_gradient(x, explicit_ops ? slice(graph, dread, spatial(padding, layout)) : dread);
  });
  return y;
}

}  // namespace trainer
