#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("convolutions by direction, tile and precision; and the ops that are none") {
  check_explained({
      {"volta_scudnn_128x64_relu_interior_nn_v1", "cudnn", "convolution forward", "convolution",
       "cudnn: convolution forward 128x64", "float"},
      {"volta_scudnn_128x64_stridedB_small_nn_v1", "cudnn", "convolution data gradient", "convolution",
       "cudnn: convolution data gradient 128x64", "float"},
      {"volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1", "cudnn", "convolution weight gradient",
       "convolution", "cudnn: conv weight gradient 128x64", "float"},
      {"maxwell_scudnn_winograd_128x128_ldg1_ldg4_til...", "cudnn", "convolution", "convolution",
       "cudnn: convolution 128x128", "float"},
      {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4_wa"
       "rpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_train",
       "cudnn", "convolution weight gradient", "convolution", "cudnn: conv weight gradient 128x128x16",
       "tf32"},
      {"sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4_warpsize2x"
       "2x1_g1_tensor16x8x8_execute_kernel_cudnn_infer",
       "cudnn", "convolution data gradient", "convolution", "cudnn: conv data gradient 128x128x16", "tf32"},
      {"void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, true, true>(int, int, int, "
       "float const*, int, float*, float const*, kernel_conv_params, unsigned long long, int, float, float, "
       "int, float const*, float const*, bool, int, int)",
       "cudnn", "convolution forward", "convolution", "cudnn: convolution forward", "float"},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnnTensorStruct, floa"
       "t const*, cudnnTensorStruct, float*, float const*, float const*, float, float, float*, float*, float"
       "*, float*, float, float)",
       "cudnn", "batch norm forward, training", "normalization", "cudnn: batch norm forward, training",
       "float"},
      {"void cudnn::bn_bw_1C11_singleread<float, 512, true, 1, 2, 0>(cudnn::bn_bw_1C11_args<float>)", "cudnn",
       "batch norm backward", "normalization", "cudnn: batch norm backward", "float"},
      {"void nchwToNhwcKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(int, int, int, int"
       ", float const*, float*, float, float)",
       "cudnn", "NCHW to NHWC", "layout change", "cudnn: NCHW to NHWC", "float"},
      {"void pooling_fw_4d_kernel<float, float, cudnn::averpooling_func<float, true>, (cudnnPoolingMode_t)2,"
       " false>(cudnnTensorStruct, float const*, cudnnTensorStruct, float*, cudnnPoolingStruct, float, float"
       ", int, cudnn::reduced_divisor, cudnn::reduced_divisor)",
       "cudnn", "pooling forward", "reduction", "cudnn: pooling forward", "float"},
      {"cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)", "cudnn",
       "offsets of an implicit GEMM", "convolution", "cudnn: offsets of an implicit GEMM", ""},
      {"_Z15fft2d_r2c_32x32IfLb0ELj0ELb0EEvP6float2PKT_iiiiiiiiiN5cudnn15reduced_divisorEb4int2ii", "cudnn",
       "convolution by FFT", "convolution", "cudnn: convolution by FFT 32x32", "float"},
      {"_ZN5cudnn17winograd_nonfused24winogradForwardFilter4x4IffEEvNS0_20WinogradFilterParamsIT_T0_EE",
       "cudnn", "convolution forward", "convolution", "cudnn: convolution forward 4x4", "float"},
  });
}

TEST_CASE("a split along B is the weight gradient, a stride of B alone the data gradient") {
  CHECK(sentence_of("volta_scudnn_128x64_stridedB_small_nn_v1").find("data gradient") != std::string::npos);
  CHECK(sentence_of("volta_scudnn_128x64_stridedB_splitK_small_nn_v1").find("weight gradient") !=
        std::string::npos);
  CHECK(sentence_of("volta_scudnn_128x64_relu_small_nn_v1").find("implicit GEMM · tile 128x64") !=
        std::string::npos);
}
