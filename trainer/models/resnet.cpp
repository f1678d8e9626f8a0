#include <fmt/format.h>

#include <cmath>
#include <string>

#include "trainer/models/model.h"

namespace trainer {

namespace {

constexpr std::int64_t kKernel = 3, kPadding = 1;

class Builder {
 public:
  Builder(Graph& graph, Model& model, const ResnetStyle& style) : graph_(graph), model_(model), style_(style) {}

  // Convolution and batch norm.
  Tensor* normalized_convolution(const std::string& scope, Tensor* x, std::int64_t filters,
                                 std::int64_t stride) {
    const Graph::Scope within(graph_, scope);
    const std::string prefix = prefix_ + scope;
    const std::int64_t channels = channels_of(x);
    // He initialisation: keeps the variance through a layer that a ReLU follows.
    const float deviation = std::sqrt(2.0F / static_cast<float>(kKernel * kKernel * channels));
    Tensor* filter =
        model_.add_variable(graph_, prefix + "/filter", {kKernel, kKernel, channels, filters}, 0, deviation);
    Tensor* y = convolution(graph_, x, filter, stride, kPadding, style_.padding, style_.layout);
    const Shape weights = style_.batch_norm == BatchNormStyle::naive ? Shape{1, filters, 1, 1} : Shape{filters};
    Tensor* scale = model_.add_variable(graph_, prefix + "/scale", weights, 1, 0);
    Tensor* offset = model_.add_variable(graph_, prefix + "/offset", weights, 0, 0);
    return normalized(y, scale, offset);
  }

  Tensor* block(const std::string& scope, Tensor* x, std::int64_t filters, std::int64_t stride) {
    const Graph::Scope within(graph_, scope);
    const std::string outer = prefix_;
    prefix_ += scope + "/";
    Tensor* y = relu(graph_, normalized_convolution("conv_1", x, filters, stride));
    y = normalized_convolution("conv_2", y, filters, 1);
    Tensor* sum = add(graph_, y, shortcut(x, filters, stride));
    prefix_ = outer;
    return relu(graph_, sum);
  }

  Tensor* dense(Tensor* x, int classes) {
    const Graph::Scope within(graph_, "dense");
    const std::int64_t features = x->shape.last();
    const float deviation = std::sqrt(1.0F / static_cast<float>(features));
    Tensor* weights = model_.add_variable(graph_, "dense/weights", {features, classes}, 0, deviation);
    Tensor* bias = model_.add_variable(graph_, "dense/bias", {classes}, 0, 0);
    return add(graph_, matmul(graph_, x, weights), bias);
  }

 private:
  std::int64_t channels_of(const Tensor* x) const { return size_of(x->shape, style_.layout).channels; }

  Tensor* normalized(Tensor* x, Tensor* scale, Tensor* offset) {
    if (style_.batch_norm == BatchNormStyle::fused) return fused_batch_norm(graph_, x, scale, offset, style_.layout);
    if (style_.batch_norm != BatchNormStyle::transposed) return batch_norm(graph_, x, scale, offset);
    Tensor* nhwc = transpose(graph_, x, Layout::nchw);
    return transpose(graph_, batch_norm(graph_, nhwc, scale, offset), Layout::nhwc);
  }

  Tensor* shortcut(Tensor* x, std::int64_t filters, std::int64_t stride) {
    if (stride == 1 && channels_of(x) == filters) return x;
    const Graph::Scope within(graph_, "shortcut");
    const std::int64_t missing = filters - channels_of(x);
    Paddings paddings{};
    paddings[style_.layout == Layout::nhwc ? 3 : 1] = {missing / 2, missing - missing / 2};
    return pad(graph_, strided_slice(graph_, x, stride, style_.layout), paddings);
  }

  Graph& graph_;
  Model& model_;
  ResnetStyle style_;
  std::string prefix_;
};

}  // namespace

Model build_resnet(Graph& graph, const ResnetShape& shape, const ResnetStyle& style) {
  Model model;
  model.classes = shape.classes;
  model.input = graph.persistent(
      shape_of({shape.batch, shape.image_size, shape.image_size, shape.image_channels}, style.layout));
  model.labels = graph.persistent({shape.batch});
  model.input->name = "input";
  model.labels->name = "labels";
  Builder builder(graph, model, style);

  Tensor* x = relu(graph, builder.normalized_convolution("stem", model.input, shape.first_filters, 1));
  for (int stage = 0; stage < shape.stages; ++stage) {
    for (int block = 0; block < shape.blocks_per_stage; ++block) {
      const bool halves = stage > 0 && block == 0;
      x = builder.block(fmt::format("stage_{}/block_{}", stage + 1, block), x, shape.first_filters << stage,
                        halves ? 2 : 1);
    }
  }
  Tensor* logits = builder.dense(global_average_pool(graph, x, style.layout), shape.classes);
  model.finish(graph, softmax_cross_entropy(graph, logits, model.labels));
  return model;
}

}  // namespace trainer
