#include "trainer/kernel_names.h"

#include <cxxabi.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <string>

namespace names = trainer::kernel_names;

namespace {

std::string demangled(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : "";
}

}  // namespace

TEST_CASE("the padding kernel is the published one") {
  CHECK(
      demangled(names::kPad)
          .starts_with(
              "void "
              "Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<"
              "Eigen::TensorMap<Eigen::Tensor<float, 4, 1, long>, 16>, Eigen::TensorPaddingOp<"
              "Eigen::array<std::pair<int, int>, 4ul> const, "
              "Eigen::TensorMap<Eigen::Tensor<float const, 4, 1, long>, 16> const> const> const, "
              "Eigen::GpuDevice>, long>("));
}

TEST_CASE("the broadcast kernel is the published one") {
  CHECK(
      demangled(names::kTile4)
          .starts_with(
              "void "
              "Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<"
              "Eigen::TensorMap<Eigen::Tensor<float, 4, 1, long>, 16>, Eigen::TensorBroadcastingOp<"
              "Eigen::array<int, 4ul> const, "
              "Eigen::TensorMap<Eigen::Tensor<float const, 4, 1, long>, 16> const> const> const, "
              "Eigen::GpuDevice>, long>("));
}

TEST_CASE("every mangled name demangles to the operation that it stands for") {
  const auto check = [](std::string_view name, const char* part) {
    CAPTURE(name);
    CHECK(demangled(name).find(part) != std::string::npos);
  };
  check(names::kSwapDimensions12, "SwapDimension1And2InTensor3UsingTiles<float>");
  check(names::kTransformFilter, "TensorShufflingOp");
  check(names::kL2Loss, "scalar_square_op");
  check(names::kFullMean, "MeanReducer");
  check(names::kInnerSum, "InnerReductionKernel");
  check(names::kOuterSum, "OuterReductionKernel");
  check(names::kInnerMean, "MeanReducer<float>");
  check(names::kSumOfChannels, "TensorReductionOp<Eigen::internal::SumReducer<float>, Eigen::array<int, 2ul> const");
  check(names::kMeanOfChannels, "MeanReducer<float>");
  check(names::kChannelAdd, "scalar_sum_op");
  check(names::kChannelMultiply, "scalar_product_op");
  check(names::kChannelSubtract, "scalar_difference_op");
  check(names::kChannelSquaredDifference, "scalar_squared_difference_op");
  check(names::kShuffle4, "TensorShufflingOp<Eigen::array<int, 4ul> const");
  check(names::kBatchNormForward, "cudnn::detail::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>");
  check(names::kBatchNormBackward, "cudnn::detail::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>");
  check(names::kOuterMean, "MeanReducer");
  check(names::kStridedAssign, "TensorAssignOp<Eigen::TensorStridingOp");
  check(names::kStridedRead, "TensorStridingOp");
  check(names::kSlice, "TensorSlicingOp");
  check(names::kTile2, "TensorBroadcastingOp<Eigen::array<int, 2ul>");
  check(names::kReluGradient, "TensorSelectOp");
  check(names::kRelu, "scalar_max_op");
  check(names::kFill, "TensorCwiseNullaryOp");
  check(names::kAdamVariable, "scalar_sqrt_op");
  check(names::kAdamSecondMoment, "scalar_square_op");
  check(names::kAdamFirstMoment, "scalar_difference_op");
  check(names::kMomentumVariable, "scalar_difference_op");
  check(names::kMomentumAccumulator, "scalar_sum_op");
  check(names::kBroadcastAdd, "TensorBroadcastingOp");
  check(names::kBroadcastMultiply, "scalar_product_op");
  check(names::kBroadcastSubtract, "scalar_difference_op");
  check(names::kBroadcastSquaredDifference, "scalar_squared_difference_op");
  check(names::kAdd3, "scalar_sum_op");
  check(names::kAdd, "scalar_sum_op");
  check(names::kMultiply, "scalar_product_op");
  check(names::kSubtract, "scalar_difference_op");
  check(names::kNegate, "scalar_opposite_op");
  check(names::kReciprocalSquareRoot, "scalar_rsqrt_op");
  check(names::kReciprocalSquareRootGradient, "scalar_rsqrt_gradient_op");
  check(names::kSquareRoot, "scalar_sqrt_op");
  check(names::kSigmoid, "scalar_sigmoid_op");
  check(names::kSigmoidGradient, "scalar_sigmoid_gradient_op");
  check(names::kMultiplyScalar, "scalar_product_op");
  check(names::kAddScalar, "scalar_sum_op");
  check(names::kDivideScalar, "scalar_quotient_op");
}

TEST_CASE("library kernels are plain names") {
  for (const std::string_view name :
       {names::kConvolutionForward, names::kConvolutionBackwardData, names::kConvolutionBackwardFilter,
        names::kSgemmNN, names::kSgemmNT, names::kSgemmTN}) {
    CHECK(name.starts_with("maxwell_s"));
    CHECK(demangled(name).empty());
  }
}
