#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("TorchInductor's names give the ops they fuse") {
  check_explained({
      {"triton_poi_fused_add_addmm_silu_22", "triton", "fused element-wise ops", "element-wise",
       "triton: add+silu", ""},
      {"triton_poi_fused__to_copy_1", "triton", "cast", "layout change", "triton: cast", ""},
      {"triton_poi_fused_relu_1_0d1d2d", "triton", "fused element-wise ops", "element-wise", "triton: relu",
       ""},
      {"triton_poi_fused_0", "triton", "fused element-wise ops", "element-wise",
       "triton: fused element-wise ops", ""},
      {"triton_per_fused_layer_norm_tanh_0_0d1d2d3d4d", "triton", "layer norm", "normalization",
       "triton: layer_norm+tanh", ""},
      {"triton_red_fused_add_addmm_mul_native_layer_norm_split_unsqueeze_view_14", "triton", "layer norm",
       "normalization", "triton: add+mul+native_layer_norm", ""},
      {"triton_poi_fused__unsafe_view_clone_slice_transpose_11", "triton", "clone", "layout change",
       "triton: clone", ""},
      {"triton__0d1d2d", "triton", "fused element-wise ops", "element-wise", "triton: fused element-wise ops",
       ""},
      {"create_flashinfer_kv_indices_triton", "triton", "indices of a key-value cache", "embedding",
       "triton: indices of a key-value cache", ""},
      {"_topk_forward", "triton", "top k", "reduction", "triton: top k", ""},
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1", "triton", "matrix product", "matmul",
       "triton: matrix product", ""},
  });
}

TEST_CASE("a product whose result is only used is said to have run elsewhere") {
  const std::string text = sentence_of("triton_poi_fused_add_addmm_silu_22");
  CHECK(text.find("add, addmm, silu") != std::string::npos);
  CHECK(text.find("ran elsewhere") != std::string::npos);
}

TEST_CASE("Inductor's templates are products themselves") {
  check_explained({
      {"triton_tem_fused_addmm_relu_4", "triton", "matrix product", "matmul", "triton: matrix product", ""},
      {"triton_tem_fused_flex_attention_1", "triton", "attention", "attention", "triton: attention", ""},
      {"triton_tem_fused_convolution_2", "triton", "convolution", "convolution", "triton: convolution", ""},
  });
}

TEST_CASE("ops with underscores are taken whole from the list") {
  check_explained(
      {{"triton_poi_fused_native_dropout_threshold_backward_7", "triton", "fused element-wise ops",
        "element-wise", "triton: native_dropout+threshold_back...", ""}});
  CHECK(sentence_of("triton_per_fused_native_layer_norm_native_layer_norm_backward_2")
            .find("native_layer_norm, native_layer_norm_backward") != std::string::npos);
}
