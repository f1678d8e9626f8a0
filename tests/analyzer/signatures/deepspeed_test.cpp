#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("DeepSpeed's transformer kernels") {
  check_explained({
      {"void attn_softmax_v2<__half, 8>(__half*, __half*)", "deepspeed", "softmax", "normalization",
       "deepspeed: softmax", "half"},
      {"void LayerNormBackward2<float>(float const*, float const*, int)", "deepspeed", "layer norm backward",
       "normalization", "deepspeed: layer norm backward", "float"},
      {"void transform_0213<__half>(__half*, __half const*, int, int, int, int, int)", "deepspeed",
       "transpose", "layout change", "deepspeed: transpose", "half"},
      {"void deepspeed::something_new<float>(float*)", "deepspeed", "something new", "other",
       "deepspeed: something new", "float"},
  });
}

TEST_CASE("only whole names, and only in no namespace, are DeepSpeed's") {
  gputrace::analyzer::Explainer explainer;
  CHECK(explainer.explain("my_attn_softmax(float*)").library == "unknown");
  CHECK(explainer.explain("void mine::attn_softmax<float>(float*)").library == "unknown");
}
