#include "analyzer/eigen_ops.h"

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

}  // namespace

const EigenOpKind* find_eigen_op(std::string_view identifier) {
  if (!identifier.ends_with("Op")) return nullptr;
  const auto* found = std::find_if(std::begin(kOps), std::end(kOps),
                                   [&](const EigenOpKind& op) { return op.identifier == identifier; });
  return found == std::end(kOps) ? nullptr : found;
}

const EigenFunctor* find_eigen_functor(std::string_view identifier) {
  const auto* found = std::find_if(std::begin(kFunctors), std::end(kFunctors),
                                   [&](const EigenFunctor& f) { return f.identifier == identifier; });
  return found == std::end(kFunctors) ? nullptr : found;
}

bool is_eigen_reduction(const EigenOpKind& op) {
  return op.identifier == "TensorReductionOp" || op.identifier.ends_with("ReducerOp") ||
         op.identifier == "TensorScanOp";
}

}  // namespace gputrace::analyzer
