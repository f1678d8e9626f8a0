// MIOpen: "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32_..." (direction, layout, type, tile), batch norm,
// layout helpers.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kKernels[] = {
    {"igemm_fwd", "convolution forward", kConvolution},
    {"igemm_bwd", "convolution data gradient", kConvolution},
    {"igemm_wrw", "convolution weight gradient", kConvolution},
    {"miopenSp3AsmConv", "convolution", kConvolution},
    {"MIOpenConv", "convolution", kConvolution},
    {"gcnAsmConv", "convolution", kConvolution},
    {"Im2d2Col", "im2col", kConvolution},
    {"Col2Im2d", "col2im", kConvolution},
    {"BatchNormFwd", "batch norm forward", kNormalization},
    {"BatchNormBwd", "batch norm backward", kNormalization},
    {"MIOpenSoftmax", "softmax", kNormalization},
    {"MIOpenLRN", "local response normalization", kNormalization},
    {"mloPooling", "pooling", kReduction},
    {"batched_transpose", "transpose", kLayoutChange},
    {"transpose_", "transpose", kLayoutChange},
    {"SubTensorOpWithCast", "cast", kLayoutChange},
    {"SubTensorOpWithScalar", "fill or scaling", kElementWise},
    {"SubTensorOp", "element-wise arithmetic", kElementWise},
    {"OpTensor", "element-wise arithmetic", kElementWise},
    {"MIOpenNeuron", "activation", kElementWise},
};

std::optional<Explanation> explain_miopen(const ParsedName& name) {
  const std::string_view base = name.base();
  const Meaning* kernel = find_meaning(kKernels, base);
  if (kernel == nullptr || name.path() != base || name.is_mangled() || contains(name.text(), "("))
    return std::nullopt;
  if (contains(kernel->word, "transpose") && !base.starts_with(kernel->word)) return std::nullopt;
  ExplanationParts parts{.library = "miopen", .operation = kernel->operation, .op_class = kernel->op_class};
  for (const std::string_view word : words_of(base)) {
    if (parts.type.empty()) parts.type = element_type(word);
    if (word == "fp32") parts.type = "float";
  }
  const std::string tile(base.starts_with("igemm_") ? tile_in(base, base.find("_bt")) : std::string_view());
  parts.short_form = parts.operation;
  if (!tile.empty()) parts.short_form += " " + tile;
  parts.details = {has_word(base, "nhwc")   ? "NHWC"
                   : has_word(base, "nchw") ? "NCHW"
                                            : "",
                   base.starts_with("igemm_") ? "implicit GEMM" : "", detail("tile ", tile)};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily miopen{"miopen", 35, explain_miopen};

}  // namespace gputrace::analyzer
