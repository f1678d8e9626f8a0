// Eigen's Tensor kernels, which TensorFlow used for everything that cuDNN and cuBLAS do not do. The kernel's
// name is the type of an expression: which template argument is the work is what people ask.
#include <algorithm>

#include "analyzer/eigen_expression.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

struct Advice {
  std::string_view operation;
  const char* origin;
  const char* remedy;
};

constexpr Advice kAdvice[] = {
    {"padding", "tf.pad, or padding written out before a (strided) convolution",
     "let the convolution pad (padding=\"SAME\", or cuDNN's own padding): the extra pass over the tensor "
     "goes away"},
    {"broadcast",
     "tf.tile, or a small tensor (bias, batch norm weights of shape [1,C,1,1], a gradient) stretched in a "
     "pass of its own",
     "use fused batch norm, and add the bias in the convolution's epilogue (BiasAdd), so that nothing is "
     "stretched in memory"},
    {"bias add", "a bias or shift written as x + b with broadcasting",
     "use BiasAdd or the epilogue of the convolution or matrix product before it"},
    {"scaling", "a product with a smaller tensor, as in batch norm or a mask, with broadcasting",
     "use fused batch norm, or let a compiler (XLA) fuse it with its neighbours"},
    {"batch normalization", "batch norm written out as arithmetic with broadcast weights",
     "use the fused batch norm op"},
    {"transpose", "tf.transpose, often NHWC <-> NCHW around a convolution or batch norm",
     "keep one layout through the network and choose the ops that take it"},
    {"reshape", "a reshape that had to copy", "reshape without copying, or fuse it with its neighbour"},
    {"slice", "tf.slice, tf.split or indexing", "read the slice in place (strides) or fuse it"},
    {"strided slice", "strided indexing, or the gradient of one", "read the slice in place or fuse it"},
    {"concatenation", "tf.concat", "let the producers write into one buffer"},
    {"cast", "tf.cast, as mixed precision puts between its two types",
     "keep neighbours in one precision, or let a compiler fuse the cast"},
    {"fill", "zeros, ones or a constant (cleared gradients)",
     "clear several buffers at once, or overwrite instead of adding"},
    {"relu", "tf.nn.relu", "fuse it into the epilogue of the convolution, or into batch norm"},
    {"select", "tf.where, or the gradient of relu or max", "let a compiler fuse it with its neighbours"},
    {"softmax", "tf.nn.softmax or the gradient of its cross entropy",
     "use the fused softmax cross entropy op"},
    {"cross entropy", "the loss written out", "use the fused softmax cross entropy op"},
    {"image patches", "a convolution written as im2col", "use cuDNN's convolution"},
    {"contraction", "tf.matmul or tf.einsum on a path without cuBLAS", "use cuBLAS"},
    {"convolution", "a convolution on a path without cuDNN", "use cuDNN"},
    {"adam update", "the Adam optimiser, one kernel per variable",
     "use a fused (multi-tensor) optimiser, or overlap it with the next batch's forward pass"},
    {"adagrad update", "the Adagrad or RMSProp optimiser, one kernel per variable",
     "use a fused (multi-tensor) optimiser"},
    {"gradient descent update", "gradient descent, one kernel per variable",
     "use a fused (multi-tensor) optimiser, or overlap it with the next batch's forward pass"},
    {"moving average update", "the moments of Adam or momentum, one kernel per variable",
     "use a fused (multi-tensor) optimiser"},
    {"in-place update", "assign_sub or assign_add, as moving averages and optimisers do",
     "use a fused (multi-tensor) optimiser"},
    {"sum", "tf.reduce_sum, tf.add_n, or the gradient of a bias or of a broadcast",
     "use the fused op that needs the sum (bias gradient, batch norm)"},
    {"mean", "tf.reduce_mean, as in a loss or batch norm statistics", "use the fused op that needs the mean"},
};

constexpr Advice kArithmeticAdvice = {
    "", "one arithmetic op of the graph",
    "let a compiler (XLA) fuse it with its neighbours: each such op is a pass over memory"};

const Advice* advice_for(std::string_view operation) {
  const auto* found = std::find_if(std::begin(kAdvice), std::end(kAdvice),
                                   [&](const Advice& a) { return a.operation == operation; });
  return found == std::end(kAdvice) ? nullptr : found;
}

struct Work {
  std::string operation;
  std::string op_class;
};

std::string_view functor_at(const EigenExpression& expression, NodeId id) {
  return expression.op(id) != nullptr && expression.is_cwise(id) ? expression.functor(id)
                                                                 : std::string_view();
}

// Optimisers read the variable that they write: it is an operand whose elements are not const.
std::optional<Work> optimizer_work(const EigenExpression& expression,
                                   const EigenExpression::Contents& contents) {
  const std::string_view root = functor_at(expression, expression.work());
  if (!expression.updates_in_place()) return std::nullopt;
  if (root == "scalar_sum_op") {
    return Work{contents.writable_leaves > 1 ? "moving average update" : "in-place update", kOptimizer};
  }
  if (root != "scalar_difference_op") return std::nullopt;
  if (contents.has("scalar_sqrt_op")) return Work{"adam update", kOptimizer};
  if (contents.has("scalar_rsqrt_op")) return Work{"adagrad update", kOptimizer};
  if (contents.scalars > 0 || contents.has("scalar_product_op"))
    return Work{"gradient descent update", kOptimizer};
  return Work{"in-place update", kOptimizer};
}

std::optional<Work> fused_work(const EigenExpression& expression, const EigenExpression::Contents& contents) {
  if (auto update = optimizer_work(expression, contents)) return update;
  if (contents.broadcasts == 0) return std::nullopt;
  if (contents.has("scalar_exp_op")) return Work{"softmax", kNormalization};
  if (contents.has("scalar_log_op")) return Work{"cross entropy", kNormalization};
  const bool scales = contents.has("scalar_product_op") || contents.has("scalar_quotient_op");
  const bool shifts = contents.has("scalar_difference_op") || contents.has("scalar_sum_op");
  if (contents.has("scalar_rsqrt_op") || (contents.broadcasts > 1 && scales && shifts)) {
    return Work{"batch normalization", kNormalization};
  }
  return std::nullopt;
}

Work cwise_work(const EigenExpression& expression, NodeId main, const EigenExpression::Contents& contents) {
  const std::string_view identifier = expression.functor(main);
  const std::vector<NodeId> operands = expression.operands(main);
  const bool stretches = std::any_of(operands.begin(), operands.end(), [&](NodeId id) {
    const EigenOpKind* kind = expression.op(id);
    return kind != nullptr && kind->identifier == "TensorBroadcastingOp";
  });
  if (operands.empty()) {
    return {identifier.ends_with("Generator") ? "random numbers" : "fill", kElementWise};
  }
  if (stretches && operands.size() == 2 && identifier == "scalar_sum_op") return {"bias add", kElementWise};
  if (stretches && identifier == "scalar_product_op") return {"scaling", kElementWise};
  const bool has_constant = contents.has("scalar_constant_op") || contents.has("scalar_const_op");
  if (identifier == "scalar_max_op" && (has_constant || operands.size() == 1)) return {"relu", kElementWise};
  const EigenFunctor* functor = find_eigen_functor(identifier);
  if (functor == nullptr) return {"element-wise function", kElementWise};
  if (identifier == "scalar_sum_op") return {"addition", kElementWise};
  if (identifier == "scalar_difference_op") return {"subtraction", kElementWise};
  if (identifier == "scalar_product_op") return {"multiplication", kElementWise};
  if (identifier == "scalar_quotient_op") return {"division", kElementWise};
  return {functor->is_infix || identifier == "scalar_cmp_op" ? "comparison" : functor->symbol, kElementWise};
}

Work work_of(const EigenExpression& expression) {
  const NodeId main = expression.main_op();
  const EigenOpKind* kind = expression.op(main);
  if (kind == nullptr) return {"copy", kCopy};
  const EigenExpression::Contents contents = expression.contents();
  if (expression.is_cwise(main)) {
    if (auto fused = fused_work(expression, contents)) return *fused;
    return cwise_work(expression, main, contents);
  }
  if (std::string_view(kind->operation) == "scan") return {"scan", kReduction};
  if (std::string_view(kind->op_class) == kReduction) {
    const EigenFunctor* reducer = find_eigen_functor(expression.functor(main));
    return {reducer != nullptr ? reducer->symbol : kind->operation, kReduction};
  }
  return {kind->operation, kind->op_class};
}

// "TensorMap<Tensor<float, 4, 1, long>, 16> is an aligned view ..." for who reads the name itself.
std::string view_explained(const EigenOperand& operand) {
  if (operand.rank.empty() || operand.layout.empty()) return {};
  const std::string layout_number = operand.layout == "row-major" ? "1" : "0";
  std::string text = "TensorMap<Tensor<";
  text += operand.type + ", " + operand.rank + ", " + layout_number + ", ";
  text += (operand.index.empty() ? "index" : operand.index) + ">";
  if (!operand.alignment.empty()) text += ", " + operand.alignment;
  text += "> is a view of a rank-" + operand.rank + " tensor of " + operand.type + ": " + layout_number +
          " is " + operand.layout;
  if (!operand.index.empty()) text += ", " + operand.index + " the type of its indices";
  if (!operand.alignment.empty()) {
    text += ", " + operand.alignment + " the alignment flag (" +
            (operand.alignment == "0" ? "unaligned" : "aligned") + "), not an operation";
  }
  return text + ". ";
}

std::string root_explained(const ParsedName& name, const EigenExpression& expression) {
  const std::string root(name.identifier(expression.root()));
  const NodeId main = expression.main_op();
  std::string work(name.identifier(main));
  const EigenOpKind* kind = expression.op(main);
  const bool has_functor =
      kind != nullptr && (expression.is_cwise(main) || std::string_view(kind->op_class) == kReduction);
  if (has_functor && !expression.functor(main).empty())
    work += " with " + std::string(expression.functor(main));
  if (expression.op(main) == nullptr) {
    return root == "TensorAssignOp" ? "The assignment copies its right-hand side as it is. " : "";
  }
  if (root == "TensorAssignOp") {
    return "The assignment (TensorAssignOp) is the root of the expression and only writes the result; its "
           "right-hand side "
           "names the work: " +
           work + ". ";
  }
  if (root == "TensorEvalToOp")
    return "The root (TensorEvalToOp) only stores a part of a larger expression; the work is " + work + ". ";
  return "The work is " + work + ". ";
}

std::string advice_text(const Work& work) {
  const Advice* advice = advice_for(work.operation);
  if (advice == nullptr && work.op_class == kElementWise) advice = &kArithmeticAdvice;
  if (advice == nullptr) return {};
  return std::string("Probably from ") + advice->origin + "; what usually removes it: " + advice->remedy +
         ".";
}

std::string reduced_part(std::string_view base) {
  if (base.starts_with("FullReduction")) return "over all elements";
  if (base.starts_with("InnerReduction")) return "over the innermost dimension";
  if (base.starts_with("OuterReduction")) return "over the outer dimensions";
  return {};
}

Explanation explain_expression(const ParsedName& name, const EigenExpression& expression) {
  const Work work = work_of(expression);
  NodeId shown = expression.output();
  for (NodeId at = expression.work();
       shown == kNoNode;) {  // without a result tensor, the first operand tells the type
    const std::vector<NodeId> operands = expression.operands(at);
    if (operands.empty())
      shown = at;
    else
      at = operands[0];
  }
  const EigenOperand operand = expression.operand(shown);
  ExplanationParts parts{.library = "eigen", .operation = work.operation, .op_class = work.op_class};
  parts.short_form = expression.formula(4 * kMaxLabelCharacters);
  parts.type = operand.type;
  parts.details = {operand.rank.empty() ? "" : "rank " + operand.rank, operand.layout,
                   reduced_part(name.base()),
                   name.base().ends_with("NonVectorizable") ? "not vectorised: one element at a time" : "",
                   name.is_complete() ? "" : "the name is cut off"};
  parts.why = root_explained(name, expression) + view_explained(operand);
  if (operand.rank == "4" && (work.op_class == kLayoutChange || work.op_class == kNormalization)) {
    parts.why +=
        "Sizes are run-time values, and whether its four dimensions are NHWC or NCHW is the program's "
        "choice: neither is in the name. ";
  }
  parts.why += advice_text(work);
  while (parts.why.ends_with(' ')) parts.why.pop_back();
  return explanation_of(std::move(parts));
}

struct KernelMeaning {
  std::string_view prefix;
  const char* operation;
  const char* op_class;
  const char* short_form;
};

// Kernels without an expression that says it all.
constexpr KernelMeaning kKernels[] = {
    {"EigenFloatContraction", "contraction", kMatmul, "y = contract(a, b)"},
    {"EigenHalfContraction", "contraction", kMatmul, "y = contract(a, b)"},
    {"EigenContraction", "contraction", kMatmul, "y = contract(a, b)"},
    {"EigenConvolution", "convolution", kConvolution, "y = conv(a, b)"},
    {"FullReduction", "reduction", kReduction, "y = reduce(x)"},
    {"InnerReduction", "reduction", kReduction, "y = reduce(x)"},
    {"OuterReduction", "reduction", kReduction, "y = reduce(x)"},
    {"ReductionInit", "reduction start", kReduction, "y = initial value of a reduction"},
    {"ReductionCleanup", "reduction end", kReduction, "y = last step of a reduction"},
    {"ScanKernel", "scan", kReduction, "y = scan(x)"},
};

Explanation explain_kernel(const ParsedName& name) {
  const std::string_view base = name.base();
  const auto* kernel = std::find_if(std::begin(kKernels), std::end(kKernels),
                                    [&](const KernelMeaning& k) { return base.starts_with(k.prefix); });
  ExplanationParts parts{.library = "eigen", .operation = ""};
  if (!name.is_complete()) parts.details = {"the name is cut off"};
  if (kernel == std::end(kKernels)) {
    parts.short_form = base;
    return explanation_of(std::move(parts));
  }
  parts.operation = kernel->operation;
  parts.op_class = kernel->op_class;
  parts.short_form = kernel->short_form;
  parts.type = base.starts_with("EigenFloat")  ? "float"
               : base.starts_with("EigenHalf") ? "half"
                                               : first_element_type(name);
  if (name.mentions("TensorImagePatchOp")) {
    parts.operation = "convolution";
    parts.op_class = kConvolution;
    parts.short_form = "y = conv(x, w) as im2col and matmul";
  }
  for (const NodeId argument : name.arguments()) {
    const EigenFunctor* reducer = find_eigen_functor(name.identifier(argument));
    if (reducer == nullptr || parts.op_class != kReduction) continue;
    parts.operation = reducer->symbol;
    parts.short_form = "y = " + parts.operation + "(x)";
  }
  parts.why = advice_text({parts.operation, parts.op_class});
  return explanation_of(std::move(parts));
}

std::optional<Explanation> explain_eigen(const ParsedName& name) {
  if (!name.in_namespace("Eigen") && !name.base().starts_with("EigenMetaKernel")) return std::nullopt;
  const bool is_product =
      name.base().find("Contraction") != std::string_view::npos;  // its expressions are the operands
  const auto expression = is_product ? std::nullopt : EigenExpression::find(name);
  if (expression) return explain_expression(name, *expression);
  return explain_kernel(name);
}

}  // namespace

extern constinit const SignatureFamily eigen{"eigen", 10, explain_eigen};

}  // namespace gputrace::analyzer
