// Own element-wise kernels, for what is no one expression of Eigen's.
#pragma once

#include <cmath>

#include "trainer/cuda/kernels/for_each_index.h"
#include "trainer/cuda/kernels/kernel.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

// The sum of many tensors in one kernel.
struct AddMany {
  static constexpr int kLimit = 256;  // pointers: 2 KiB of a kernel's 4 KiB of arguments
  const float* parts[kLimit];
  int count;
  float* y;

  TRAINER_BOTH void operator()(std::int64_t i) const {
    float sum = 0;
    for (int part = 0; part < count; ++part) sum += parts[part][i];
    y[i] = sum;
  }
};

// Adam's last step. The rate depends on the number of steps done, which lies on the GPU.
struct AdamVariable {
  const float *first_moment, *second_moment, *step;
  float* variable;
  float learning_rate, beta1, beta2, epsilon;

  TRAINER_BOTH void operator()(std::int64_t i) const {
    const float t = step[0] + 1;
    const float rate = learning_rate * sqrtf(1 - powf(beta2, t)) / (1 - powf(beta1, t));
    variable[i] -= rate * first_moment[i] / (sqrtf(second_moment[i]) + epsilon);
  }
};

// Per row: the largest logit, and the sum of exp(logit - largest). One thread a row: there are few classes.
struct RowStatistics {
  const float* logits;
  float *largest, *sum;
  std::int64_t classes;

  TRAINER_BOTH void operator()(std::int64_t row) const {
    const float* from = logits + row * classes;
    float top = from[0], total = 0;
    for (std::int64_t c = 1; c < classes; ++c) top = from[c] > top ? from[c] : top;
    for (std::int64_t c = 0; c < classes; ++c) total += expf(from[c] - top);
    largest[row] = top;
    sum[row] = total;
  }
};

// softmax(logits) - onehot(label), and the loss of each row.
struct CrossEntropyGradient {
  const float *logits, *labels, *largest, *sum;
  float *losses, *gradient;
  std::int64_t classes;

  TRAINER_BOTH void operator()(std::int64_t i) const {
    const std::int64_t row = i / classes, c = i % classes;
    const float above = logits[i] - largest[row];
    const bool labelled = static_cast<float>(c) == labels[row];
    gradient[i] = expf(above) / sum[row] - (labelled ? 1.0F : 0.0F);
    if (labelled) losses[row] = logf(sum[row]) - above;
  }
};

// parts ..., y; {elements}. One kernel for every kLimit parts: beyond them y is a part itself.
template <class Device>
void add_many(const Device& device, const KernelCall& call) {
  const std::size_t parts = call.tensors.size() - 1;
  AddMany sum{{}, 0, call.tensors.back()};
  for (std::size_t done = 0; done < parts; sum.count = 0) {
    if (done > 0) sum.parts[sum.count++] = sum.y;
    while (done < parts && sum.count < AddMany::kLimit) sum.parts[sum.count++] = call.tensors[done++];
    for_each_index(device, call.extents[0], sum);
  }
}

// variable, first moment, second moment, step, variable; {elements}; learning rate, beta1, beta2, epsilon.
template <class Device>
void adam_variable(const Device& device, const KernelCall& call) {
  const auto& t = call.tensors;
  const auto& c = call.scalars;
  for_each_index(device, call.extents[0], AdamVariable{t[1], t[2], t[3], t[4], c[0], c[1], c[2], c[3]});
}

// logits, statistics; {rows, classes}.
template <class Device>
void row_statistics(const Device& device, const KernelCall& call) {
  const std::int64_t rows = call.extents[0];
  for_each_index(device, rows, RowStatistics{call.tensors[0], call.tensors[1], call.tensors[1] + rows, call.extents[1]});
}

// logits, labels, statistics, losses, gradient; {rows, classes}.
template <class Device>
void cross_entropy_gradient(const Device& device, const KernelCall& call) {
  const auto& t = call.tensors;
  const std::int64_t rows = call.extents[0], classes = call.extents[1];
  for_each_index(device, rows * classes, CrossEntropyGradient{t[0], t[1], t[2], t[2] + rows, t[3], t[4], classes});
}

template <class Device>
KernelList<Device> single_pass_kernels() {
  namespace names = kernel_names;
  return {{names::kAdd3, {}, &add_many<Device>},
          {names::kAdamVariable, {}, &adam_variable<Device>},
          {names::kInnerSum, names::kCrossEntropyVariant, &row_statistics<Device>},
          {names::kSubtract, names::kCrossEntropyVariant, &cross_entropy_gradient<Device>}};
}

}  // namespace trainer::cuda
