// Names of kernels as profilers print them, for tests of rules that ask what a kernel is.
#pragma once

#include <string_view>

namespace gputrace::tests {

inline constexpr std::string_view kPadding =
    "void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, int=4, int=1, long>, int=16>, "
    "Eigen::TensorPaddingOp<Eigen::array<std::pair<int, int>, unsigned long=4> const, Eigen::TensorMap<Eigen::Tensor<float const, int=4, int=1, long>, int=16> const > const > "
    "const, Eigen::GpuDevice>, long>(float, int=4)";
inline constexpr std::string_view kTranspose =
    "void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, int=4, int=1, long>, int=16>, "
    "Eigen::TensorShufflingOp<Eigen::array<int, unsigned long=4> const, Eigen::TensorMap<Eigen::Tensor<float const, int=4, int=1, long>, int=16> const > const > const, "
    "Eigen::GpuDevice>, long>(float, int=4)";
inline constexpr std::string_view kProduct =
    "void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, 2, 1, int>, 16>, "
    "Eigen::TensorCwiseBinaryOp<Eigen::internal::scalar_product_op<float const, float const>, Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16> const, "
    "Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16> const> const> const, Eigen::GpuDevice>, int>(float, int)";
inline constexpr std::string_view kStretchedProduct =
    "void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, 2, 1, int>, 16>, "
    "Eigen::TensorCwiseBinaryOp<Eigen::internal::scalar_product_op<float const, float const>, Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16> const, "
    "Eigen::TensorBroadcastingOp<Eigen::array<int, 2ul> const, Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16> const> const> const> const, Eigen::GpuDevice>, int>(float, int)";
inline constexpr std::string_view kStretch =
    "void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, 2, 1, int>, 16>, "
    "Eigen::TensorBroadcastingOp<Eigen::array<int, 2ul> const, Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16> const> const> const, Eigen::GpuDevice>, int>(float, int)";
inline constexpr std::string_view kMean = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4>)";
inline constexpr std::string_view kRsqrt = "void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int, at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, at::detail::Array<char*, 2>)";
inline constexpr std::string_view kSgemm = "ampere_sgemm_128x64_tn";
inline constexpr std::string_view kTensorCoreGemm = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn";
inline constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

}  // namespace gputrace::tests
