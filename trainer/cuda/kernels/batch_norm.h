// Fused batch norm over NCHW, a block per channel: the moments (or the sums for the gradients), then the values. Formulas as in
// trainer/ops/batch_norm.cpp. Sums in double: a channel has 131072 values and more.
#pragma once

#include <cmath>

#include "trainer/cuda/kernels/block_program.h"
#include "trainer/cuda/kernels/kernel.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

// The values of a channel, numbered over all images.
struct ChannelValues {
  std::int64_t images, channels, pixels;

  TRAINER_BOTH std::int64_t count() const { return images * pixels; }
  // Divides in 32 bits, which a GPU does several times as fast: the values of a tensor are fewer (cuda_backend.cpp sees to it).
  TRAINER_BOTH std::int64_t offset(std::int64_t channel, std::int64_t i) const {
    const auto value = static_cast<std::uint32_t>(i), plane = static_cast<std::uint32_t>(pixels), image = value / plane;
    return (image * channels + channel) * pixels + (value - image * plane);
  }
};

// Halves the number of partial sums with each phase: one is left after kPhases.
struct TreeSum {
  static constexpr int kThreads = 512, kPhases = 9;

  TRAINER_BOTH static void add(double (&sums)[kThreads], int phase, int thread) {
    const int half = kThreads >> (phase + 1);
    if (thread < half) sums[thread] += sums[thread + half];
  }
};

struct BatchNormForward {
  static constexpr int kThreads = TreeSum::kThreads;
  struct Shared {
    double sums[kThreads], squares[kThreads];
  };
  struct Thread {};

  const float *x, *scale, *offset;
  float *y, *mean, *inverse_deviation;
  ChannelValues values;
  float epsilon;

  TRAINER_BOTH void start(Thread&, std::int64_t, int) const {}
  TRAINER_BOTH bool phase(int phase, Shared& shared, Thread&, std::int64_t channel, int thread) const {
    constexpr int kSquares = TreeSum::kPhases + 1, kWrite = 2 * kSquares;
    if (phase == 0) {
      shared.sums[thread] = sum_of(channel, thread, 0, false);
    } else if (phase < kSquares) {
      TreeSum::add(shared.sums, phase - 1, thread);
    } else if (phase == kSquares) {
      shared.squares[thread] = sum_of(channel, thread, shared.sums[0] / static_cast<double>(values.count()), true);
    } else if (phase < kWrite) {
      TreeSum::add(shared.squares, phase - kSquares - 1, thread);
    } else {
      write(shared, channel, thread);
    }
    return phase < kWrite;
  }

 private:
  TRAINER_BOTH double sum_of(std::int64_t channel, int thread, double around, bool squared) const {
    double sum = 0;
    for (std::int64_t i = thread; i < values.count(); i += kThreads) {
      const double value = x[values.offset(channel, i)] - around;
      sum += squared ? value * value : value;
    }
    return sum;
  }

  TRAINER_BOTH void write(const Shared& shared, std::int64_t channel, int thread) const {
    const double count = static_cast<double>(values.count()), average = shared.sums[0] / count;
    const double inverse = 1 / sqrt(shared.squares[0] / count + epsilon);
    for (std::int64_t i = thread; i < values.count(); i += kThreads) {
      const std::int64_t at = values.offset(channel, i);
      y[at] = static_cast<float>((x[at] - average) * inverse * scale[channel] + offset[channel]);
    }
    if (thread != 0) return;
    mean[channel] = static_cast<float>(average);
    inverse_deviation[channel] = static_cast<float>(inverse);
  }
};

struct BatchNormBackward {
  static constexpr int kThreads = TreeSum::kThreads;
  struct Shared {
    double sums[kThreads], projections[kThreads];
  };
  struct Thread {};

  const float *dy, *x, *scale, *mean, *inverse_deviation;
  float *dx, *dscale, *doffset;
  ChannelValues values;

  TRAINER_BOTH void start(Thread&, std::int64_t, int) const {}
  TRAINER_BOTH bool phase(int phase, Shared& shared, Thread&, std::int64_t channel, int thread) const {
    constexpr int kWrite = TreeSum::kPhases + 1;
    if (phase == 0) {
      sum(shared, channel, thread);
    } else if (phase < kWrite) {
      TreeSum::add(shared.sums, phase - 1, thread);
      TreeSum::add(shared.projections, phase - 1, thread);
    } else {
      write(shared, channel, thread);
    }
    return phase < kWrite;
  }

 private:
  TRAINER_BOTH double normalized(std::int64_t channel, std::int64_t at) const {
    return (x[at] - static_cast<double>(mean[channel])) * inverse_deviation[channel];
  }

  TRAINER_BOTH void sum(Shared& shared, std::int64_t channel, int thread) const {
    double sum = 0, projected = 0;
    for (std::int64_t i = thread; i < values.count(); i += kThreads) {
      const std::int64_t at = values.offset(channel, i);
      sum += dy[at];
      projected += dy[at] * normalized(channel, at);
    }
    shared.sums[thread] = sum;
    shared.projections[thread] = projected;
  }

  TRAINER_BOTH void write(const Shared& shared, std::int64_t channel, int thread) const {
    const double count = static_cast<double>(values.count()), factor = static_cast<double>(scale[channel]) * inverse_deviation[channel];
    const double mean_dy = shared.sums[0] / count, mean_projected = shared.projections[0] / count;
    for (std::int64_t i = thread; i < values.count(); i += kThreads) {
      const std::int64_t at = values.offset(channel, i);
      dx[at] = static_cast<float>(factor * (dy[at] - mean_dy - normalized(channel, at) * mean_projected));
    }
    if (thread != 0) return;
    dscale[channel] = static_cast<float>(shared.projections[0]);
    doffset[channel] = static_cast<float>(shared.sums[0]);
  }
};

// x, scale, offset, y, mean, inverse deviation; {N, C, HW}; epsilon.
template <class Device>
void batch_norm_forward(const Device& device, const KernelCall& call) {
  const auto& t = call.tensors;
  const ChannelValues values{call.extents[0], call.extents[1], call.extents[2]};
  run_blocks(device, values.channels, BatchNormForward{t[0], t[1], t[2], t[3], t[4], t[5], values, call.scalars[0]});
}

// dy, x, scale, mean, inverse deviation, dx, dscale, doffset; {N, C, HW}.
template <class Device>
void batch_norm_backward(const Device& device, const KernelCall& call) {
  const auto& t = call.tensors;
  const ChannelValues values{call.extents[0], call.extents[1], call.extents[2]};
  run_blocks(device, values.channels, BatchNormBackward{t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], values});
}

template <class Device>
KernelList<Device> batch_norm_kernels() {
  return {{kernel_names::kBatchNormForward, {}, &batch_norm_forward<Device>},
          {kernel_names::kBatchNormBackward, {}, &batch_norm_backward<Device>}};
}

}  // namespace trainer::cuda
