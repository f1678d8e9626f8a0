// Fused training kernels of Apex, Megatron and TransformerEngine.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"Adam", "adam update", kOptimizer},
    {"adam", "adam update", kOptimizer},
    {"LAMB", "LAMB update", kOptimizer},
    {"Lamb", "LAMB update", kOptimizer},
    {"lamb", "LAMB update", kOptimizer},
    {"SGD", "gradient descent update", kOptimizer},
    {"NovoGrad", "NovoGrad update", kOptimizer},
    {"Adagrad", "adagrad update", kOptimizer},
    {"L2Norm", "gradient norm", kReduction},
    {"MaxNorm", "gradient norm", kReduction},
    {"Axpby", "scaled addition of tensors", kOptimizer},
    {"Scale", "gradient scaling", kOptimizer},
    {"ln_fwd", "layer norm forward", kNormalization},
    {"ln_bwd", "layer norm backward", kNormalization},
    {"rmsnorm_fwd", "RMS norm forward", kNormalization},
    {"rmsnorm_bwd", "RMS norm backward", kNormalization},
    {"rmsnorm", "RMS norm", kNormalization},
    {"cuApplyLayerNorm", "layer norm forward", kNormalization},
    {"cuApplyRMSNorm", "RMS norm forward", kNormalization},
    {"LayerNormGrad", "layer norm backward", kNormalization},
    {"ComputeGradInput", "layer norm backward", kNormalization},
    {"GradGammaBeta", "layer norm weight gradient", kNormalization},
    {"softmax", "softmax", kNormalization},
    {"rope", "rotary embedding", kElementWise},
    {"transpose_dbias", "cast, transpose and bias gradient", kLayoutChange},
    {"cast_transpose", "cast and transpose", kLayoutChange},
    {"transpose", "transpose", kLayoutChange},
    {"amax", "largest magnitude, for fp8 scales", kReduction},
    {"scale", "fp8 scales", kElementWise},
    {"cast", "cast", kLayoutChange},
    {"quantize", "quantization", kLayoutChange},
    {"gelu", "gelu", kElementWise},
    {"swiglu", "SwiGLU", kElementWise},
    {"dropout", "dropout", kElementWise},
    {"attn", "attention helper", kAttention},
};

constexpr std::string_view kOwnNames[] = {"cuApplyLayerNorm",
                                          "cuApplyRMSNorm",
                                          "cuComputeGradInput",
                                          "cuComputePartGradGammaBeta",
                                          "cuComputeGradGammaBeta",
                                          "scaled_masked_softmax_warp",
                                          "scaled_upper_triang_masked_softmax",
                                          "scaled_softmax_warp",
                                          "fused_residual_layer_norm"};

std::string_view library_of(const ParsedName& name) {
  if (name.in_namespace("transformer_engine")) return "transformer engine";
  return "apex";
}

bool is_fused_training(const ParsedName& name) {
  if (name.in_namespace("transformer_engine") || name.in_namespace("layer_norm") || name.in_namespace("apex"))
    return true;
  if (name.path() == "multi_tensor_apply_kernel") return true;
  for (const std::string_view own : kOwnNames) {
    if (name.path() == name.base() && name.base().starts_with(own)) return true;
  }
  return false;
}

const Meaning* work_of(const ParsedName& name) {
  if (!contains(name.base(), "multi_tensor_apply")) return find_meaning(kWork, name.base());
  const Meaning* work = nullptr;
  name.find_identifier([&](std::string_view text) {
    work = text == name.base() ? nullptr : find_meaning(kWork, text);
    return work != nullptr;
  });
  return work;
}

std::optional<Explanation> explain_fused_training(const ParsedName& name) {
  if (!is_fused_training(name)) return std::nullopt;
  ExplanationParts parts{.library = std::string(library_of(name)), .operation = readable(name.base())};
  if (const Meaning* work = work_of(name)) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  }
  name.find_identifier([&](std::string_view text) {
    parts.type = element_type(text);
    return !parts.type.empty();
  });
  for (const NameNode& node : name.graph().nodes()) {
    if (parts.type.empty() && node.kind == NodeKind::kBuiltin &&
        (node.text == "float" || node.text == "double"))
      parts.type = node.text;
  }
  parts.details = {contains(name.base(), "multi_tensor_apply") ? "many tensors in one launch" : ""};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily apex{"apex", 45, explain_fused_training};

}  // namespace gputrace::analyzer
