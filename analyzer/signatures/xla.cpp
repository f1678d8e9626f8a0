// XLA names a fused kernel for its kind and root: "loop_add_fusion_3", "input_reduce_fusion",
// "gemm_fusion_dot_1"; older versions only number them: "fusion_5", "fusion.123".
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kRoots[] = {
    {"gemm_fusion", "matrix product", kMatmul},
    {"dot", "matrix product", kMatmul},
    {"convolution", "convolution", kConvolution},
    {"transpose", "transpose", kLayoutChange},
    {"pad", "padding", kLayoutChange},
    {"concatenate", "concatenation", kLayoutChange},
    {"broadcast", "broadcast", kLayoutChange},
    {"slice", "slice", kLayoutChange},
    {"convert", "cast", kLayoutChange},
    {"copy", "copy", kLayoutChange},
    {"reduce_window", "pooling", kReduction},
    {"reduce", "reduction", kReduction},
    {"softmax", "softmax", kNormalization},
    {"scatter", "scatter", kEmbedding},
    {"gather", "gather", kEmbedding},
    {"sort", "sort", kOther},
    {"rng", "random numbers", kElementWise},
};

bool is_xla(std::string_view base) {
  const bool is_fusion = base.ends_with("_fusion") || contains(base, "_fusion_") || base == "fusion" ||
                         base.starts_with("fusion_");
  return (is_fusion && !contains(base, "::")) || base.starts_with("wrapped_") ||
         base.starts_with("gemm_fusion");
}

std::string root_of(std::string_view base) {
  for (const std::string_view prefix : {"loop_", "input_", "wrapped_"}) {
    if (base.starts_with(prefix)) base.remove_prefix(prefix.size());
  }
  const std::size_t end = base.find("fusion");
  if (end != std::string_view::npos) base = base.substr(0, end);
  while (base.ends_with('_')) base.remove_suffix(1);
  return std::string(base);
}

std::optional<Explanation> explain_xla(const ParsedName& name) {
  const std::string_view base = name.base();
  if (name.is_mangled() || contains(name.text(), "(") || !is_xla(base)) return std::nullopt;
  const Meaning* root = find_meaning(kRoots, base);
  ExplanationParts parts{.library = "xla", .operation = "fused ops", .op_class = kElementWise};
  if (root != nullptr) {
    parts.operation = root->operation;
    parts.op_class = root->op_class;
  }
  const std::string word = root_of(base);
  const bool is_alone = base.starts_with("wrapped_");
  parts.short_form = word.empty() ? parts.operation : is_alone ? word : word + " fusion";
  parts.details = {base.starts_with("loop_")    ? "one thread per result"
                   : base.starts_with("input_") ? "one thread per input"
                                                : ""};
  parts.why = word.empty() ? "XLA fused several ops into it; this version only numbers its fusions."
              : is_alone   ? "One op of the graph that XLA fused with no other."
                           : "XLA fused other ops into it; the name gives the last one.";
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily xla{"xla", 55, explain_xla};

}  // namespace gputrace::analyzer
