#include "analyzer/eigen_expression.h"

#include <algorithm>

#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr EigenOpKind kOps[] = {
    {"TensorPaddingOp", "pad", "padding", kLayoutChange, 1, 1},
    {"TensorBroadcastingOp", "bcast", "broadcast", kLayoutChange, 1, 1},
    {"TensorShufflingOp", "transpose", "transpose", kLayoutChange, 1, 1},
    {"TensorReshapingOp", "reshape", "reshape", kLayoutChange, 1, 1},
    {"TensorSlicingOp", "slice", "slice", kLayoutChange, 2, 1},
    {"TensorStridingSlicingOp", "slice", "strided slice", kLayoutChange, 3, 1},
    {"TensorStridingOp", "stride", "strided slice", kLayoutChange, 1, 1},
    {"TensorChippingOp", "chip", "slice", kLayoutChange, 1, 1},
    {"TensorReverseOp", "reverse", "reverse", kLayoutChange, 1, 1},
    {"TensorRollOp", "roll", "roll", kLayoutChange, 1, 1},
    {"TensorInflationOp", "inflate", "inflation", kLayoutChange, 1, 1},
    {"TensorConcatenationOp", "concat", "concatenation", kLayoutChange, 1, 2},
    {"TensorConversionOp", "cast", "cast", kLayoutChange, 1, 1},
    {"TensorLayoutSwapOp", "swap_layout", "layout swap", kLayoutChange, 0, 1},
    {"TensorForcedEvalOp", "", "evaluation", kOther, 0, 1},
    {"TensorImagePatchOp", "patches", "image patches", kConvolution, 2, 1},
    {"TensorVolumePatchOp", "patches", "volume patches", kConvolution, 3, 1},
    {"TensorPatchOp", "patches", "patches", kConvolution, 1, 1},
    {"TensorConvolutionOp", "conv", "convolution", kConvolution, 1, 2},
    {"TensorContractionOp", "contract", "contraction", kMatmul, 1, 2},
    {"TensorReductionOp", "reduce", "reduction", kReduction, 2, 1},
    {"TensorTupleReducerOp", "arg_reduce", "index of an extreme", kReduction, 2, 1},
    {"TensorPairReducerOp", "arg_reduce", "index of an extreme", kReduction, 2, 1},
    {"TensorIndexTupleOp", "", "indices", kOther, 0, 1},
    {"TensorIndexPairOp", "", "indices", kOther, 0, 1},
    {"TensorScanOp", "scan", "scan", kReduction, 1, 1},
    {"TensorTraceOp", "trace", "trace", kReduction, 1, 1},
    {"TensorFFTOp", "fft", "fft", kOther, 1, 1},
    {"TensorGeneratorOp", "generate", "generator", kOther, 1, 1},
    {"TensorCustomUnaryOp", "custom", "custom op", kOther, 1, 1},
    {"TensorCustomBinaryOp", "custom", "custom op", kOther, 1, 2},
    {"TensorSelectOp", "select", "select", kElementWise, 0, 3},
    {"TensorCwiseNullaryOp", "", "fill", kElementWise, 0, 0},
    {"TensorCwiseUnaryOp", "", "element-wise function", kElementWise, 1, 1},
    {"TensorCwiseBinaryOp", "", "element-wise arithmetic", kElementWise, 1, 2},
    {"TensorCwiseTernaryOp", "", "element-wise function", kElementWise, 1, 3},
};

constexpr EigenFunctor kFunctors[] = {
    {"scalar_sum_op", "+", true},
    {"scalar_difference_op", "-", true},
    {"scalar_product_op", "*", true},
    {"scalar_quotient_op", "/", true},
    {"scalar_conj_product_op", "conj_mul", false},
    {"scalar_max_op", "max", false},
    {"scalar_min_op", "min", false},
    {"scalar_pow_op", "pow", false},
    {"scalar_hypot_op", "hypot", false},
    {"scalar_mod2_op", "mod", false},
    {"scalar_cmp_op", "compare", false},
    {"equal_to", "==", true},
    {"not_equal_to", "!=", true},
    {"greater", ">", true},
    {"greater_equal", ">=", true},
    {"less", "<", true},
    {"less_equal", "<=", true},
    {"scalar_boolean_and_op", "&&", true},
    {"scalar_boolean_or_op", "||", true},
    {"scalar_boolean_xor_op", "^", true},
    {"scalar_boolean_not_op", "!", false},
    {"scalar_opposite_op", "-", false},
    {"scalar_square_op", "square", false},
    {"scalar_cube_op", "cube", false},
    {"scalar_sqrt_op", "sqrt", false},
    {"scalar_rsqrt_op", "rsqrt", false},
    {"scalar_inverse_op", "1/", false},
    {"scalar_exp_op", "exp", false},
    {"scalar_expm1_op", "expm1", false},
    {"scalar_log_op", "log", false},
    {"scalar_log1p_op", "log1p", false},
    {"scalar_log10_op", "log10", false},
    {"scalar_log2_op", "log2", false},
    {"scalar_tanh_op", "tanh", false},
    {"scalar_logistic_op", "sigmoid", false},
    {"scalar_sigmoid_op", "sigmoid", false},
    {"scalar_abs_op", "abs", false},
    {"scalar_abs2_op", "abs2", false},
    {"scalar_sign_op", "sign", false},
    {"scalar_floor_op", "floor", false},
    {"scalar_ceil_op", "ceil", false},
    {"scalar_round_op", "round", false},
    {"scalar_rint_op", "rint", false},
    {"scalar_round_half_to_even_op", "rint", false},
    {"scalar_clamp_op", "clamp", false},
    {"scalar_clip_op", "clip", false},
    {"scalar_sin_op", "sin", false},
    {"scalar_cos_op", "cos", false},
    {"scalar_tan_op", "tan", false},
    {"scalar_asin_op", "asin", false},
    {"scalar_acos_op", "acos", false},
    {"scalar_atan_op", "atan", false},
    {"scalar_atan2_op", "atan2", false},
    {"scalar_sinh_op", "sinh", false},
    {"scalar_cosh_op", "cosh", false},
    {"scalar_isnan_op", "isnan", false},
    {"scalar_isinf_op", "isinf", false},
    {"scalar_isfinite_op", "isfinite", false},
    {"scalar_erf_op", "erf", false},
    {"scalar_erfc_op", "erfc", false},
    {"scalar_lgamma_op", "lgamma", false},
    {"scalar_digamma_op", "digamma", false},
    {"scalar_igamma_op", "igamma", false},
    {"scalar_zeta_op", "zeta", false},
    {"scalar_betainc_op", "betainc", false},
    {"scalar_conjugate_op", "conj", false},
    {"scalar_real_op", "real", false},
    {"scalar_imag_op", "imag", false},
    {"scalar_arg_op", "arg", false},
    {"scalar_cast_op", "cast", false},
    {"scalar_constant_op", "c", false},
    {"scalar_const_op", "c", false},
    {"scalar_squared_difference_op", "squared_difference", false},
    {"scalar_compose_op", "compose", false},
    {"UniformRandomGenerator", "uniform", false},
    {"NormalRandomGenerator", "normal", false},
    {"SumReducer", "sum", false},
    {"MeanReducer", "mean", false},
    {"MaxReducer", "max", false},
    {"MinReducer", "min", false},
    {"ProdReducer", "prod", false},
    {"AndReducer", "all", false},
    {"OrReducer", "any", false},
    {"ArgMaxTupleReducer", "argmax", false},
    {"ArgMinTupleReducer", "argmin", false},
    {"ArgMaxPairReducer", "argmax", false},
    {"ArgMinPairReducer", "argmin", false},
    {"EuclideanNormReducer", "norm", false},
    {"GenericReducer", "reduce", false},
};

constexpr int kMaxVisits = 4096;  // of a walk over parts that repeat by reference

bool is_reduction(const EigenOpKind& op) {
  return op.identifier == "TensorReductionOp" || op.identifier.ends_with("ReducerOp") ||
         op.identifier == "TensorScanOp";
}

}  // namespace

const EigenFunctor* find_eigen_functor(std::string_view identifier) {
  const auto* found = std::find_if(std::begin(kFunctors), std::end(kFunctors),
                                   [&](const EigenFunctor& f) { return f.identifier == identifier; });
  return found == std::end(kFunctors) ? nullptr : found;
}

std::optional<EigenExpression> EigenExpression::find(const ParsedName& name) {
  EigenExpression expression(name);
  for (const NodeId argument : name.arguments()) {
    const std::string_view identifier = name.identifier(argument);
    if (identifier != "TensorEvaluator" && identifier != "TensorReductionEvaluatorBase") continue;
    const NodeId root = name.bare(name.argument(argument, 0));
    const std::string_view op = name.identifier(root);
    expression.root_ = root;
    if (op == "TensorAssignOp") {
      expression.output_ = name.argument(root, 0);
      expression.work_ = name.argument(root, 1);
    } else {
      expression.work_ = op == "TensorEvalToOp" ? name.argument(root, 0) : root;
    }
    if (expression.work_ == kNoNode) return std::nullopt;
    return expression;
  }
  return std::nullopt;
}

const EigenOpKind* EigenExpression::op(NodeId id) const {
  const std::string_view identifier = name_->identifier(id);
  if (!identifier.ends_with("Op")) return nullptr;
  const auto* found = std::find_if(std::begin(kOps), std::end(kOps),
                                   [&](const EigenOpKind& op) { return op.identifier == identifier; });
  return found == std::end(kOps) ? nullptr : found;
}

bool EigenExpression::is_cwise(NodeId id) const { return name_->identifier(id).starts_with("TensorCwise"); }

std::string_view EigenExpression::functor(NodeId id) const {
  NodeId at = name_->argument(id, 0);
  for (int level = 0; level < 4; ++level) {
    const std::string_view identifier = name_->identifier(at);
    if (identifier == "scalar_left" || identifier == "scalar_right") {
      at = name_->argument(at, 2);
    } else if (identifier == "bind1st_op" || identifier == "bind2nd_op") {
      at = name_->argument(at, 0);
    } else {
      return identifier;
    }
  }
  return name_->identifier(at);
}

std::vector<NodeId> EigenExpression::operands(NodeId id) const {
  const EigenOpKind* kind = op(id);
  std::vector<NodeId> ids;
  for (int i = 0; kind != nullptr && i < kind->operands; ++i) {
    const NodeId operand = name_->argument(id, static_cast<std::size_t>(kind->first_operand + i));
    if (operand != kNoNode) ids.push_back(operand);
  }
  return ids;
}

NodeId EigenExpression::main_op() const {
  NodeId id = work_;
  for (int level = 0; level < kMaxNesting; ++level) {
    const EigenOpKind* kind = op(id);
    if (kind == nullptr) break;
    const std::string_view identifier = kind->identifier;
    const bool wraps = kind->function[0] == '\0' && !is_cwise(id);
    const bool looks_through = wraps || identifier == "TensorReshapingOp" ||
                               identifier == "TensorConversionOp" || identifier == "TensorLayoutSwapOp";
    const std::vector<NodeId> below = operands(id);
    if (!looks_through || below.empty() || op(below[0]) == nullptr) break;
    id = below[0];
  }
  return id;
}

EigenOperand EigenExpression::operand(NodeId leaf) const {
  EigenOperand operand;
  NodeId tensor = name_->bare(leaf);
  if (name_->identifier(tensor) == "TensorMap" || name_->identifier(tensor) == "TensorRef") {
    operand.alignment = name_->literal(name_->argument(tensor, 1));
    tensor = name_->bare(name_->argument(tensor, 0));
  }
  const NodeId scalar = name_->argument(tensor, 0);
  operand.type = element_type(*name_, scalar);
  if (operand.type.empty()) operand.type = name_->identifier(scalar);
  operand.is_const = name_->graph()[scalar].kind == NodeKind::kQualified;
  const NodeId shape = name_->argument(tensor, 1);
  if (name_->identifier(tensor) == "TensorFixedSize") {
    const auto sizes = name_->arguments(shape);
    const bool is_pack = sizes.size() == 1 && name_->graph()[sizes[0]].kind == NodeKind::kPack;
    const std::size_t rank = is_pack ? name_->graph().children(sizes[0]).size() : sizes.size();
    operand.rank = std::to_string(rank);
    operand.is_scalar = rank == 0;
  } else {
    operand.rank = name_->literal(shape);
    operand.is_scalar = operand.rank == "0";
  }
  const std::string_view options = name_->literal(name_->argument(tensor, 2));
  if (!options.empty()) operand.layout = (options.back() - '0') % 2 == 1 ? "row-major" : "column-major";
  operand.index = name_->builtin(name_->argument(tensor, 3));
  return operand;
}

bool EigenExpression::is_writable(NodeId leaf) const {
  if (output_ == kNoNode || op(leaf) != nullptr) return false;
  const EigenOperand in = operand(leaf);
  const EigenOperand out = operand(output_);
  return !in.is_const && in.type == out.type && in.rank == out.rank && !in.is_scalar;
}

bool EigenExpression::updates_in_place() const {
  const std::vector<NodeId> sides = operands(work_);
  return is_cwise(work_) && sides.size() == 2 && is_writable(sides[0]);
}

bool EigenExpression::Contents::has(std::string_view functor) const {
  return std::find(functors.begin(), functors.end(), functor) != functors.end();
}

EigenExpression::Contents EigenExpression::contents() const {
  Contents contents;
  std::vector<NodeId> open{work_};
  for (int visits = 0; !open.empty() && visits < kMaxVisits; ++visits) {
    const NodeId id = open.back();
    open.pop_back();
    const EigenOpKind* kind = op(id);
    if (kind == nullptr) {
      ++contents.leaves;
      contents.writable_leaves += is_writable(id) ? 1 : 0;
      contents.scalars += operand(id).is_scalar ? 1 : 0;
      continue;
    }
    if (is_cwise(id) || is_reduction(*kind)) contents.functors.push_back(functor(id));
    contents.broadcasts += kind->identifier == "TensorBroadcastingOp" ? 1 : 0;
    for (const NodeId operand : operands(id)) open.push_back(operand);
  }
  return contents;
}

// Writes the expression as a formula and as a tree; both stop where the output or the visits are full.
class EigenWriter {
 public:
  EigenWriter(const EigenExpression& expression, std::size_t max_bytes)
      : expression_(expression),
        name_(*expression.name_),
        max_bytes_(max_bytes),
        leaves_(expression.contents().leaves) {}

  std::string formula() {
    text_ = "y = ";
    updates_in_place_ = expression_.updates_in_place();
    write(expression_.work(), 0);
    return finish();
  }

  std::string tree() {
    const std::string_view root = name_.identifier(expression_.root());
    text_ = std::string(name_.base()) + "\n";
    if (root == "TensorAssignOp") {
      updates_in_place_ = expression_.updates_in_place();
      text_ += "└─ assign: only writes the result  (TensorAssignOp)\n";
      text_ += "   ├─ y: " + describe(expression_.output()) + "\n";
    } else {
      text_ += "└─ evaluate into a buffer  (" + std::string(root) + ")\n";
    }
    branch(expression_.work(), "   ", true, true);
    return finish();
  }

 private:
  bool is_full() { return text_.size() > max_bytes_ || visits_ > kMaxVisits; }

  std::string finish() {
    if (is_full()) {
      text_.resize(std::min(text_.size(), max_bytes_ > 3 ? max_bytes_ - 3 : 0));
      text_ += "...";
    }
    return std::move(text_);
  }

  std::string leaf_name(NodeId id) {
    if (updates_in_place_) {  // its first operand is the first leaf
      updates_in_place_ = false;
      return "y";
    }
    if (expression_.operand(id).is_scalar && leaves_ > 1) return "s";
    const int number = next_leaf_++;
    if (leaves_ == 1) return "x";
    constexpr std::string_view kNames =
        "abdefghijklmnopqrtuvwxz";  // c: a constant, s: a scalar, y: the result
    if (number < static_cast<int>(kNames.size())) return {kNames[static_cast<std::size_t>(number)]};
    return "t" + std::to_string(number);
  }

  // `binding`: of the operator around it; what binds less gets parentheses.
  void write(NodeId id, int binding) {
    ++visits_;
    if (is_full()) return;
    const EigenOpKind* kind = expression_.op(id);
    if (kind == nullptr) {
      text_ += leaf_name(id);
    } else if (expression_.is_cwise(id)) {
      write_cwise(id, binding);
    } else {
      const std::vector<NodeId> operands = expression_.operands(id);
      const std::string function = function_of(id, *kind);
      const bool is_stretched_scalar = (function == "bcast" || function == "reshape") && is_scalar(operands);
      if ((function.empty() || is_stretched_scalar) && operands.size() == 1)
        return write(operands[0], binding);
      write_call(function, operands);
    }
  }

  // A learning rate and the like: made of single numbers, however it is reshaped.
  bool is_scalar(const std::vector<NodeId>& ids) {
    return std::all_of(ids.begin(), ids.end(), [&](NodeId id) {
      if (++visits_ > kMaxVisits) return false;
      return expression_.op(id) == nullptr ? expression_.operand(id).is_scalar
                                           : is_scalar(expression_.operands(id));
    });
  }

  std::string function_of(NodeId id, const EigenOpKind& kind) {
    if (!is_reduction(kind)) return kind.function;
    const EigenFunctor* reducer = find_eigen_functor(expression_.functor(id));
    const std::string symbol = reducer != nullptr ? reducer->symbol : kind.function;
    return kind.identifier == "TensorScanOp" ? "cum" + symbol : symbol;
  }

  void write_call(const std::string& function, const std::vector<NodeId>& operands) {
    text_ += function + "(";
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) text_ += ", ";
      write(operands[i], 0);
    }
    text_ += ")";
  }

  // A constant may be bound to one side: scalar_left<..., op>(x) is op(c, x).
  void write_cwise(NodeId id, int binding) {
    const std::string_view identifier = expression_.functor(id);
    const EigenFunctor* functor = find_eigen_functor(identifier);
    const std::string symbol = functor != nullptr ? functor->symbol : short_name(identifier);
    const std::vector<NodeId> operands = expression_.operands(id);
    const std::string_view bind = name_.identifier(name_.argument(id, 0));
    const bool binds_left = bind == "scalar_left" || bind == "bind1st_op";
    const bool binds_right = bind == "scalar_right" || bind == "bind2nd_op";
    if (operands.empty()) {
      text_ += symbol == "c" ? "c" : symbol + "()";
      return;
    }
    const bool is_infix =
        functor != nullptr && functor->is_infix && (operands.size() == 2 || binds_left || binds_right);
    const int own = !is_infix                        ? 0
                    : symbol == "*" || symbol == "/" ? 3
                    : symbol == "+" || symbol == "-" ? 2
                                                     : 1;
    const bool parenthesised = !is_infix || own < binding;
    if (!is_infix) text_ += symbol;
    if (parenthesised) text_ += "(";
    const std::string between = is_infix ? " " + symbol + " " : ", ";
    if (binds_left) text_ += "c" + between;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) text_ += between;
      const bool is_right = i > 0 || binds_left;
      write(operands[i], is_infix && is_right ? own + 1 : own);
    }
    if (binds_right) text_ += between + "c";
    if (parenthesised) text_ += ")";
  }

  static std::string short_name(std::string_view identifier) {
    if (identifier.starts_with("scalar_")) identifier.remove_prefix(7);
    if (identifier.ends_with("_op")) identifier.remove_suffix(3);
    return identifier.empty() ? "f" : std::string(identifier);
  }

  std::string describe(NodeId leaf) {
    const EigenOperand operand = expression_.operand(leaf);
    std::string text = operand.type.empty() ? std::string("?") : operand.type;
    if (!operand.rank.empty()) text += ", rank " + operand.rank;
    if (!operand.layout.empty()) text += ", " + operand.layout;
    if (!operand.alignment.empty()) text += operand.alignment == "0" ? ", unaligned" : ", aligned";
    text += operand.is_const ? ", read only" : "";
    return text + "  (" + std::string(name_.identifier(leaf)) + ")";
  }

  void branch(NodeId id, const std::string& indent, bool is_last, bool is_work) {
    ++visits_;
    if (is_full()) return;
    text_ += indent + (is_last ? "└─ " : "├─ ");
    const EigenOpKind* kind = expression_.op(id);
    if (kind == nullptr) {
      text_ += leaf_name(id) + ": " + describe(id) + "\n";
      return;
    }
    text_ += op_line(id, *kind) + (is_work ? "  <- the work" : "") + "\n";
    const std::vector<NodeId> operands = expression_.operands(id);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      branch(operands[i], indent + (is_last ? "   " : "│  "), i + 1 == operands.size(), false);
    }
  }

  std::string op_line(NodeId id, const EigenOpKind& kind) {
    std::string line;
    if (expression_.is_cwise(id)) {
      const EigenFunctor* functor = find_eigen_functor(expression_.functor(id));
      line = functor != nullptr ? functor->symbol : short_name(expression_.functor(id));
    } else {
      line = function_of(id, kind);
      if (line.empty()) line = kind.operation;
    }
    return line + "  (" + std::string(kind.identifier) + ")";
  }

  const EigenExpression& expression_;
  const ParsedName& name_;
  const std::size_t max_bytes_;
  const int leaves_;
  bool updates_in_place_ = false;
  int next_leaf_ = 0;
  int visits_ = 0;
  std::string text_;
};

std::string EigenExpression::formula(std::size_t max_bytes) const {
  return EigenWriter(*this, max_bytes).formula();
}

std::string EigenExpression::tree() const { return EigenWriter(*this, 64 * 1024).tree(); }

}  // namespace gputrace::analyzer
