#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("matrix products of four generations of names") {
  check_explained({
      {"ampere_sgemm_128x64_nn", "cublas", "matrix product", "matmul", "cublas: gemm 128x64 nn", "float"},
      {"volta_dgemm_64x64_nt", "cublas", "matrix product", "matmul", "cublas: gemm 64x64 nt", "double"},
      {"volta_h884gemm_128x64_ldg8_nn", "cublas", "matrix product", "matmul", "cublas: gemm 128x64 nn",
       "half"},
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_nn", "cublas", "matrix product", "matmul",
       "cublas: gemm 128x64 nn", "half"},
      {"volta_gcgemm_32x32_nt", "cublas", "matrix product", "matmul", "cublas: gemm 32x32 nt",
       "complex float"},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "cublas", "matrix product", "matmul",
       "cublas: gemm 192x192 tn", "bfloat16"},
      {"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NTN", "cublas", "matrix product", "matmul",
       "cublas: gemm 128x256 nt", "half"},
      {"sgemm_32x32x32_NN_vec", "cublas", "matrix product", "matmul", "cublas: gemm 32x32x32 nn", "float"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_k_off_k"
       "ernel__5x_cublas",
       "cublas", "matrix product", "matmul", "cublas: gemm 64x64x64 tn", "bfloat16"},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_ex"
       "ecute_split_k_kernel__5x_cublas",
       "cublas", "matrix product", "matmul", "cublas: gemm 128x128x8 tn", "float"},
      {"void gemv2T_kernel_val<int, int, float2, float2, float2, (int)128, (int)16, (int)2, (int)2, (bool)0,"
       " cublasGemvParams<cublasGemvTensorBatched<const float2>, cublasGemvTensorBatched<float2>, float2>>(T"
       "11, T5, T5)",
       "cublas", "matrix-vector product", "matmul", "cublas: matrix-vector product", "complex float"},
      {"void splitKreduce_kernel<float, float, float>(cublasSplitKParams<T3>, const T1 *, const T2 *, T2 *, "
       "const T3 *, const T3 *)",
       "cublas", "sum of a split matrix product", "matmul", "cublas: sum of a split matrix product", "float"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float, float, float, f"
       "alse, true, true, false, 7, cublasGemvParams<cublasGemvTensorStridedBatched<float const>, cublasGemv"
       "TensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float> >(cublasGemvParams<"
       "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float const>, cublasGemv"
       "TensorStridedBatched<float>, float>)",
       "cublas", "matrix-vector product", "matmul", "cublas: matrix-vector product", "float"},
      {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensorStridedBatched<__nv_bfloat16 const>, "
       "cublasGemvTensorStridedBatched<float> > >(cublasDotParams<cublasGemvTensorStridedBatched<__nv_bfloat"
       "16 const>, cublasGemvTensorStridedBatched<float> >)",
       "cublas", "dot product", "reduction", "cublas: dot product", "float"},
  });
}

TEST_CASE("transposes, tensor cores and the epilogue are said in words") {
  const std::string bias = sentence_of("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN");
  CHECK(bias.find("A transposed, B as stored") != std::string::npos);
  CHECK(bias.find("bias in the epilogue") != std::string::npos);
  CHECK(bias.find("tensor cores") != std::string::npos);
  CHECK(sentence_of("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN").find("bias") == std::string::npos);
  CHECK(sentence_of("ampere_sgemm_128x64_nn").find("ordinary float units") != std::string::npos);
}

TEST_CASE("the type of a product is that of its inputs") {
  check_explained({{"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_warpgroupsize1x1x1_execute_"
                    "segment_k_off_"
                    "kernel__5x_cublas",
                    "cublas", "matrix product", "matmul", "cublas: gemm 128x128x128 tn", "fp8 e4m3"},
                   {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_"
                    "segment_k_off_kernel__"
                    "5x_cublas",
                    "cublas", "matrix product", "matmul", "cublas: gemm 64x64x64 tn", "bfloat16"}});
}
