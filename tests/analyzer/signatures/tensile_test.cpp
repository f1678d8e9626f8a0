#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("rocBLAS's and hipBLASLt's generated products") {
  check_explained({
      {"Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x64x64_MI16x16x1_SN_LDSB0", "tensile",
       "matrix product", "matmul", "tensile: gemm 128x64x64 nn", "bfloat16"},
      {"Cijk_Alik_Bljk_SB_MT64x64x8_SN_APM1", "tensile", "matrix product", "matmul",
       "tensile: gemm 64x64x8 tn", "float"},
      {"Cijk_Ailk_Bjlk_HHS_BH_MT32x32x64_MI16x16x16x1_SN", "tensile", "matrix product", "matmul",
       "tensile: gemm 32x32x64 nt", "half"},
      {"Cijk_Alik_Bjlk_DB_MT32x32x16_SE_K1.kd", "tensile", "matrix product", "matmul",
       "tensile: gemm 32x32x16 tt", "double"},
      {"Cijk_Ailk_Bljk_BBS_BH", "tensile", "matrix product", "matmul", "tensile: gemm nn", "bfloat16"},
  });
}

TEST_CASE("index order gives the transposes") {
  CHECK(sentence_of("Cijk_Alik_Bljk_SB_MT64x64x8_SN_APM1").find("gemm 64x64x8 tn") != std::string::npos);
  CHECK(sentence_of("Cijk_Ailk_Bjlk_SB_MT64x64x8_SN_APM1").find("gemm 64x64x8 nt") != std::string::npos);
}

TEST_CASE("what sums a split product is no product") {
  check_explained({
      {"Cijk_SH_BiasS_HAS_ScaleAlphaVec_PostGSU8_VW4", "tensile", "sum of a split matrix product", "matmul",
       "tensile: sum of a split matrix product", ""},
      {"Cijk_D_BetaOnly_GB.kd", "tensile", "scaling before a matrix product", "element-wise",
       "tensile: scaling before a matrix product", ""},
  });
  CHECK(sentence_of("Cijk_SH_BiasS_HAS_ScaleAlphaVec_PostGSU8_VW4").find("8 parts") != std::string::npos);
}
