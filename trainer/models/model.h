// A model as one tower runs it: forward and backward ops in a graph, and its variables with their gradients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/graph.h"
#include "trainer/ops/ops.h"

namespace trainer {

struct Variable {
  std::string name;  // "stage_1/block_0/conv_1/filter"
  Tensor* value = nullptr;
  Tensor* gradient = nullptr;  // persistent; set once the backward ops are there
  // Initial values are drawn from a normal distribution.
  float initial_mean = 0, initial_deviation = 0;
};

struct Model {
  Tensor* input = nullptr;   // not differentiable, persistent
  Tensor* labels = nullptr;  // class indices, persistent; nullptr where the loss needs none
  int classes = 0;
  Tensor* loss = nullptr;  // scalar, persistent
  std::vector<Variable> variables;

  Tensor* add_variable(Graph& graph, std::string name, Shape shape, float initial_mean,
                       float initial_deviation);
  // Adds the backward ops from `loss_value`, and makes the loss and the variables' gradients persistent.
  void finish(Graph& graph, Tensor* loss_value);
};

// The 18-layer residual network of small filter banks: a first convolution, stages of two blocks of two
// convolutions, a dense layer. Each stage after the first halves the image and doubles the filters; its
// shortcut takes every second pixel and pads the channels with zeros (option A of He et al. 2015). Batch norm
// after each convolution, written with moments.
struct ResnetShape {
  std::int64_t batch = 128, image_size = 32, image_channels = 3, first_filters = 16;
  int stages = 4, blocks_per_stage = 2, classes = 10;
};
enum class BatchNormStyle : std::uint8_t {
  unfused,     // moments and broadcasts over the rows of NHWC
  fused,       // one cuDNN kernel
  naive,       // the unfused one on NCHW: weights of shape [1, C, 1, 1], sums over all dimensions but the second
  transposed,  // the unfused one on NHWC, with transposes from NCHW before it and back after it
};
struct ResnetStyle {
  PaddingStyle padding = PaddingStyle::explicit_ops;
  Layout layout = Layout::nhwc;
  BatchNormStyle batch_norm = BatchNormStyle::unfused;
};
// Empty where the batch norm can be written for the layout, else what is wrong.
std::string mismatch(Layout layout, BatchNormStyle batch_norm);
Model build_resnet(Graph& graph, const ResnetShape& shape, const ResnetStyle& style);

// Blocks of sigmoid(matmul(reshape(x, [-1, features]), W) + b); the loss is the mean of the last one.
struct MlpShape {
  std::int64_t batch = 64, rows = 1000, features = 1000;  // input [batch, rows, features]
  int blocks = 6;
};
Model build_mlp(Graph& graph, const MlpShape& shape);

// (x - mean) / sqrt(variance + epsilon) * scale + offset over the rows of x (scale[C]) or the channels of
// x[N, C, H, W] (scale[1, C, 1, 1]), from element-wise ops and two
// reductions: no fused kernel, as tf.nn.moments and tf.nn.batch_normalization of 2016.
Tensor* batch_norm(Graph& graph, Tensor* x, Tensor* scale, Tensor* offset);

}  // namespace trainer
