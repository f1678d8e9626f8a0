#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("XLA's fusions by kind and root") {
  check_explained({
      {"loop_convert_fusion.kd", "xla", "cast", "layout change", "xla: convert fusion", ""},
      {"loop_add_fusion_3", "xla", "fused ops", "element-wise", "xla: add fusion", ""},
      {"input_transpose_fusion", "xla", "transpose", "layout change", "xla: transpose fusion", ""},
      {"loop_reduce_fusion_4.kd", "xla", "reduction", "reduction", "xla: reduce fusion", ""},
      {"fusion_5.kd", "xla", "fused ops", "element-wise", "xla: fused ops", ""},
      {"fusion.123", "xla", "fused ops", "element-wise", "xla: fused ops", ""},
      {"gemm_fusion_dot_1.kd", "xla", "matrix product", "matmul", "xla: gemm fusion", ""},
      {"wrapped_concatenate", "xla", "concatenation", "layout change", "xla: concatenate", ""},
      {"input_scatter_fusion", "xla", "scatter", "embedding", "xla: scatter fusion", ""},
  });
}

TEST_CASE("a wrapped op is fused with no other") {
  CHECK(sentence_of("wrapped_transpose").find("fused with no other") != std::string::npos);
  CHECK(sentence_of("loop_transpose_fusion").find("fused other ops") != std::string::npos);
}

TEST_CASE("a C++ kernel whose name ends alike is not XLA's") {
  CHECK(gputrace::analyzer::Explainer().explain("void a::my_fusion<int>(int)").library == "unknown");
}
