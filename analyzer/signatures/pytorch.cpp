// PyTorch's own kernels (at::native). A generic launcher (vectorized_elementwise_kernel, reduce_kernel ...)
// gets its work as a template argument: a functor, or a lambda inside the function that names the op
// ("exp_kernel_cuda").
#include <algorithm>

#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

// By the kernel's own name.
constexpr Meaning kKernels[] = {
    {"oftmax", "softmax", kNormalization},
    {"oftMax", "softmax", kNormalization},
    {"layer_norm", "layer norm", kNormalization},
    {"LayerNorm", "layer norm", kNormalization},
    {"GammaBeta", "layer norm weight gradient", kNormalization},
    {"RowwiseMoments", "mean and variance of rows", kNormalization},
    {"batch_norm", "batch norm", kNormalization},
    {"group_norm", "group norm", kNormalization},
    {"GroupNorm", "group norm", kNormalization},
    {"FusedParams", "group norm parameters", kNormalization},
    {"InternalGradients", "group norm gradients", kNormalization},
    {"renorm", "renormalization", kNormalization},
    {"lpnorm", "norm", kReduction},
    {"weight_norm", "weight norm", kNormalization},
    {"CatArray", "concatenation", kLayoutChange},
    {"embedding", "embedding", kEmbedding},
    {"indexing_backward", "index gradient", kEmbedding},
    {"indexSelect", "index select", kEmbedding},
    {"indexFunc", "index add", kEmbedding},
    {"index", "indexing", kEmbedding},
    {"scatter_gather", "scatter or gather", kEmbedding},
    {"gather", "gather", kEmbedding},
    {"scatter", "scatter", kEmbedding},
    {"max_pool", "max pooling", kReduction},
    {"avg_pool", "average pooling", kReduction},
    {"average_pool", "average pooling", kReduction},
    {"MaxPool", "max pooling", kReduction},
    {"AvgPool", "average pooling", kReduction},
    {"nll_loss", "negative log likelihood", kReduction},
    {"ClassNLLCriterion", "negative log likelihood", kReduction},
    {"dropout", "dropout", kElementWise},
    {"distribution", "random numbers", kElementWise},
    {"upsample", "interpolation", kElementWise},
    {"im2col", "im2col", kConvolution},
    {"col2im", "col2im", kConvolution},
    {"conv_depthwise", "depthwise convolution", kConvolution},
    {"depthwise", "depthwise convolution", kConvolution},
    {"gatherTopK", "top k", kReduction},
    {"topk", "top k", kReduction},
    {"TopK", "top k", kReduction},
    {"Sort", "sort", kOther},
    {"sort", "sort", kOther},
    {"cross_kernel", "cross product", kElementWise},
    {"triu_tril", "triangle of a matrix", kElementWise},
    {"scan", "scan", kReduction},
    {"cumsum", "scan", kReduction},
    {"assert_async", "check of a condition", kOther},
    {"nested", "nested tensor", kLayoutChange},
    {"to_dense", "offsets to a dense layout", kLayoutChange},
    {"reflection_pad", "padding", kLayoutChange},
    {"pad", "padding", kLayoutChange},
    {"transpose", "transpose", kLayoutChange},
    {"roll", "roll", kLayoutChange},
    {"flip", "flip", kLayoutChange},
    {"arange", "fill", kElementWise},
    {"amp_", "gradient scaling", kElementWise},
    {"histogram", "histogram", kReduction},
    {"rnn", "recurrent cell", kElementWise},
    {"lstm_cell", "LSTM cell", kElementWise},
    {"gru_cell", "GRU cell", kElementWise},
};

// By the functor or function in the template arguments.
constexpr Meaning kWork[] = {
    {"bfloat16_copy", "cast to bfloat16", kLayoutChange},
    {"float16_copy", "cast to half", kLayoutChange},
    {"float8_copy", "cast to fp8", kLayoutChange},
    {"copy_device_to_device", "copy", kLayoutChange},
    {"_to_hfp8", "cast to fp8", kLayoutChange},
    {"direct_copy", "copy", kLayoutChange},
    {"CopyFunctor", "copy", kLayoutChange},
    {"FusedAdam", "adam update", kOptimizer},
    {"AdamFunctor", "adam update", kOptimizer},
    {"FusedSgd", "gradient descent update", kOptimizer},
    {"FusedSGD", "gradient descent update", kOptimizer},
    {"FusedAdagrad", "adagrad update", kOptimizer},
    {"Lamb", "LAMB update", kOptimizer},
    {"LpNorm", "norm", kReduction},
    {"CompareEq", "comparison", kElementWise},
    {"CompareFunctor", "comparison", kElementWise},
    {"compare", "comparison", kElementWise},
    {"CUDAFunctorOnSelf_add", "addition of a constant", kElementWise},
    {"CUDAFunctorOnOther_add", "addition of a constant", kElementWise},
    {"pow_tensor", "power", kElementWise},
    {"linspace", "fill", kElementWise},
    {"logspace", "fill", kElementWise},
    {"CUDAFunctor_add", "addition", kElementWise},
    {"AddFunctor", "addition", kElementWise},
    {"MulFunctor", "multiplication", kElementWise},
    {"DivFunctor", "division", kElementWise},
    {"div_", "division", kElementWise},
    {"FillFunctor", "fill", kElementWise},
    {"BitwiseAnd", "bitwise and", kElementWise},
    {"clamp", "clamp", kElementWise},
    {"launch_clamp", "clamp", kElementWise},
    {"where_kernel", "select", kElementWise},
    {"masked_fill", "masked fill", kElementWise},
    {"masked_scale", "dropout gradient", kElementWise},
    {"GroupNorm", "group norm", kNormalization},
    {"batch_norm", "batch norm", kNormalization},
    {"layer_norm", "layer norm", kNormalization},
    {"gelu", "gelu", kElementWise},
    {"GeluCUDA", "gelu", kElementWise},
    {"silu", "silu", kElementWise},
    {"threshold", "relu or its gradient", kElementWise},
    {"index_put", "index put", kEmbedding},
    {"index_copy", "index copy", kEmbedding},
    {"index_fill", "index fill", kEmbedding},
    {"index_kernel", "indexing", kEmbedding},
    {"gpu_index", "indexing", kEmbedding},
    {"uniform", "random numbers", kElementWise},
    {"normal_", "random numbers", kElementWise},
    {"bernoulli", "random numbers", kElementWise},
    {"random_", "random numbers", kElementWise},
    {"exponential", "random numbers", kElementWise},
    {"arange", "fill", kElementWise},
    {"xor_sum", "xor of all", kReduction},
    {"sum_functor", "sum", kReduction},
    {"MeanOps", "mean", kReduction},
    {"ArgMax", "argmax", kReduction},
    {"ArgMin", "argmin", kReduction},
    {"AbsMax", "largest magnitude", kReduction},
    {"AbsMin", "smallest magnitude", kReduction},
    {"MaxOps", "maximum", kReduction},
    {"MinOps", "minimum", kReduction},
    {"MaxNan", "maximum", kReduction},
    {"MinNan", "minimum", kReduction},
    {"NormTwo", "norm", kReduction},
    {"NormOne", "norm", kReduction},
    {"Norm", "norm", kReduction},
    {"Welford", "variance", kReduction},
    {"and_kernel", "all", kReduction},
    {"or_kernel", "any", kReduction},
    {"prod", "product", kReduction},
    {"Lerp", "interpolation", kElementWise},
    {"multiplies", "multiplication", kElementWise},
    {"divides", "division", kElementWise},
    {"plus", "addition", kElementWise},
    {"minus", "subtraction", kElementWise},
};

constexpr std::string_view kLaunchers[] = {"elementwise_kernel",        "reduce_kernel",
                                           "multi_tensor_apply_kernel", "distribution_",
                                           "index_elementwise",         "scatter_gather"};

// What stands around the functor and says nothing of the op.
bool is_wrapping(std::string_view identifier) {
  static constexpr std::string_view kWrapping[] = {"at",
                                                   "native",
                                                   "c10",
                                                   "std",
                                                   "cuda",
                                                   "detail",
                                                   "memory",
                                                   "internal",
                                                   "binary_internal",
                                                   "templates",
                                                   "array",
                                                   "Array",
                                                   "operator",
                                                   "gpu_kernel_impl",
                                                   "gpu_kernel_impl_nocast",
                                                   "gpu_kernel",
                                                   "BinaryFunctor",
                                                   "AUnaryFunctor",
                                                   "BUnaryFunctor",
                                                   "UnaryOpFunctor",
                                                   "BinaryOpScalarFunctor",
                                                   "BinaryOpScalarListFunctor",
                                                   "BinaryOpListAlphaFunctor",
                                                   "PointwiseOpScalarFunctor",
                                                   "PointwiseOpScalarListFunctor",
                                                   "PointwiseOpListFunctor",
                                                   "PointwiseOpScalarTensorFunctor",
                                                   "TernaryOpScalarFunctor",
                                                   "TernaryOpListFunctor",
                                                   "BinaryOpScalarTensorFunctor",
                                                   "BinaryOpScalarTensor",
                                                   "ZeroFunctor",
                                                   "func_wrapper_t",
                                                   "ReduceOp",
                                                   "TensorIterator",
                                                   "TensorIteratorBase",
                                                   "TensorListMetadata",
                                                   "TensorListScalarListMetadata",
                                                   "FusedOptimizerTensorListMetadata",
                                                   "OffsetCalculator",
                                                   "TrivialOffsetCalculator",
                                                   "LoadWithCast",
                                                   "StoreWithCast",
                                                   "LoadWithoutCast",
                                                   "StoreWithoutCast",
                                                   "OpaqueType",
                                                   "Half",
                                                   "BFloat16",
                                                   "complex",
                                                   "Scalar",
                                                   "Tensor",
                                                   "TensorBase",
                                                   "TensorInfo",
                                                   "opmath_gpu_kernel_with_scalars",
                                                   "opmath_symmetric_gpu_kernel_with_scalars",
                                                   "gpu_kernel_with_scalars",
                                                   "type_list",
                                                   "ClampLimits",
                                                   "CUDAGeneratorImpl",
                                                   "ArrayRef",
                                                   "Float8_e4m3fn",
                                                   "Float8_e5m2",
                                                   "_cuda_scatter_gather_internal_kernel",
                                                   "gpu_index_kernel",
                                                   "type_specialized_broadcast_kernel_launcher",
                                                   "apply",
                                                   "fbgemm_gpu",
                                                   "vectorized_templated_elementwise_kernel",
                                                   "distribution_nullary_kernel",
                                                   "DefaultTag",
                                                   "NormType",
                                                   "AccumulateType",
                                                   "UnrollPolicy",
                                                   "function_traits"};
  return std::find(std::begin(kWrapping), std::end(kWrapping), identifier) != std::end(kWrapping);
}

std::string_view functor_of(const ParsedName& name) {
  const std::string_view base = name.base();
  return name.find_identifier([&](std::string_view text) {
    return text != base && text.size() > 1 && !is_wrapping(text) && element_type(text).empty();
  });
}

std::string type_of_parameter(std::string_view text) {
  const std::size_t complex = text.find("complex<");
  if (complex != std::string_view::npos)
    return "complex " + element_type(text.substr(complex + 8, text.find('>', complex) - complex - 8));
  text = text.substr(0, text.find_last_not_of("&* ") + 1);
  if (const std::size_t scope = text.rfind(':'); scope != std::string_view::npos)
    text.remove_prefix(scope + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return element_type(text);
}

// Of the first parameter that is no bool, which only selects. Demanglers write "{lambda(bool,
// c10::BFloat16)#1}".
std::string type_of_lambda(const ParsedName& name, NodeId lambda) {
  std::string first;
  const auto consider = [&](std::string type) {
    if (first.empty() || first == "bool") first = type.empty() ? first : std::move(type);
  };
  for (const NodeId parameter : name.graph().children(lambda)) consider(element_type(name, parameter));
  std::string_view text = name.graph()[lambda].text;
  text.remove_prefix(std::min(text.find('('), text.size()));
  while (!text.empty() && text.front() != ')') {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_of(",)"), text.size());
    consider(type_of_parameter(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return first;
}

// Its template arguments begin with the element type.
bool is_typed_by_first_argument(std::string_view identifier) {
  return identifier == "ReduceOp" || identifier.ends_with("UnaryFunctor") || identifier == "BinaryFunctor" ||
         contains(identifier, "OpScalar") || contains(identifier, "OpList") || identifier == "UnaryOpFunctor";
}

// Of the lambda that computes an element; else of the outer functor, as the inner one may calculate in a
// wider type.
std::string type_of_work(const ParsedName& name) {
  const auto nodes = name.graph().nodes();
  std::string inner, index;
  for (NodeId id = 1; id < nodes.size(); ++id) {
    if (nodes[id].kind == NodeKind::kLambda) {
      std::string type = type_of_lambda(name, id);
      // The launcher's own lambdas, which come after, take the index of the element.
      if (!type.empty() && type != "int") return inner.empty() ? type : inner;
      if (index.empty()) index = std::move(type);
    }
    if (nodes[id].kind != NodeKind::kTemplate) continue;
    const std::string_view identifier = name.identifier(id);
    if (is_typed_by_first_argument(identifier)) return element_type(name, name.argument(id, 0));
    const bool counts =
        identifier == "array" || identifier == "Array" || identifier.ends_with("OffsetCalculator");
    if (inner.empty() && !counts && identifier != name.base())
      inner = element_type(name, name.argument(id, 0));
  }
  return inner.empty() ? index : inner;
}

bool is_launcher(std::string_view base) {
  return std::any_of(std::begin(kLaunchers), std::end(kLaunchers),
                     [&](std::string_view launcher) { return contains(base, launcher); });
}

ExplanationParts launched(const ParsedName& name) {
  const std::string_view base = name.base();
  const std::string_view functor = functor_of(name);
  ExplanationParts parts{.library = "pytorch",
                         .operation = "",
                         .op_class = contains(base, "reduce_kernel") ? kReduction : kElementWise};
  if (const Meaning* work = find_meaning(kWork, functor)) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  } else if (!functor.empty()) {
    parts.operation = readable(functor);
  }
  const bool is_foreach = contains(base, "multi_tensor_apply");
  const Meaning* own = find_meaning(kKernels, base);
  if (own != nullptr &&
      (parts.operation.empty() || contains(base, "scatter_gather") || contains(base, "index_elementwise"))) {
    parts.operation = own->operation;
    parts.op_class = own->op_class;
  }
  parts.short_form = is_foreach ? "foreach " + parts.operation : parts.operation;
  parts.details = {
      is_foreach ? "many tensors in one launch" : "", contains(base, "vectorized") ? "vectorised" : "",
      parts.operation == "copy" && !contains(base, "vectorized") ? "between strides or types" : "",
      name.mentions("LoadWithCast") ? "casts on the way" : ""};
  if (parts.op_class == kElementWise && !is_foreach) {
    parts.why = "One op of the graph, one pass over memory: torch.compile would fuse it with its neighbours.";
  } else if (parts.operation == "copy") {
    parts.why = "From contiguous(), copy_() or to(): keeping one layout and type avoids it.";
  }
  return parts;
}

bool is_pytorch(const ParsedName& name) {
  if (name.in_namespace("at") || name.in_namespace("c10") || name.in_namespace("torch")) return true;
  const std::string_view base = name.base();
  if (base.starts_with("softmax_warp_") || base.starts_with("cunn_") ||
      base.starts_with("indexing_backward_kernel") || base.starts_with("elementwise_kernel_with_index") ||
      base.starts_with("krn_partials_per_segment")) {
    return true;
  }
  return base == "reduce_segments" || base.starts_with("compute_grad_weight") ? name.mentions("at") : false;
}

std::optional<Explanation> explain_pytorch(const ParsedName& name) {
  if (!is_pytorch(name) || contains(name.path(), "cub::")) return std::nullopt;
  const std::string_view base = name.base();
  ExplanationParts parts{.library = "pytorch", .operation = readable(base)};
  if (is_launcher(base)) {
    parts = launched(name);
  } else if (const Meaning* own = find_meaning(kKernels, base)) {
    parts.operation = own->operation;
    parts.op_class = own->op_class;
    const bool is_backward = contains(base, "ackward") || contains(base, "grad");
    if (is_backward && !contains(own->operation, "gradient")) parts.operation += " backward";
  }
  parts.type = is_launcher(base) ? type_of_work(name) : first_element_type(name);
  const NodeId first = name.arguments().empty() ? kNoNode : name.arguments()[0];
  if (name.identifier(first) == "OpaqueType") {
    const std::string size(name.literal(name.argument(first, 0)));
    parts.type = size + (size == "1" ? " byte" : " bytes");  // whatever type has that size
  } else if (parts.type.empty()) {
    parts.type = first_element_type(name);
  }
  if (!name.is_complete()) parts.details.emplace_back("the name is cut off");
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily pytorch{"pytorch", 60, explain_pytorch};

}  // namespace gputrace::analyzer
