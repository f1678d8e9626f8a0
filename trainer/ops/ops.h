// The ops, each with its forward arithmetic and the rule for its gradient. Image tensors are NHWC where no layout
// is given. A "row" is
// everything but the last dimension: x[N, H, W, C] has N*H*W rows of C. A vector operand of C elements is
// broadcast over rows. These are the ops that TensorFlow ran for such a model in 2016, one GPU kernel each
// unless it says otherwise.
#pragma once

#include <array>
#include <vector>

#include "trainer/graph.h"
#include "trainer/layout.h"

namespace trainer {

// Element-wise; b has the shape of a, is a vector of a's last dimension, or is [1, C, 1, 1] for a[N, C, H, W].
Tensor* add(Graph& graph, Tensor* a, Tensor* b);
Tensor* subtract(Graph& graph, Tensor* a, Tensor* b);
Tensor* multiply(Graph& graph, Tensor* a, Tensor* b);
// (a - b)^2, b taken as a constant (stop_gradient), as tf.nn.moments does with the mean.
Tensor* squared_difference_to_constant(Graph& graph, Tensor* a, Tensor* b);

Tensor* add_scalar(Graph& graph, Tensor* x, float scalar);
Tensor* multiply_scalar(Graph& graph, Tensor* x, float scalar);
Tensor* divide_scalar(Graph& graph, Tensor* x, float scalar);
Tensor* negate(Graph& graph, Tensor* x);
Tensor* reciprocal_square_root(Graph& graph, Tensor* x);
Tensor* relu(Graph& graph, Tensor* x);
Tensor* sigmoid(Graph& graph, Tensor* x);
Tensor* fill(Graph& graph, Shape shape, float value);
Tensor* add_n(Graph& graph, const std::vector<Tensor*>& parts);  // two or more of one shape; no gradient

Tensor* mean_over_rows(Graph& graph, Tensor* x);       // [..., C] -> [C]
Tensor* sum_over_rows(Graph& graph, Tensor* x);        // [..., C] -> [C]; no gradient
// [N, C, H, W] -> [1, C, 1, 1]. A kernel with one thread per channel: what Eigen had for a sum over two dimensions
// that are not neighbours. The sum has no gradient.
Tensor* mean_per_channel(Graph& graph, Tensor* x);
Tensor* sum_per_channel(Graph& graph, Tensor* x);
Tensor* mean_of_all(Graph& graph, Tensor* x);  // -> scalar
Tensor* global_average_pool(Graph& graph, Tensor* x, Layout layout = Layout::nhwc);  // images -> [N, C]
// Repeats a scalar, a vector of the last dimension, or [N, C] over H and W. neighbours: how often each value comes
// before the next one does (H W where [1, C, 1, 1] or [N, C] fill [N, C, H, W]).
Tensor* tile(Graph& graph, Tensor* x, const Shape& shape, std::int64_t neighbours = 1);

// Zeros around each dimension of a rank-4 tensor: {before, after} per dimension. Its gradient is a slice.
using Paddings = std::array<std::array<std::int64_t, 2>, 4>;
Tensor* pad(Graph& graph, Tensor* x, const Paddings& paddings);
Tensor* slice(Graph& graph, Tensor* x, const Paddings& cut_off);      // drops the borders; no gradient
// Every stride-th row and column of images.
Tensor* strided_slice(Graph& graph, Tensor* x, std::int64_t stride, Layout layout = Layout::nhwc);
Tensor* transpose(Graph& graph, Tensor* x, Layout from);  // images from one layout into the other

// a[M, K] b[K, N], or with an operand transposed. Rank above 2 is taken as rows of the last dimension.
Tensor* matmul(Graph& graph, Tensor* a, Tensor* b, bool transpose_a = false, bool transpose_b = false);

// Square filter [K, K, C_in, C_out], same padding on each side, equal strides.
enum class PaddingStyle : std::uint8_t {
  explicit_ops,  // Pad ops before the convolution and, in the backward pass, of the output gradient
  fused,         // the convolution kernel pads
};
Tensor* convolution(Graph& graph, Tensor* x, Tensor* filter, std::int64_t stride, std::int64_t padding,
                    PaddingStyle style, Layout layout = Layout::nhwc);

// (x - mean) / sqrt(variance + epsilon) * scale + offset per channel, by one cuDNN kernel forward and one backward.
inline constexpr float kBatchNormEpsilon = 1e-3F;  // against a variance of zero
Tensor* fused_batch_norm(Graph& graph, Tensor* x, Tensor* scale, Tensor* offset, Layout layout);

// logits[N, C], labels[N] (class indices): the mean over N of the cross-entropy of softmax(logits).
Tensor* softmax_cross_entropy(Graph& graph, Tensor* logits, Tensor* labels);

// Updates on a variable, in place; kernels as of the Apply* ops.
void apply_momentum(Graph& graph, Tensor* variable, Tensor* accumulator, Tensor* gradient,
                    float learning_rate, float momentum);
struct AdamConstants {
  float learning_rate = 1e-4F, beta1 = 0.5F, beta2 = 0.9F, epsilon = 1e-8F;
};
// step counts updates done before this one; it is read when the op runs, and one op per graph advances it.
void apply_adam(Graph& graph, Tensor* variable, Tensor* first_moment, Tensor* second_moment, Tensor* gradient,
                const AdamConstants& constants, Tensor* step);
void advance_step(Graph& graph, Tensor* step);
// Scales every gradient by min(1, limit / sqrt(sum of all squares)); returns the scaled ones.
std::vector<Tensor*> clip_by_global_norm(Graph& graph, const std::vector<Tensor*>& gradients, float limit);
// The mean of the towers' gradients of one variable.
Tensor* average(Graph& graph, const std::vector<Tensor*>& towers);

}  // namespace trainer
