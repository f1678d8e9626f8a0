#include <cmath>
#include <vector>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

// The values of one channel: `run` neighbours in each of `groups` groups.
struct Channels {
  std::int64_t groups, count, run;

  static Channels of(const Shape& shape, Layout layout) {
    const ImageSize size = size_of(shape, layout);
    const std::int64_t pixels = size.height * size.width;
    if (layout == Layout::nhwc) return {size.images * pixels, size.channels, 1};
    return {size.images, size.channels, pixels};
  }
  double per_channel() const { return static_cast<double>(groups * run); }

  template <class Visit>
  void for_each(std::int64_t channel, Visit visit) const {
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::int64_t first = (group * count + channel) * run;
      for (std::int64_t i = first; i < first + run; ++i) visit(i);
    }
  }
};

struct Saved {
  Tensor *mean, *inverse_deviation;  // of the batch, for the backward pass
};

void normalize(const Channels& channels, const Tensor& x, const Tensor& scale, const Tensor& offset, Tensor& y,
               const Saved& saved) {
  for (std::int64_t c = 0; c < channels.count; ++c) {
    double sum = 0, squares = 0;
    channels.for_each(c, [&](std::int64_t i) { sum += x.data[i]; });
    const double mean = sum / channels.per_channel();
    channels.for_each(c, [&](std::int64_t i) { squares += (x.data[i] - mean) * (x.data[i] - mean); });
    const double inverse = 1 / std::sqrt(squares / channels.per_channel() + kBatchNormEpsilon);
    channels.for_each(c, [&](std::int64_t i) {
      y.data[i] = static_cast<float>((x.data[i] - mean) * inverse * scale.data[c] + offset.data[c]);
    });
    saved.mean->data[c] = static_cast<float>(mean);
    saved.inverse_deviation->data[c] = static_cast<float>(inverse);
  }
}

struct Gradients {
  Tensor *x, *scale, *offset;
};

// Ioffe and Szegedy 2015, section 3: with n = (x - mean) / deviation over M values of a channel,
// dx = scale / deviation (dy - mean(dy) - n mean(dy n)).
void normalize_backward(const Channels& channels, const Tensor& dy, const Tensor& x, const Tensor& scale,
                        const Saved& saved, const Gradients& to) {
  for (std::int64_t c = 0; c < channels.count; ++c) {
    const double mean = saved.mean->data[c], inverse = saved.inverse_deviation->data[c];
    double sum = 0, projected = 0;
    channels.for_each(c, [&](std::int64_t i) {
      sum += dy.data[i];
      projected += dy.data[i] * (x.data[i] - mean) * inverse;
    });
    to.offset->data[c] = static_cast<float>(sum);
    to.scale->data[c] = static_cast<float>(projected);
    const double mean_dy = sum / channels.per_channel(), mean_projected = projected / channels.per_channel();
    channels.for_each(c, [&](std::int64_t i) {
      const double n = (x.data[i] - mean) * inverse;
      to.x->data[i] = static_cast<float>(scale.data[c] * inverse * (dy.data[i] - mean_dy - n * mean_projected));
    });
  }
}

// `images` of the batch norm's size are read, `weights` besides; `result` has that size too, `results` do not.
struct Images {
  std::vector<Tensor*> images, weights;
  Tensor* result;
  std::vector<Tensor*> results;
};

// cuDNN of 2016 normalizes NCHW only: one block per channel, with transposes around it for NHWC.
std::vector<KernelLaunch> kernels(std::string_view name, const Images& of, Layout layout, const Work& work) {
  const Tensor& x = *of.result;
  const std::int64_t elements = x.elements();
  const ImageSize size = size_of(x.shape, layout);
  const std::int64_t pixels = size.height * size.width;
  const auto transpose = [&](const Operand& from, const Operand& to, std::int64_t rows, std::int64_t columns) {
    return with_operands(elementwise_launch(names::kSwapDimensions12, elements, streaming_work(elements, 2, 0)),
                         {{from, to}, {size.images, rows, columns}});
  };
  std::vector<KernelLaunch> all;
  std::vector<Operand> operands(of.images.begin(), of.images.end());
  Operand result = of.result;
  if (layout == Layout::nhwc) {
    for (Operand& image : operands) {
      const Operand planes = Operand::scratch(static_cast<int>(all.size()), elements);
      all.push_back(transpose(image, planes, pixels, size.channels));
      image = planes;
    }
    result = Operand::scratch(static_cast<int>(all.size()), elements);
  }
  operands.insert(operands.end(), of.weights.begin(), of.weights.end());
  operands.push_back(result);
  operands.insert(operands.end(), of.results.begin(), of.results.end());
  const KernelLaunch normalization{.mangled_name = name,
                                   .grid = {static_cast<std::uint32_t>(size.channels)},
                                   .block = {512},
                                   .registers_per_thread = 40,
                                   .work = work,
                                   .arithmetic = {}};
  all.push_back(with_operands(normalization, {operands, {size.images, size.channels, pixels}, {kBatchNormEpsilon}}));
  if (layout == Layout::nhwc) all.push_back(transpose(result, of.result, size.channels, pixels));
  return all;
}

}  // namespace

Tensor* fused_batch_norm(Graph& graph, Tensor* x, Tensor* scale, Tensor* offset, Layout layout) {
  Tensor* y = graph.temporary(x->shape);
  const Saved saved{graph.temporary(scale->shape), graph.temporary(scale->shape)};
  const Channels channels = Channels::of(x->shape, layout);
  const Work work = streaming_work(x->elements(), 3, 7);  // read for the moments and again, written
  graph.add({.type = "FusedBatchNorm",
             .inputs = {x, scale, offset},
             .outputs = {y, saved.mean, saved.inverse_deviation},
             .work = work,
             .kernels = kernels(names::kBatchNormForward,
                                {{x}, {scale, offset}, y, {saved.mean, saved.inverse_deviation}}, layout, work),
             .arithmetic = [=] { normalize(channels, *x, *scale, *offset, *y, saved); }});
  graph.differentiate(y, [=, &graph](Tensor* dy) {
    const Gradients to{graph.temporary(x->shape), graph.temporary(scale->shape), graph.temporary(offset->shape)};
    const Work back = streaming_work(x->elements(), 5, 12);  // both inputs are read twice
    graph.add({.type = "FusedBatchNormGrad",
               .inputs = {dy, x, scale, saved.mean, saved.inverse_deviation},
               .outputs = {to.x, to.scale, to.offset},
               .work = back,
               .kernels = kernels(names::kBatchNormBackward,
                                  {{dy, x}, {scale, saved.mean, saved.inverse_deviation}, to.x, {to.scale, to.offset}},
                                  layout, back),
               .arithmetic = [=] { normalize_backward(channels, *dy, *x, *scale, saved, to); }});
    graph.add_gradient(x, to.x);
    graph.add_gradient(scale, to.scale);
    graph.add_gradient(offset, to.offset);
  });
  return y;
}

}  // namespace trainer
