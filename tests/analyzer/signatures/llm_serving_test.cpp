#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("kernels of libraries for large language models") {
  check_explained({
      {"void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*, c10::BFloat16 const*, long, long, lo"
       "ng, long, long, c10::BFloat16 const*, float, int, int)",
       "vllm", "RMS norm", "normalization", "vllm: RMS norm", "bfloat16"},
      {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(c10::Float8_e4m3fn*, c"
       "10::BFloat16 const*, float const*, int, long, long)",
       "vllm", "quantization", "layout change", "vllm: quantization", "bfloat16"},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiii"
       "b",
       "aiter", "RMS norm and quantization", "normalization", "aiter: RMS norm and quantization", "bfloat16"},
      {"void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScaleQuantizationType)2, __"
       "nv_bfloat16, 32, true>(int, int, int, int, __nv_bfloat16 const*, float const*, unsigned int*, unsign"
       "ed int*, flashinfer::QuantizationSFLayout)",
       "tensorrt-llm", "quantization", "layout change", "tensorrt-llm: quantization", "bfloat16"},
      {"void cuda::swiglu_backward<__nv_bfloat16>(void const*, void const*, void*, int, int)", "deepseek",
       "SwiGLU backward", "element-wise", "deepseek: SwiGLU backward", "bfloat16"},
      {"void moe::dev::routing::routingIndicesOffsetsKernel<moe::dev::routing::routingRenormalize::KernelPar"
       "ams<__nv_bfloat16, __nv_bfloat16, 128, false, true, true> >(moe::dev::routing::routingRenormalize::K"
       "ernelParams<__nv_bfloat16, __nv_bfloat16, 128, false, true, true>)",
       "tensorrt-llm", "expert routing", "other", "tensorrt-llm: expert routing", ""},
      {"dpsk::grouped_gemm::cuda::utils::fill_tensormaps_kernel(CUtensorMap_st, CUtensorMap_st*, void*, int,"
       " long)",
       "deepseek", "tensor maps of a grouped matrix product", "matmul",
       "deepseek: tensor maps of a grouped ma...", ""},
      {"bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_transOut"
       "_schedP2x1x2x3_biasM_bN_tmaOpt_clmp_dynBatch_sm100f",
       "tensorrt-llm", "matrix product", "matmul", "tensorrt-llm: matrix product", "bfloat16"},
  });
}

TEST_CASE("a kernel that only SGLang has") {
  check_explained({{"compute_position_kernel", "sglang", "positions of tokens", "other",
                    "sglang: positions of tokens", ""}});
}
