// DeepSpeed's transformer kernels, most of them in the global namespace. Its optimisers are apex's
// multi_tensor_apply_kernel. Names: csrc/transformer and deepspeed/inference/v2/kernels of DeepSpeed 0.5 to
// 0.16.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

// Whole names where they are plain, so that nobody else's kernel is taken for DeepSpeed's.
constexpr Meaning kKernels[] = {
    {"attn_softmax", "softmax", kNormalization},
    {"attn_softmax_v2", "softmax", kNormalization},
    {"softmax_backward_kernel_v2", "softmax backward", kNormalization},
    {"LayerNormBackward1", "layer norm weight gradient", kNormalization},
    {"LayerNormBackward2", "layer norm backward", kNormalization},
    {"LayerNormBackward1_fused_add", "layer norm weight gradient", kNormalization},
    {"LayerNormBackward2_fused_add", "layer norm backward", kNormalization},
    {"fused_bias_residual_layer_norm", "bias, residual and layer norm", kNormalization},
    {"fused_bias_gelu", "bias and gelu", kElementWise},
    {"fused_bias_geglu", "bias and gated gelu", kElementWise},
    {"fused_bias_residual", "bias and residual", kElementWise},
    {"fused_add2_kernel", "addition", kElementWise},
    {"fused_add3_kernel", "addition", kElementWise},
    {"fused_add4_kernel", "addition", kElementWise},
    {"d_gelu_func", "gelu backward", kElementWise},
    {"transform_0213", "transpose", kLayoutChange},
    {"bias_add_transform_0213", "bias add and transpose", kLayoutChange},
    {"transform4d_0213", "transpose", kLayoutChange},
    {"apply_rotary_pos_half", "rotary embedding", kElementWise},
    {"apply_rotary_pos_emb", "rotary embedding", kElementWise},
    {"kv_rotary_pos_kernel", "rotary embedding, write to the key-value cache", kEmbedding},
    {"cached_quantization", "quantization", kLayoutChange},
    {"moe_res_matmul", "mix of an expert with the residual", kElementWise},
    {"top_k_gating_kernel", "expert routing", kOther},
    {"ragged_embed_kernel", "embedding", kEmbedding},
    {"column_sum_reduce", "bias gradient", kReduction},
};

std::optional<Explanation> explain_deepspeed(const ParsedName& name) {
  const std::string_view base = name.base();
  const bool is_scoped = name.in_namespace("deepspeed") || name.in_namespace("DeepSpeed");
  if (!is_scoped && name.path() != base) return std::nullopt;
  const Meaning* work = nullptr;
  for (const Meaning& row : kKernels) {
    if (row.word == base) work = &row;
  }
  if (work == nullptr && !is_scoped) return std::nullopt;
  ExplanationParts parts{.library = "deepspeed",
                         .operation = work != nullptr ? work->operation : readable(base),
                         .op_class = work != nullptr ? work->op_class : kOther,
                         .type = first_element_type(name)};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily deepspeed{"deepspeed", 46, explain_deepspeed};

}  // namespace gputrace::analyzer
