#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("MIOpen's convolutions, batch norm and helpers") {
  check_explained({
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32_wt32x32x8_ws1x2_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x4x1_1x"
       "4x1x64",
       "miopen", "convolution forward", "convolution", "miopen: convolution forward 128x256x32", "bfloat16"},
      {"igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt32x64x32_wt16x64x4_ws1x1_wr1x1_ta1x8x1x1_1x4x1x32_tb1x8x1x2_1x4x"
       "1x32_mh",
       "miopen", "convolution data gradient", "convolution", "miopen: conv data gradient 32x64x32",
       "bfloat16"},
      {"igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x256x32_wt32x32x8_ws1x1_wr2x2_ta1x4x1x2_1x8x1x32_tb1x4x1x8_1x8"
       "x1x32_gkgs",
       "miopen", "convolution weight gradient", "convolution", "miopen: conv weight gradient 64x256x32",
       "bfloat16"},
      {"MIOpenBatchNormFwdTrainSpatialNorm", "miopen", "batch norm forward", "normalization",
       "miopen: batch norm forward", ""},
      {"batched_transpose_256x4_half", "miopen", "transpose", "layout change", "miopen: transpose", "half"},
      {"Im2d2Col_v2", "miopen", "im2col", "convolution", "miopen: im2col", ""},
      {"SubTensorOpWithCastTensor1d", "miopen", "cast", "layout change", "miopen: cast", ""},
      {"transpose_NCHW2CNHW_V2_2D_WG_off64", "miopen", "transpose", "layout change", "miopen: transpose", ""},
  });
}
