// TensorRT and cuTENSOR: implicit-GEMM convolutions and products built for TensorRT (names end in "_trt" or
// start with "trt_"), reformatting between layers' layouts, and permutations.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"fprop", "convolution forward", kConvolution},
    {"dgrad", "deconvolution", kConvolution},
    {"scudnn", "convolution forward", kConvolution},
    {"winograd", "convolution forward", kConvolution},
    {"pooling", "pooling", kReduction},
    {"gemm", "matrix product", kMatmul},
    {"copyVectorized", "reformat", kLayoutChange},
    {"copyPacked", "reformat", kLayoutChange},
    {"genericReformat", "reformat", kLayoutChange},
    {"permutation", "transpose", kLayoutChange},
    {"contraction", "contraction", kMatmul},
    {"reduction", "reduction", kReduction},
    {"elementwise", "element-wise arithmetic", kElementWise},
    {"resize", "interpolation", kElementWise},
    {"softmax", "softmax", kNormalization},
};

std::string_view library_of(const ParsedName& name) {
  const std::string_view base = name.base();
  if (contains(name.path(), "CUTENSOR") || contains(name.path(), "cutensor")) return "cutensor";
  if (base.starts_with("trt_") || base.ends_with("_trt") || name.in_namespace("genericReformat") ||
      name.in_namespace("nvinfer1"))
    return "tensorrt";
  return {};
}

std::optional<Explanation> explain_tensorrt(const ParsedName& name) {
  const std::string_view library = library_of(name);
  if (library.empty()) return std::nullopt;
  const std::string_view base = name.base();
  ExplanationParts parts{
      .library = std::string(library), .operation = readable(base), .type = first_element_type(name)};
  if (const Meaning* work = find_meaning(kWork, name.path())) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  }
  if (contains(base, "f16f16") || contains(base, "FP16") || contains(base, "h16816") ||
      contains(base, "h884"))
    parts.type = "half";
  if (contains(base, "i8i8")) parts.type = "int8";
  const std::string tile(tile_in(base));
  parts.short_form = parts.operation + (tile.empty() ? "" : " " + tile);
  parts.details = {contains(base, "nhwc") || contains(base, "NHWC") ? "NHWC" : "", detail("tile ", tile),
                   contains(base, "relu") ? "room for relu in the epilogue" : ""};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily tensorrt{"tensorrt", 18, explain_tensorrt};

}  // namespace gputrace::analyzer
