#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("TensorRT and cuTENSOR") {
  check_explained({
      {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x128x32_stage4_warpsize2x2x"
       "1_g1_tensor16x8x16_t1r3s3_aACCESS_execute_kernel_trt",
       "tensorrt", "convolution forward", "convolution", "tensorrt: convolution forward 128x128x32", "half"},
      {"trt_ampere_h16816gemm_64x64_ldg8_relu_stages_64x5_tn_v1", "tensorrt", "matrix product", "matmul",
       "tensorrt: matrix product 64x64", "half"},
      {"sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False_execute_kernel_trt", "tensorrt", "pooling",
       "reduction", "tensorrt: pooling", ""},
      {"_ZN15genericReformat20copyVectorizedKernelId6__halfS1_Lb1ELb0ELi1EEEvjPKvNS_6ArrayNIXT4_EEENS_25Arra"
       "yNWithReducedDivisorsIXT4_EEES5_iPKfPvS5_S7_S5_iS9_",
       "tensorrt", "reformat", "layout change", "tensorrt: reformat", "double"},
      {"void CUTENSOR_NAMESPACE::permutationKernelPLC3<float, 1>(int)", "cutensor", "transpose",
       "layout change", "cutensor: transpose", "float"},
  });
}
