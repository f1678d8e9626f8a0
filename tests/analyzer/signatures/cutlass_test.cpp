#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("CUTLASS 2 and 3, by type and by the name made of words") {
  check_explained({
      {"_ZN7cutlass7Kernel2I43cutlass_80_simt_sgemm_128x256_8x4_nt_align1EEvNT_6ParamsE", "cutlass",
       "matrix product", "matmul", "cutlass: gemm 128x256", "float"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4>(cutlass_80_tensorop_s1688ge"
       "mm_64x64_32x6_nn_align4::Params)",
       "cutlass", "matrix product", "matmul", "cutlass: gemm 64x64", "tf32"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_64x64_32x6_nn_align8>(Params)",
       "cutlass", "matrix product", "matmul", "cutlass: gemm 64x64", "half"},
      {"void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaPipelined<cutlass::g"
       "emm::GemmShape<128, 128, 32>, cutlass::half_t, cutlass::layout::RowMajor>, cutlass::epilogue::thread"
       "::LinearCombinationRelu<cutlass::half_t, 8>>>(Params)",
       "cutlass", "matrix product", "matmul", "cutlass: gemm 128x128x32", "half"},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>, cu"
       "tlass::gemm::collective::CollectiveMma<cutlass::bfloat16_t, cute::SM90_64x128x16_F32BF16BF16_SS>>>(P"
       "arams)",
       "cutlass", "matrix product", "matmul", "cutlass: gemm", "bfloat16"},
      {"void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaPipelined<cutlass::g"
       "emm::GemmSha...",
       "cutlass", "matrix product", "matmul", "cutlass: gemm", ""},
      {"void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4>"
       "(cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4::Params)",
       "cutlass", "convolution data gradient", "convolution", "cutlass: conv data gradient 64x128", "tf32"},
      {"void cutlass_cudnn_train::Kernel<cutlass_tensorop_s1688wgrad_optimized_tf32_256x128_16x3_nhwc_align4"
       ">(cutlass_tensorop_s1688wgrad_optimized_tf32_256x128_16x3_nhwc_align4::Params)",
       "cutlass", "convolution weight gradient", "convolution", "cutlass: conv weight gradient 256x128",
       "tf32"},
  });
}

TEST_CASE("tile, stages and epilogue of CUTLASS names") {
  const std::string words = sentence_of(
      "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_64x64_32x6_nn_align8>(Params)");
  CHECK(words.find("tile 64x64 · stages 6 · room for relu in the epilogue · tensor cores") !=
        std::string::npos);
  CHECK(sentence_of("_ZN7cutlass7Kernel2I43cutlass_80_simt_sgemm_128x256_8x4_nt_align1EEvNT_6ParamsE")
            .find("without tensor cores") != std::string::npos);
}

TEST_CASE("a 3.x name gives the instruction's shape before the tile") {
  check_explained(
      {{"cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x256x64_2x1x1_0_tnn_align8_"
        "warpspecialized_pingpong_epi_tma",
        "cutlass", "matrix product", "matmul", "cutlass: gemm 128x256x64", "bfloat16"}});
}
