// TensorFlow's own kernels, beside those it takes from Eigen: bias, layout swaps, pooling, depthwise
// convolution, gathers.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kKernels[] = {
    {"SwapDimension1And2", "NCHW <-> NHWC", kLayoutChange},
    {"SwapDimension0And2", "transpose", kLayoutChange},
    {"ShuffleInTensor3", "transpose", kLayoutChange},
    {"TransposeKernel", "transpose", kLayoutChange},
    {"PadInput", "padding", kLayoutChange},
    {"ConcatFixed", "concatenation", kLayoutChange},
    {"concat", "concatenation", kLayoutChange},
    {"SplitOp", "split", kLayoutChange},
    {"BiasGrad", "bias gradient", kReduction},
    {"Bias", "bias add", kElementWise},
    {"MaxPoolForward", "max pooling", kReduction},
    {"MaxPoolBackward", "max pooling backward", kReduction},
    {"AvePoolBackward", "average pooling backward", kReduction},
    {"Pool", "pooling", kReduction},
    {"DepthwiseConv2dGPUKernel", "depthwise convolution forward", kConvolution},
    {"DepthwiseConv2dBackpropInput", "depthwise convolution data gradient", kConvolution},
    {"DepthwiseConv2dBackpropFilter", "depthwise convolution weight gradient", kConvolution},
    {"Depthwise", "depthwise convolution", kConvolution},
    {"GatherOp", "gather", kEmbedding},
    {"GatherNd", "gather", kEmbedding},
    {"ScatterOp", "scatter", kEmbedding},
    {"ScatterNd", "scatter", kEmbedding},
    {"SparseToDense", "scatter", kEmbedding},
    {"OneHot", "one-hot", kEmbedding},
    {"UnsortedSegment", "segmented sum", kReduction},
    {"BlockReduce", "reduction", kReduction},
    {"RowReduce", "reduction of rows", kReduction},
    {"ColumnReduce", "reduction of columns", kReduction},
    {"CleanupSegments", "reduction", kReduction},
    {"FillPhiloxRandom", "random numbers", kElementWise},
    {"Resize", "image resize", kElementWise},
    {"CropAndResize", "image crop and resize", kElementWise},
    {"SoftmaxXent", "softmax cross entropy", kNormalization},
    {"GenerateNormalizedProb", "softmax", kNormalization},
    {"FusedBatchNorm", "batch norm", kNormalization},
    {"LRN", "local response normalization", kNormalization},
    {"ApplyAdam", "adam update", kOptimizer},
    {"ApplyAdagrad", "adagrad update", kOptimizer},
    {"ApplyMomentum", "momentum update", kOptimizer},
    {"Apply", "weight update", kOptimizer},
    {"Relu", "relu", kElementWise},
    {"Dropout", "dropout", kElementWise},
    {"LSTM", "LSTM cell", kElementWise},
};

std::string why(std::string_view operation) {
  if (operation == "NCHW <-> NHWC" || operation == "transpose") {
    return "TensorFlow swaps layouts around ops that take only one of them; keeping one layout through the "
           "network removes it.";
  }
  if (operation == "padding")
    return "Padding of its own before a convolution: cuDNN pads only symmetrically, so uneven \"SAME\" "
           "padding costs this pass.";
  if (operation == "bias add") return "The convolution's or matrix product's epilogue could add it.";
  return {};
}

std::optional<Explanation> explain_tensorflow(const ParsedName& name) {
  if (!name.in_namespace("tensorflow") && !name.in_namespace("stream_executor")) return std::nullopt;
  const std::string_view base = name.base();
  ExplanationParts parts{
      .library = "tensorflow", .operation = readable(base), .type = first_element_type(name)};
  if (const Meaning* kernel = find_meaning(kKernels, base)) {
    parts.operation = kernel->operation;
    parts.op_class = kernel->op_class;
  }
  if (parts.operation == "NCHW <-> NHWC" && parts.type.starts_with("u")) {
    parts.type = parts.type == "uint"     ? "4 bytes"
                 : parts.type == "uint64" ? "8 bytes"
                                          : "1 byte";  // it moves any type of that size
  }
  parts.details = {contains(base, "NHWC")   ? "NHWC"
                   : contains(base, "NCHW") ? "NCHW"
                                            : "",
                   contains(base, "UsingTiles") ? "tiled through shared memory" : ""};
  parts.why = why(parts.operation);
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily tensorflow{"tensorflow", 12, explain_tensorflow};

}  // namespace gputrace::analyzer
