#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("fused training kernels outside PyTorch itself") {
  check_explained({
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float, float, float, float"
       ", float, float, adamMode_t, float, int, int>(int, int volatile*, TensorListMetadata<4>, AdamFunctor<"
       "float>, float, float, float, float, float, float, adamMode_t, float, int, int)",
       "apex", "adam update", "optimizer", "apex: adam update", "float"},
      {"void layer_norm::ln_bwd_kernel<layer_norm::Kernel_traits<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16"
       ", __nv_bfloat16, float, unsigned int, 512u, 1u, 4u, 1u, 16u, layer_norm::Kernel_traits_base<512u, __"
       "nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, unsigned int, 128u> >, false, false"
       ", false, true>(layer_norm::BwdParams)",
       "apex", "layer norm backward", "normalization", "apex: layer norm backward", "bfloat16"},
      {"void layer_norm::ln_bwd_finalize_kernel<layer_norm::Kernel_traits_finalize<512u, __nv_bfloat16, __nv"
       "_bfloat16, __nv_bfloat16, __nv_bfloat16, float, unsigned int, false, 1024u, 4u, layer_norm::Kernel_t"
       "raits_base<512u, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, unsigned int, 10"
       "24u> >, false, true>(layer_norm::BwdParams)",
       "apex", "layer norm backward", "normalization", "apex: layer norm backward", "bfloat16"},
      {"void transformer_engine::cast_transpose_kernel<float, __nv_bfloat16>(int)", "transformer engine",
       "cast and transpose", "layout change", "transformer engine: cast and transpose", "bfloat16"},
      {"void cuApplyLayerNorm<float, float, c10::Half>(float*)", "apex", "layer norm forward",
       "normalization", "apex: layer norm forward", "half"},
      {"void multi_tensor_apply_kernel<TensorListMetadata<2>, L2NormFunctor<c10::Half>, float*>(int)", "apex",
       "gradient norm", "reduction", "apex: gradient norm", "half"},
      {"void scaled_upper_triang_masked_softmax_warp_forward<c10::Half, c10::Half, float, 10>(c10::Half*)",
       "apex", "softmax", "normalization", "apex: softmax", "half"},
  });
}
