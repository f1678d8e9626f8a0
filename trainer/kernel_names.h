// Names of the GPU kernels that the ops launch, mangled as a profiler of the CUDA driver sees them. They are
// those of a framework of 2016: Eigen's EigenMetaKernel for element-wise work, where the right-hand side of
// the assignment says what is computed, cuDNN and cuBLAS kernels (which are plain C names) for convolutions
// and matrix products. Element-wise kernels index with 32-bit integers; padding and tiling with 64-bit ones,
// which is what makes those two slow.
#pragma once

#include <string_view>

namespace trainer::kernel_names {

extern const std::string_view kSwapDimensions12;              // [A, B, C] to [A, C, B]: NHWC to NCHW and back
extern const std::string_view kTransformFilter;               // [K, K, in, out] to [out, in, K, K] and back
extern const std::string_view kL2Loss;                        // sum of squares of a whole tensor
extern const std::string_view kFullMean;                      // mean of a whole tensor
extern const std::string_view kInnerSum;                      // sums of rows
extern const std::string_view kInnerMean;                     // means of rows
extern const std::string_view kOuterSum;                      // sums of columns
extern const std::string_view kOuterMean;                     // means of columns
extern const std::string_view kStridedAssign;                 // y[::s] = x
extern const std::string_view kStridedRead;                   // y = x[::s]
extern const std::string_view kSlice;                         // y = x[from:to]
extern const std::string_view kPad;                           // y = x with zeros around; 64-bit indices
extern const std::string_view kTile2;                         // y = tile(x); 64-bit indices
extern const std::string_view kTile4;                         // y = tile(x); 64-bit indices
extern const std::string_view kReluGradient;                  // dy where y > 0
extern const std::string_view kRelu;                          // max(x, 0)
extern const std::string_view kFill;                          // y = c
extern const std::string_view kAdamVariable;                  // v - c m / (sqrt(s) + epsilon)
extern const std::string_view kAdamSecondMoment;              // s + (g^2 - s) c
extern const std::string_view kAdamFirstMoment;               // m + (g - m) c
extern const std::string_view kMomentumVariable;              // v - c a
extern const std::string_view kMomentumAccumulator;           // a c + g
extern const std::string_view kBroadcastAdd;                  // x + b, b along the last dimension
extern const std::string_view kBroadcastMultiply;             // x b, b along the last dimension
extern const std::string_view kBroadcastSubtract;             // x - b, b along the last dimension
extern const std::string_view kBroadcastSquaredDifference;    // (x - b)^2, b along the last dimension
extern const std::string_view kAdd3;                          // x + y + z
extern const std::string_view kAdd;                           // x + y
extern const std::string_view kMultiply;                      // x y
extern const std::string_view kSubtract;                      // x - y
extern const std::string_view kNegate;                        // -x
extern const std::string_view kReciprocalSquareRoot;          // 1 / sqrt(x)
extern const std::string_view kReciprocalSquareRootGradient;  // -y^3 dy / 2
extern const std::string_view kSquareRoot;                    // sqrt(x)
extern const std::string_view kSigmoid;                       // 1 / (1 + exp(-x))
extern const std::string_view kSigmoidGradient;               // dy y (1 - y)
extern const std::string_view kMultiplyScalar;                // x c
extern const std::string_view kAddScalar;                     // x + c
extern const std::string_view kDivideScalar;                  // x / c
extern const std::string_view kConvolutionForward;            // implicit GEMM, few filters
extern const std::string_view kConvolutionBackwardData;       // dgrad
extern const std::string_view kConvolutionBackwardFilter;     // wgrad
extern const std::string_view kSgemmNN;                       // row-major operands: A B
extern const std::string_view kSgemmNT;                       // A B^T
extern const std::string_view kSgemmTN;                       // A^T B
extern const std::string_view kSumOfChannels;                // [N, C, HW] to [C]: a thread per channel
extern const std::string_view kMeanOfChannels;               // the same, means
extern const std::string_view kChannelAdd;                   // x + b, b[1, C, 1] over x[N, C, HW]
extern const std::string_view kChannelMultiply;              // x b, the same
extern const std::string_view kChannelSubtract;              // x - b, the same
extern const std::string_view kChannelSquaredDifference;     // (x - b)^2, the same
extern const std::string_view kShuffle4;                     // dimensions of a rank-4 tensor in another order
extern const std::string_view kBatchNormForward;             // cuDNN, moments and normalization in one
extern const std::string_view kBatchNormBackward;            // cuDNN, all three gradients in one

// KernelOperands::variant of launches whose name also stands for something simpler.
inline constexpr std::string_view kCrossEntropyVariant = "cross entropy";  // of kInnerSum and kSubtract
inline constexpr std::string_view kClipVariant = "clip";                   // of kDivideScalar: x > c ? c / x : 1

}  // namespace trainer::kernel_names
