// AMD's Composable Kernel, first generation (ck::tensor_operation::device::kernel_...) and second
// (ck_tile::kentry<blocks, Kernel>), whose kernel is the argument.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"conv_fwd", "convolution forward", kConvolution},
    {"conv_bwd_data", "convolution data gradient", kConvolution},
    {"conv_bwd_weight", "convolution weight gradient", kConvolution},
    {"bwd_weight", "convolution weight gradient", kConvolution},
    {"bwd_data", "convolution data gradient", kConvolution},
    {"GroupedConvolution", "convolution", kConvolution},
    {"Rmsnorm", "RMS norm", kNormalization},
    {"Layernorm", "layer norm", kNormalization},
    {"batchnorm", "batch norm", kNormalization},
    {"normalization", "normalization", kNormalization},
    {"Softmax", "softmax", kNormalization},
    {"softmax", "softmax", kNormalization},
    {"TopkSoftmax", "softmax and top k", kNormalization},
    {"Moe", "mixture of experts", kMatmul},
    {"gemm", "matrix product", kMatmul},
    {"Gemm", "matrix product", kMatmul},
    {"elementwise", "element-wise arithmetic", kElementWise},
    {"reduce", "reduction", kReduction},
    {"Reduce", "reduction", kReduction},
};

std::string type_of(const ParsedName& name) {
  for (const NameNode& node : name.graph().nodes()) {
    if (node.kind != NodeKind::kBuiltin) continue;
    const std::string type = element_type(node.text);
    if (type == "half" || type == "bfloat16" || type == "float" || type == "double") return type;
    if (node.text == "unsigned short") return "bfloat16";  // CK's first generation stores it so
  }
  return {};
}

std::optional<Explanation> explain_composable_kernel(const ParsedName& name) {
  if (!name.in_namespace("ck") && !name.in_namespace("ck_tile")) return std::nullopt;
  ExplanationParts parts{
      .library = "composable kernel", .operation = readable(name.base()), .type = type_of(name)};
  const Meaning* work = find_meaning(kWork, name.base());
  if (work == nullptr) {
    name.find_identifier([&](std::string_view text) {
      work = find_meaning(kWork, text);
      return work != nullptr;
    });
  }
  if (work != nullptr) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  }
  parts.details = {contains(name.base(), "xdl") ? "matrix cores" : "",
                   contains(name.base(), "grouped") ? "grouped" : "",
                   name.is_complete() ? "" : "the name is cut off"};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily composable_kernel{"composable_kernel", 28, explain_composable_kernel};

}  // namespace gputrace::analyzer
