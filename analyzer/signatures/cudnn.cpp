// cuDNN's kernels: convolutions by all their algorithms, batch norm, pooling, tensor ops. The meaning of the
// words was taken from which API calls launch them (forward, backward data, backward filter).
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr const char* kForward = "convolution forward";
constexpr const char* kDataGradient = "convolution data gradient";
constexpr const char* kWeightGradient = "convolution weight gradient";

// Of convolutions, in this order: the backward words also stand in names with forward ones.
constexpr Meaning kDirections[] = {
    {"stridedB_splitK", kWeightGradient, kConvolution},
    {"stridedB", kDataGradient, kConvolution},
    {"wgrad", kWeightGradient, kConvolution},
    {"Wgrad", kWeightGradient, kConvolution},
    {"dgrad", kDataGradient, kConvolution},
    {"Dgrad", kDataGradient, kConvolution},
    {"fprop", kForward, kConvolution},
    {"Fprop", kForward, kConvolution},
    {"Forward", kForward, kConvolution},
    {"relu", kForward, kConvolution},
    {"convolve", kForward, kConvolution},
    {"first_layer", kForward, kConvolution},
    {"winograd", "convolution", kConvolution},
    {"cudnn_", "convolution", kConvolution},
};

constexpr Meaning kAlgorithms[] = {
    {"winograd_nonfused", "Winograd, separate passes", ""},
    {"inograd", "Winograd", ""},
    {"fft", "FFT", ""},
    {"implicit_gemm", "implicit GEMM", ""},
    {"implicit_convolve", "implicit GEMM", ""},
    {"explicit_convolve", "explicit GEMM (im2col)", ""},
    {"scudnn", "implicit GEMM", ""},
    {"cudnn_", "implicit GEMM", ""},
    {"alg0", "direct, with atomic adds", ""},
    {"alg1", "direct", ""},
};

// The helpers and the ops that are no convolution.
constexpr Meaning kOps[] = {
    {"ffsetsKernel", "offsets of an implicit GEMM", kConvolution},
    {"computeOffset", "offsets of an implicit GEMM", kConvolution},
    {"setOutputKernel", "clear before a convolution", kConvolution},
    {"compute_gemm_pointers", "pointers of a batched GEMM", kConvolution},
    {"reduce_wgrad", "sum of partial weight gradients", kConvolution},
    {"bn_fw_tr", "batch norm forward, training", kNormalization},
    {"bn_fw_inf", "batch norm forward, inference", kNormalization},
    {"bn_fw", "batch norm forward", kNormalization},
    {"bn_bw", "batch norm backward", kNormalization},
    {"batchnorm", "batch norm", kNormalization},
    {"softmax_fw", "softmax forward", kNormalization},
    {"softmax_bw", "softmax backward", kNormalization},
    {"lrn", "local response normalization", kNormalization},
    {"pooling_fw", "pooling forward", kReduction},
    {"pooling_bw", "pooling backward", kReduction},
    {"pooling", "pooling", kReduction},
    {"activation_fw", "activation forward", kElementWise},
    {"activation_bw", "activation backward", kElementWise},
    {"nchwToNhwc", "NCHW to NHWC", kLayoutChange},
    {"nhwcToNchw", "NHWC to NCHW", kLayoutChange},
    {"nchwToFoldedNhwc", "NCHW to NHWC", kLayoutChange},
    {"foldedNhwcToNchw", "NHWC to NCHW", kLayoutChange},
    {"nhwcAddPadding", "padding", kLayoutChange},
    {"AddPadding", "padding", kLayoutChange},
    {"transpose", "transpose", kLayoutChange},
    {"kern_precompute_indices", "indices of an implicit GEMM", kConvolution},
    {"im2col", "im2col", kConvolution},
    {"flip_filter", "filter flip (FFT convolution)", kConvolution},
    {"pointwise_mult_and_sum_complex", "products of an FFT convolution", kConvolution},
    {"scalePackedTensor", "scaling", kElementWise},
    {"scaleTensor", "scaling", kElementWise},
    {"setTensor", "fill", kElementWise},
    {"addTensor", "addition", kElementWise},
    {"op_generic_tensor", "element-wise arithmetic", kElementWise},
    {"op_tensor", "element-wise arithmetic", kElementWise},
    {"reduced_", "reduction", kReduction},
    {"LSTM_elementWise", "LSTM cell", kElementWise},
    {"GRU_elementWise", "GRU cell", kElementWise},
    {"RNN", "recurrent cell", kElementWise},
    {"sdpa", "attention", kAttention},
    {"cgemm", "products of an FFT convolution", kConvolution},
};

// Kernels in the global namespace that only cuDNN has.
constexpr std::string_view kPlainNames[] = {"implicit_convolve",
                                            "explicit_convolve",
                                            "fft1d_r2c",
                                            "fft1d_c2r",
                                            "fft2d_r2c",
                                            "fft2d_c2r",
                                            "wgrad_alg",
                                            "dgrad_alg",
                                            "dgrad_engine",
                                            "dgrad2d",
                                            "wgrad2d",
                                            "wgrad_",
                                            "pooling_fw_",
                                            "pooling_bw_",
                                            "bn_fw_",
                                            "bn_bw_",
                                            "im2col4d",
                                            "nchwToNhwc",
                                            "nhwcToNchw",
                                            "setTensor",
                                            "scalePackedTensor",
                                            "scaleTensor",
                                            "addTensor",
                                            "op_generic_tensor",
                                            "op_tensor",
                                            "softmax_fw_",
                                            "softmax_bw_",
                                            "activation_fw_",
                                            "activation_bw_",
                                            "flip_filter",
                                            "pointwise_mult_and_sum_complex",
                                            "compute_gemm_pointers",
                                            "gemm_kernel1x1_core",
                                            "LSTM_elementWise",
                                            "GRU_elementWise",
                                            "winogradForward",
                                            "winogradWgrad",
                                            "transpose_readWrite_alignment",
                                            "kern_precompute_indices"};

bool is_cudnn(const ParsedName& name) {
  const std::string_view base = name.base();
  if (name.in_namespace("cudnn") || contains(name.path(), "cask_cudnn") || contains(base, "cudnn"))
    return true;
  if (contains(base, "xmma_") && !contains(base, "xmma_gemm") && !base.ends_with("_trt")) return true;
  for (const std::string_view plain : kPlainNames) {
    if (base.starts_with(plain)) return true;
  }
  return false;
}

std::string precision_of(const ParsedName& name) {
  const std::string_view base = name.base();
  if (contains(base, "tf32tf32") || contains(base, "tf32f32")) return "tf32";
  if (contains(base, "bf16bf16")) return "bfloat16";
  if (contains(base, "f16f16") || contains(base, "h884") || contains(base, "hcudnn") ||
      contains(base, "h16816"))
    return "half";
  if (contains(base, "scudnn") || contains(base, "f32f32") || contains(base, "sgemm")) return "float";
  if (contains(base, "cgemm")) return "complex float";
  if (contains(base, "i8816") || contains(base, "icudnn")) return "int8";
  return first_element_type(name);
}

std::string layout_of(std::string_view base) {
  if (contains(base, "nhwckrsc_nchw")) return "NHWC to NCHW";
  if (contains(base, "nhwc") || contains(base, "NHWC")) return "NHWC";
  if (contains(base, "nchw") || contains(base, "NCHW")) return "NCHW";
  return {};
}

std::string advice_for(std::string_view operation, std::string_view op_class) {
  if (op_class == kLayoutChange)
    return "Two neighbours want different layouts: keeping one (NHWC on tensor cores) removes it.";
  if (contains(operation, "offsets"))
    return "A small helper before the convolution itself; cuDNN caches it across calls where shapes stay.";
  return {};
}

Explanation convolution(const ParsedName& name, const Meaning& direction) {
  const std::string_view base = name.base();
  const Meaning* algorithm = find_meaning(kAlgorithms, name.path());
  ExplanationParts parts{
      .library = "cudnn", .operation = direction.operation, .op_class = direction.op_class};
  const std::string tile(tile_in(base));
  parts.short_form = std::string(direction.operation);
  if (!tile.empty()) parts.short_form += " " + tile;
  parts.type = precision_of(name);
  parts.details = {algorithm != nullptr ? algorithm->operation : "",
                   layout_of(base),
                   detail("tile ", tile),
                   detail("stages ", number_after(base, "stage")),
                   contains(base, "tensor16") || contains(base, "884") ? "tensor cores" : "",
                   name.is_complete() ? "" : "the name is cut off"};
  if (has_word(base, "relu")) parts.why = "Bias and activation can run in its epilogue.";
  return explanation_of(std::move(parts));
}

std::optional<Explanation> explain_cudnn(const ParsedName& name) {
  if (!is_cudnn(name)) return std::nullopt;
  const std::string& path = name.path();
  if (const Meaning* op = find_meaning(kOps, path);
      op != nullptr && !contains(path, "fprop") && !contains(path, "winograd_")) {
    ExplanationParts parts{.library = "cudnn", .operation = op->operation, .op_class = op->op_class};
    parts.type = precision_of(name);
    if (parts.op_class != kLayoutChange) parts.details = {layout_of(name.base())};
    parts.why = advice_for(op->operation, op->op_class);
    return explanation_of(std::move(parts));
  }
  if (const Meaning* direction = find_meaning(kDirections, path)) return convolution(name, *direction);
  const bool is_fft = name.base().starts_with("fft");
  if (is_fft || contains(name.base(), "gemm")) {
    return convolution(name, {"", is_fft ? "convolution by FFT" : "convolution", kConvolution});
  }
  return explanation_of({.library = "cudnn", .operation = readable(name.base()), .type = precision_of(name)});
}

}  // namespace

extern constinit const SignatureFamily cudnn{"cudnn", 30, explain_cudnn};

}  // namespace gputrace::analyzer
