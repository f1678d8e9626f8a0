#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("PyTorch's launchers tell their functor, their lambda's function, and the type of an element") {
  check_explained({
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Ar"
       "ray<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
       "pytorch", "addition", "element-wise", "pytorch: addition", "float"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
       "pytorch", "fill", "element-wise", "pytorch: fill", "float"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_15exp_kernel_cudaERNS_18TensorIteratorBaseEE"
       "NKUlvE0_clEvENKUlvE0_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
       "pytorch", "exp", "element-wise", "pytorch: exp", "float"},
      {"_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastIZZZNS0_23direct_copy_kerne"
       "l_cudaERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE10_clEvEUlN3c108BFloat16EE_EEvS4_RKT_EUliE_EEviT"
       "1_",
       "pytorch", "copy", "layout change", "pytorch: copy", "bfloat16"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi8EZNS0_25bfloat16_copy_kernel_cudaERNS_18TensorIterat"
       "orBaseEEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
       "pytorch", "cast to bfloat16", "layout change", "pytorch: cast to bfloat16", "float"},
      {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_6MaxOpsIfEEjfLi4EEEEEvT1_", "pytorch",
       "maximum", "reduction", "pytorch: maximum", "float"},
      {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_7MeanOpsIffffEEjfLi4EEEEEvT1_", "pytorch",
       "mean", "reduction", "pytorch: mean", "float"},
      {"_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_functorIfffEc"
       "lERNS_14TensorIteratorEEUlffE_EEjfLi4ELi4EEEEEvT1_",
       "pytorch", "sum", "reduction", "pytorch: sum", "float"},
      {"_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_warp_forwardIfffLi7ELb0ELb0EEEvPT0_PKT_iii"
       "PKbib",
       "pytorch", "softmax", "normalization", "pytorch: softmax", "float"},
      {"void at::native::<unnamed>::vectorized_layer_norm_kernel<float, float, (bool)0>(int, T2, const T1 *,"
       " const T1 *, const T1 *, T2 *, T2 *, T1 *)",
       "pytorch", "layer norm", "normalization", "pytorch: layer norm", "float"},
      {"void at::native::batch_norm_collect_statistics_kernel<at::native::Var, float, float, float, int>(tor"
       "ch::headeronly::detail::GenericPackedTensorAccessor<torch::headeronly::detail::TensorAccessor<c10::A"
       "rrayRef<long>, float const, 2ul, torch::headeronly::RestrictPtrTraits, int>, at::detail::IndexBounds"
       "Check<3ul, int>, float const, 3ul, torch::headeronly::RestrictPtrTraits, int>, float, float, torch::"
       "headeronly::detail::GenericPackedTensorAccessor<torch::headeronly::detail::TensorAccessor<c10::Array"
       "Ref<long>, float, 0ul, torch::headeronly::RestrictPtrTraits, int>, at::detail::IndexBoundsCheck<1ul,"
       " int>, float, 1ul, torch::headeronly::RestrictPtrTraits, int>, torch::headeronly::detail::GenericPac"
       "kedTensorAccessor<torch::headeronly::detail::TensorAccessor<c10::ArrayRef<long>, float, 0ul, torch::"
       "headeronly::RestrictPtrTraits, int>, at::detail::IndexBoundsCheck<1ul, int>, float, 1ul, torch::head"
       "eronly::RestrictPtrTraits, int>)",
       "pytorch", "batch norm", "normalization", "pytorch: batch norm", "float"},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 1, 128, 1>(float*, "
       "at::native::(anonymous namespace)::CatArrInputTensorMetadata<float, unsigned int, 128, 1>, at::nativ"
       "e::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
       "pytorch", "concatenation", "layout change", "pytorch: concatenation", "float"},
      {"void at::native::(anonymous namespace)::indexSelectLargeIndex<float, int, unsigned int, 1, 1, -2, tr"
       "ue>(at::cuda::detail::TensorInfo<float, unsigned int>, at::cuda::detail::TensorInfo<float, unsigned "
       "int>, at::cuda::detail::TensorInfo<int, unsigned int>, int, int, unsigned int, unsigned int, long)",
       "pytorch", "index select", "embedding", "pytorch: index select", "float"},
      {"void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*,"
       " float*, long*, float*, float*, bool, int, int, long, long)",
       "pytorch", "negative log likelihood backward", "reduction", "pytorch: negative log likelihood back...",
       "float"},
      {"void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(float const*, long cons"
       "t*, int, long, long, long, int, int, int, int, int, int, int, int, int, int, float*)",
       "pytorch", "max pooling backward", "reduction", "pytorch: max pooling backward", "float"},
      {"_ZN2at6native50_GLOBAL__N__b6ca21f8_17_ForeachUnaryOp_cu_77fe623d25multi_tensor_apply_kernelINS1_18T"
       "ensorListMetadataILi2EEENS1_14UnaryOpFunctorIfLi2ELi1ELi1EEEJNS0_4SqrtIfEEEEEvT_T0_DpT1_",
       "pytorch", "sqrt", "element-wise", "pytorch: foreach sqrt", "float"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi8EZZZNS0_12_GLOBAL__N_117where_kernel_implERNS_14Tens"
       "orIteratorEENKUlvE_clEvENKUlvE3_clEvEUlbhhE_St5arrayIPcLm4EEEEviT0_T1_.kd",
       "pytorch", "select", "element-wise", "pytorch: select", "uint8"},
      {"void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<at::na"
       "tive::<unnamed>::masked_fill_kernel(at::TensorIterator &, const c10::Scalar &)::[lambda() (instance "
       "1)]::operator ()() const::[lambda() (instance 7)]::operator ()() const::[lambda(float, bool) (instan"
       "ce 1)]>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
       "pytorch", "masked fill", "element-wise", "pytorch: masked fill", "float"},
      {"_ZN2at6native54_GLOBAL__N__4b00444d_21_DistributionNormal_cu_0c5b6e8543distribution_elementwise_grid"
       "_stride_kernelIfLi4EZNS0_9templates4cuda20normal_and_transformIN3c104HalfEfPNS_17CUDAGeneratorImplEZ"
       "ZZNS4_13normal_kernelIS9_EEvRKNS_10TensorBaseEddT_ENKUlvE_clEvENKUlvE1_clEvEUlfE_EEvRNS_18TensorIter"
       "atorBaseET1_T2_EUlP24curandStatePhilox4_32_10E0_ZNS1_27distribution_nullary_kernelIS7_f6float4S9_SO_"
       "SH_EEvSJ_SL_RKT3_T4_EUlifE_EEviNS_15PhiloxCudaStateESK_SL_",
       "pytorch", "random numbers", "element-wise", "pytorch: random numbers", "float"},
  });
}

TEST_CASE("the mangled and both demangled spellings say the same") {
  const std::vector<std::string> names = {
      "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastINS0_13BUnaryFunctorIfffNS0_"
      "15binary_internal10MulFunctor"
      "IfEEEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_",
      "void at::native::elementwise_kernel<(int)128, (int)2, void "
      "at::native::gpu_kernel_impl_nocast<at::native::BUnaryFunctor<float, "
      "float, float, at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase &, const T1 "
      "&)::[lambda(int) (instance "
      "1)]>(int, T3)",
      "void at::native::elementwise_kernel<128, 2, "
      "at::native::gpu_kernel_impl_nocast<at::native::BUnaryFunctor<float, float, float, "
      "at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
      "at::native::BUnaryFunctor<float, float, float, "
      "at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1}>(int, ...)"};
  for (const std::string& name : names) {
    check_explained(
        {{name, "pytorch", "multiplication", "element-wise", "pytorch: multiplication", "float"}});
  }
}

TEST_CASE("an op that no table knows is named by its function") {
  check_explained(
      {{"void at::native::vectorized_elementwise_kernel<4, "
        "at::native::frobnicate_kernel_cuda(at::TensorIteratorBase&)::"
        "{lambda()#1}::operator()() const::{lambda(double)#1}, std::array<char*, 2ul> >(int)",
        "pytorch", "frobnicate", "element-wise", "pytorch: frobnicate", "double"}});
}

TEST_CASE("the index of an extreme is not the extreme") {
  check_explained(
      {{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, "
        "unsigned "
        "int, long, 4> >(int)",
        "pytorch", "argmax", "reduction", "pytorch: argmax", "float"},
       {"void at::native::reduce_kernel<256, 1, at::native::ReduceOp<float, at::native::AbsMaxOps<float, "
        "float>, "
        "unsigned int, float, 4> >(int)",
        "pytorch", "largest magnitude", "reduction", "pytorch: largest magnitude", "float"},
       {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MaxOps<float, long>, "
        "unsigned int, long, 4> >(int)",
        "pytorch", "maximum", "reduction", "pytorch: maximum", "float"}});
}
