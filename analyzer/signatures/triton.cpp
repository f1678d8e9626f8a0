// Triton: kernels that TorchInductor generates name the ops they fuse ("triton_poi_fused_add_relu_3");
// hand-written ones keep the name of their Python function.
#include <algorithm>

#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

// ATen ops as Inductor writes them between underscores, those with underscores of their own first. The
// classes rank: a kernel that fuses a softmax with additions is a normalization.
constexpr Meaning kOps[] = {
    {"scaled_dot_product_flash_attention", "attention", kAttention},
    {"native_layer_norm_backward", "layer norm backward", kNormalization},
    {"native_layer_norm", "layer norm", kNormalization},
    {"native_group_norm", "group norm", kNormalization},
    {"native_batch_norm", "batch norm", kNormalization},
    {"layer_norm", "layer norm", kNormalization},
    {"log_softmax", "log softmax", kNormalization},
    {"softmax", "softmax", kNormalization},
    {"rsqrt", "normalization", kNormalization},
    {"nll_loss", "loss", kReduction},
    {"max_pool", "max pooling", kReduction},
    {"embedding", "embedding", kEmbedding},
    {"index_put", "index put", kEmbedding},
    {"index_select", "index select", kEmbedding},
    {"gather", "gather", kEmbedding},
    {"amax", "maximum", kReduction},
    {"amin", "minimum", kReduction},
    {"argmax", "argmax", kReduction},
    {"mean", "mean", kReduction},
    {"sum", "sum", kReduction},
    {"var", "variance", kReduction},
};

constexpr Meaning kHandWritten[] = {
    {"matmul", "matrix product", kMatmul},
    {"gemm", "matrix product", kMatmul},
    {"_mm_", "matrix product", kMatmul},
    {"bmm", "matrix product", kMatmul},
    {"attn", "attention", kAttention},
    {"attention", "attention", kAttention},
    {"softmax", "softmax", kNormalization},
    {"layer_norm", "layer norm", kNormalization},
    {"layernorm", "layer norm", kNormalization},
    {"rms_norm", "RMS norm", kNormalization},
    {"rmsnorm", "RMS norm", kNormalization},
    {"topk", "top k", kReduction},
    {"cross_entropy", "cross entropy", kNormalization},
    {"rotary", "rotary embedding", kElementWise},
    {"rope", "rotary embedding", kElementWise},
    {"routing", "expert routing", kOther},
    {"sum", "sum", kReduction},
    {"memset", "fill", kElementWise},
    {"kv_indices", "indices of a key-value cache", kEmbedding},
    {"adam", "adam update", kOptimizer},
};

// ATen ops whose names hold an underscore: without them a list cannot be taken apart.
constexpr std::string_view kOpsWithUnderscores[] = {
    "scaled_dot_product_flash_attention",
    "scaled_dot_product_efficient_attention",
    "native_layer_norm_backward",
    "native_layer_norm",
    "native_group_norm_backward",
    "native_group_norm",
    "native_batch_norm_backward",
    "native_batch_norm",
    "native_batch_norm_legit_functional",
    "native_dropout_backward",
    "native_dropout",
    "layer_norm",
    "log_softmax_backward_data",
    "log_softmax",
    "softmax_backward_data",
    "to_copy",
    "unsafe_view",
    "unsafe_index_put",
    "unsafe_index",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "new_zeros",
    "new_ones",
    "new_full",
    "scalar_tensor",
    "as_strided",
    "logical_and",
    "logical_or",
    "logical_not",
    "bitwise_and",
    "bitwise_or",
    "bitwise_not",
    "max_pool2d_with_indices_backward",
    "max_pool2d_with_indices",
    "low_memory_max_pool2d_with_offsets",
    "avg_pool2d_backward",
    "avg_pool2d",
    "adaptive_avg_pool2d",
    "nll_loss_backward",
    "nll_loss_forward",
    "nll_loss",
    "mse_loss",
    "index_put",
    "index_select",
    "index_add",
    "scatter_add",
    "slice_scatter",
    "slice_backward",
    "select_scatter",
    "select_backward",
    "embedding_dense_backward",
    "convolution_backward",
    "threshold_backward",
    "gelu_backward",
    "silu_backward",
    "sigmoid_backward",
    "tanh_backward",
    "hardtanh_backward",
    "leaky_relu",
    "constant_pad_nd",
    "fmha_v3_fwd",
    "masked_fill",
};

bool is_inductor(std::string_view base) { return base.starts_with("triton_") && contains(base, "_fused"); }

// Triton's kernels from Python: leading underscore, no C++ parameters, and what Triton 2 appended: "_0d1d2d".
bool is_specialized(std::string_view base) {
  return contains(base, "_0d1d") || contains(base, "_0d1c") || contains(base, "__0d");
}

// Products and attention that Inductor generates itself: "triton_tem_fused_addmm_relu_3", "triton_mm".
constexpr Meaning kTemplates[] = {
    {"attention", "attention", kAttention},
    {"convolution", "convolution", kConvolution},
    {"mm", "matrix product", kMatmul},
};

const Meaning* template_of(std::string_view base) {
  const bool is_template =
      base.starts_with("triton_tem_") || base.starts_with("triton_mm") || base.starts_with("triton_bmm");
  return is_template ? find_meaning(kTemplates, base) : nullptr;
}

// The ops between "fused_" and the kernel's number.
std::vector<std::string> fused_ops(std::string_view base) {
  std::string_view list = base.substr(base.find("_fused") + 6);
  if (const std::size_t specialization = list.find("_0d1d"); specialization != std::string_view::npos)
    list = list.substr(0, specialization);
  std::vector<std::string> ops;
  while (!list.empty()) {
    if (list.front() == '_') list.remove_prefix(1);
    std::string_view known;
    for (const std::string_view op : kOpsWithUnderscores) {
      const bool is_next = list.starts_with(op) && (list.size() == op.size() || list[op.size()] == '_');
      if (is_next && op.size() > known.size()) known = op;
    }
    if (known.empty()) known = list.substr(0, list.find('_'));
    list.remove_prefix(known.size());
    const bool is_number = known.find_first_not_of("0123456789") == std::string_view::npos;
    if (!known.empty() && !is_number) ops.emplace_back(known);
    if (known.empty() && !list.empty() && list.front() != '_') break;
  }
  return ops;
}

// Inductor leaves these to libraries and only lists them where it uses their result.
bool is_product(std::string_view op) {
  return op == "mm" || op == "addmm" || op == "bmm" || op == "baddbmm" || op == "convolution" ||
         op == "Linear";
}

// Ops that only name another view of the same memory.
bool is_view(std::string_view op) {
  for (const std::string_view view : {"view", "unsafe_view", "transpose", "permute", "unsqueeze", "squeeze",
                                      "slice", "split", "expand", "t", "unbind", "as_strided", "empty"}) {
    if (op == view) return true;
  }
  return false;
}

Explanation explain_inductor(const ParsedName& name) {
  const std::string_view base = name.base();
  const std::vector<std::string> all = fused_ops(base);
  std::string computed, list;
  for (const std::string& op : all) {
    list += (list.empty() ? "" : ", ") + op;
    if (!is_view(op) && !is_product(op))
      computed += (computed.empty() ? "" : "+") + (op == "to_copy" ? std::string("cast") : op);
  }
  const Meaning* op = find_meaning(kOps, base);
  const bool reduces = base.starts_with("triton_red_") || base.starts_with("triton_per_");
  const bool only_moves = computed.empty() || computed == "cast" || computed == "clone" || computed == "cat";
  ExplanationParts parts{
      .library = "triton", .operation = "fused element-wise ops", .op_class = kElementWise};
  if (op != nullptr && (reduces || std::string_view(op->op_class) == kEmbedding)) {
    parts.operation = op->operation;
    parts.op_class = op->op_class;
  } else if (reduces) {
    parts.operation = "fused reduction";
    parts.op_class = kReduction;
  } else if (only_moves && !all.empty()) {
    parts.operation = computed.empty() ? "copy to another layout" : computed;
    parts.op_class = kLayoutChange;
  }
  parts.short_form = computed.empty() ? parts.operation : computed;
  parts.details = {base.starts_with("triton_per_")   ? "reduction within one block"
                   : base.starts_with("triton_red_") ? "reduction in a loop"
                                                     : "one pass over the elements"};
  if (!list.empty()) parts.why = "TorchInductor fused these ops of the graph into it: " + list + ".";
  const bool lists_product =
      std::any_of(all.begin(), all.end(), [](const std::string& one) { return is_product(one); });
  if (lists_product)
    parts.why += " Matrix products and convolutions in the list ran elsewhere; only their result is used.";
  return explanation_of(std::move(parts));
}

std::optional<Explanation> explain_triton(const ParsedName& name) {
  const std::string_view base = name.base();
  if (const Meaning* product = template_of(base)) {
    return explanation_of({.library = "triton",
                           .operation = product->operation,
                           .op_class = product->op_class,
                           .details = {"TorchInductor template"}});
  }
  if (is_inductor(base)) return explain_inductor(name);
  const bool is_python = base.starts_with("_") && !contains(base, "pgi") && name.path() == base &&
                         !contains(name.text(), "(") && !name.is_mangled() && !base.starts_with("__");
  const Meaning* op = find_meaning(kHandWritten, base);
  if (base.ends_with("_triton") || is_specialized(base) || base.starts_with("triton") ||
      (is_python && op != nullptr)) {
    ExplanationParts parts{.library = "triton",
                           .operation = op != nullptr ? op->operation : "",
                           .op_class = op != nullptr ? op->op_class : kOther};
    if (base.starts_with("triton__")) {
      parts.operation = "fused element-wise ops";
      parts.op_class = kElementWise;
      parts.why = "TorchInductor generated it; this version does not name the ops it fused.";
    }
    parts.short_form = parts.operation.empty() ? readable(base) : parts.operation;
    return explanation_of(std::move(parts));
  }
  return std::nullopt;
}

}  // namespace

extern constinit const SignatureFamily triton{"triton", 50, explain_triton};

}  // namespace gputrace::analyzer
