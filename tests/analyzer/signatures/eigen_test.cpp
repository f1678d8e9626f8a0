#include <catch2/catch.hpp>

#include "analyzer/explain.h"

using gputrace::analyzer::draw_op_tree;
using gputrace::analyzer::Explainer;
using gputrace::analyzer::Explanation;

namespace {

Explanation explained(std::string_view name) { return Explainer().explain(name); }

bool says(const Explanation& explanation, std::string_view text) {
  return explanation.sentence.find(text) != std::string::npos;
}

const std::string kIn = "Eigen::TensorMap<Eigen::Tensor<float const, 4, 1, long>, 16> const";
const std::string kVariable = "Eigen::TensorMap<Eigen::Tensor<float, 4, 1, long>, 16> const";
const std::string kScalar =
    "Eigen::TensorMap<Eigen::TensorFixedSize<float const, Eigen::Sizes<>, 1, long>, 16> const";

std::string meta_kernel(const std::string& work) {
  return "void "
         "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<"
         "Eigen::Tensor<"
         "float, 4, 1, long>, 16>, " +
         work + "> const, Eigen::GpuDevice>, long>(float, 4)";
}

std::string binary(const std::string& op, const std::string& left, const std::string& right) {
  return "Eigen::TensorCwiseBinaryOp<Eigen::internal::" + op + "<float, float>, " + left + ", " + right +
         "> const";
}

std::string unary(const std::string& op, const std::string& of) {
  return "Eigen::TensorCwiseUnaryOp<Eigen::internal::" + op + "<float>, " + of + "> const";
}

std::string broadcast(const std::string& of) {
  return "Eigen::TensorBroadcastingOp<Eigen::array<int, 4ul> const, " + of + "> const";
}

std::string constant() {
  return "Eigen::TensorCwiseNullaryOp<Eigen::internal::scalar_constant_op<float>, " + kIn + "> const";
}

// The two kernels that took 41 % of the GPU's time in a residual network, as a profiler of 2016 spelled them.
constexpr const char* kPaddingEdg =
    "void "
    "Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::"
    "TensorMap<Eigen::"
    "Tensor<float, int=4, int=1, long>, int=16>, Eigen::TensorPaddingOp<Eigen::array<std::pair<int, int>, "
    "unsigned long=4> const, "
    "Eigen::TensorMap<Eigen::Tensor<float const, int=4, int=1, long>, int=16> const > const > const, "
    "Eigen::GpuDevice>, "
    "long>(float, int=4)";
constexpr const char* kBroadcastEdg =
    "void "
    "Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::"
    "TensorMap<Eigen::"
    "Tensor<float, int=4, int=1, long>, int=16>, Eigen::TensorBroadcastingOp<Eigen::array<int, unsigned "
    "long=4> const, Eigen::"
    "TensorMap<Eigen::Tensor<float const, int=4, int=1, long>, int=16> const > const > const, "
    "Eigen::GpuDevice>, long>(float, int=4)";

}  // namespace

TEST_CASE("a padding is a padding in every spelling of the name") {
  const std::string name = GENERATE(
      std::string(kPaddingEdg),
      std::string("_ZN5Eigen8internal31EigenMetaKernel_NonVectorizableINS_15TensorEvaluatorIKNS_"
                  "14TensorAssignOpINS_9TensorMapINS_"
                  "6TensorIfLi4ELi1ElEELi16EEEKNS_15TensorPaddingOpIKNS_5arrayISt4pairIiiELm4EEEKNS4_INS5_"
                  "IKfLi4ELi1ElEELi16EEEEE"
                  "EENS_9GpuDeviceEEElEEvT_T0_"),
      std::string("void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<const "
                  "Eigen::TensorAssignOp<Eigen::"
                  "TensorMap<Eigen::Tensor<float, (int)4, (int)1, long>, (int)16>, const "
                  "Eigen::TensorPaddingOp<const Eigen::array<"
                  "std::pair<int, int>, (unsigned long)4>, const Eigen::TensorMap<Eigen::Tensor<const float, "
                  "(int)4, (int)1, long>, "
                  "(int)16>>>, Eigen::GpuDevice>, long>(T1, T2)"),
      std::string("void "
                  "Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::"
                  "TensorAssignOp<Eigen::"
                  "TensorMap<Eigen::Tensor<float, 4, 1, long>, 16>, "
                  "Eigen::TensorPaddingOp<Eigen::array<std::pair<int, int>, 4ul> "
                  "const, Eigen::TensorMap<Eigen::Tensor<float const, 4, 1, long>, 16> const> const> const, "
                  "Eigen::GpuDevice>, "
                  "long>(Eigen::TensorEvaluator<Eigen::TensorAssignOp<...>, Eigen::GpuDevice>, long)"));
  const Explanation e = explained(name);
  CHECK(e.library == "eigen");
  CHECK(e.operation == "padding");
  CHECK(e.op_class == "layout change");
  CHECK(e.label == "eigen: y = pad(x)");
  CHECK(e.type == "float");
  CHECK(e.sentence.starts_with("eigen: y = pad(x) · float · rank 4 · row-major"));
}

TEST_CASE("the sentence answers what people ask of an Eigen name") {
  const Explanation e = explained(kPaddingEdg);
  CHECK(says(e, "TensorAssignOp) is the root of the expression and only writes the result"));
  CHECK(says(e, "its right-hand side names the work: TensorPaddingOp"));
  CHECK(says(e, "TensorMap<Tensor<float, 4, 1, long>, 16> is a view of a rank-4 tensor of float"));
  CHECK(says(e, "1 is row-major"));
  CHECK(says(e, "16 the alignment flag (aligned), not an operation"));
  CHECK(says(e, "tf.pad"));
  CHECK(says(e, "let the convolution pad"));
}

TEST_CASE("a broadcast names fused batch norm and the bias in the epilogue as its cure") {
  const std::string name = GENERATE(
      std::string(kBroadcastEdg), std::string("_ZN5Eigen8internal31EigenMetaKernel_NonVectorizableINS_"
                                              "15TensorEvaluatorIKNS_14TensorAssignOpINS_9TensorMapI"
                                              "NS_6TensorIfLi4ELi1ElEELi16EEEKNS_20TensorBroadcastingOpIKNS_"
                                              "5arrayIiLm4EEEKNS4_INS5_IKfLi4ELi1ElEELi16EEE"
                                              "EEEENS_9GpuDeviceEEElEEvT_T0_"));
  const Explanation e = explained(name);
  CHECK(e.label == "eigen: y = bcast(x)");
  CHECK(e.operation == "broadcast");
  CHECK(e.op_class == "layout change");
  CHECK(says(e, "fused batch norm"));
  CHECK(says(e, "epilogue"));
}

TEST_CASE("the tree shows which argument is the work") {
  CHECK(draw_op_tree(kPaddingEdg) ==
        "EigenMetaKernel_NonVectorizable\n"
        "└─ assign: only writes the result  (TensorAssignOp)\n"
        "   ├─ y: float, rank 4, row-major, aligned  (TensorMap)\n"
        "   └─ pad  4 pairs at run time  (TensorPaddingOp)  <- the work\n"
        "      └─ x: float, rank 4, row-major, aligned, read only  (TensorMap)\n");
  CHECK(draw_op_tree("ampere_sgemm_128x64_nn").empty());
}

TEST_CASE("an assignment of a plain tensor is a copy") {
  const Explanation e = explained(meta_kernel(kIn));
  CHECK(e.operation == "copy");
  CHECK(e.op_class == "copy");
  CHECK(e.label == "eigen: y = x");
}

TEST_CASE("arithmetic is written as a formula with the parentheses it needs") {
  CHECK(explained(meta_kernel(binary("scalar_product_op", kIn, binary("scalar_sum_op", kIn, kIn)))).label ==
        "eigen: y = a * (b + d)");
  CHECK(explained(meta_kernel(binary("scalar_sum_op", binary("scalar_product_op", kIn, kIn), kIn))).label ==
        "eigen: y = a * b + d");
  CHECK(explained(meta_kernel(binary("scalar_difference_op", kIn, binary("scalar_difference_op", kIn, kIn))))
            .label == "eigen: y = a - (b - d)");
  CHECK(explained(meta_kernel(unary("scalar_exp_op", kIn))).label == "eigen: y = exp(x)");
}

TEST_CASE("a constant bound to one side shows on that side") {
  const std::string left =
      "Eigen::TensorCwiseUnaryOp<Eigen::internal::scalar_left<float, float, Eigen::internal::"
      "scalar_difference_op<float, float>, false>, " +
      kIn + "> const";
  CHECK(explained(meta_kernel(left)).label == "eigen: y = c - x");
  const std::string right =
      "Eigen::TensorCwiseUnaryOp<Eigen::internal::scalar_right<float, float, Eigen::internal::"
      "scalar_difference_op<float, float>>, " +
      kIn + "> const";
  CHECK(explained(meta_kernel(right)).label == "eigen: y = x - c");
}

TEST_CASE("what the arithmetic amounts to") {
  CHECK(explained(meta_kernel(binary("scalar_max_op", kIn, constant()))).operation == "relu");
  CHECK(explained(meta_kernel(binary("scalar_max_op", kIn, kIn))).operation == "max");
  CHECK(explained(meta_kernel(binary("scalar_sum_op", kIn, broadcast(kIn)))).operation == "bias add");
  CHECK(explained(meta_kernel(binary("scalar_sum_op", kIn, kIn))).operation == "addition");
  const std::string centred = binary("scalar_difference_op", kIn, broadcast(kIn));
  CHECK(explained(meta_kernel(centred)).op_class == "element-wise");
  const Explanation norm = explained(meta_kernel(
      binary("scalar_sum_op", binary("scalar_product_op", centred, broadcast(unary("scalar_rsqrt_op", kIn))),
             broadcast(kIn))));
  CHECK(norm.operation == "batch normalization");
  CHECK(norm.op_class == "normalization");
  const Explanation fill = explained(meta_kernel(constant()));
  CHECK(fill.operation == "fill");
  CHECK(fill.label == "eigen: y = c");
}

TEST_CASE("an update is told from a difference by the variable that is not const") {
  const std::string step = binary("scalar_product_op", broadcast(kScalar), kIn);
  const Explanation update = explained(meta_kernel(binary("scalar_difference_op", kVariable, step)));
  CHECK(update.operation == "gradient descent update");
  CHECK(update.op_class == "optimizer");
  CHECK(update.label == "eigen: y = y - s * a");
  const Explanation difference = explained(meta_kernel(binary("scalar_difference_op", kIn, step)));
  CHECK(difference.operation == "subtraction");
  CHECK(difference.op_class == "element-wise");
  CHECK(difference.label == "eigen: y = a - s * b");
  const Explanation adam = explained(
      meta_kernel(binary("scalar_difference_op", kVariable,
                         binary("scalar_quotient_op", kVariable, unary("scalar_sqrt_op", kVariable)))));
  CHECK(adam.operation == "adam update");
}

TEST_CASE("an argmax hides below a cast") {
  const Explanation e = explained(
      "void "
      "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::"
      "Tensor<__int64, "
      "int=1, int=1, long>, int=16, Eigen::MakePointer>, Eigen::TensorConversionOp<__int64, "
      "Eigen::TensorTupleReducerOp<Eigen::"
      "internal::ArgMaxTupleReducer<Eigen::Tuple<long, float>>, Eigen::array<long, unsigned long=1> const , "
      "Eigen::TensorMap<Eigen::"
      "Tensor<float const , int=2, int=1, long>, int=16, Eigen::MakePointer> const > const > const > const , "
      "Eigen::GpuDevice>, "
      "long>(__int64, int=1)");
  CHECK(e.operation == "argmax");
  CHECK(e.op_class == "reduction");
  CHECK(e.label == "eigen: y = cast(argmax(x))");
  CHECK(e.type == "int64");
}

TEST_CASE("reduction and contraction kernels") {
  const Explanation inner = explained(
      "_ZN5Eigen8internal20InnerReductionKernelILi128ENS_15TensorEvaluatorIKNS_17TensorReductionOpINS0_"
      "10MaxReducerIfEEKNS_9IndexListINS_"
      "10type2indexILl1EEEJEEEKNS_9TensorMapINS_6TensorIKfLi2ELi1ElEELi16EEEEENS_9GpuDeviceEEES5_lEEvT1_T0_"
      "T2_SN_PNSM_"
      "15CoeffReturnTypeE");
  CHECK(inner.operation == "max");
  CHECK(inner.label == "eigen: y = max(x)");
  CHECK(says(inner, "over the innermost dimension"));
  const Explanation contraction =
      explained("void Eigen::internal::EigenFloatContractionKernel16x16<long, A, B, C, true, true>(A, B)");
  CHECK(contraction.op_class == "matmul");
  CHECK(contraction.type == "float");
}

TEST_CASE("a name cut off still says what it says") {
  const std::string whole = kPaddingEdg;
  const Explanation e = explained(whole.substr(0, 260) + "...");
  CHECK(e.library == "eigen");
  CHECK(e.operation == "padding");
  CHECK(says(e, "the name is cut off"));
  const Explanation shorter = explained(whole.substr(0, 70));
  CHECK(shorter.library == "eigen");
  CHECK(shorter.operation.empty());
  for (std::size_t size = 0; size <= whole.size(); ++size) explained(whole.substr(0, size));
}

TEST_CASE("an expression nested too deeply is still an Eigen expression, down to the limit") {
  const int levels = GENERATE(10, 90, 200, 400, 50'000);
  std::string text, mangled = "_Z15EigenMetaKernelI15TensorEvaluatorI14TensorAssignOpI3Out";
  for (int i = 0; i < levels; ++i)
    text += "Eigen::TensorCwiseUnaryOp<Eigen::internal::scalar_exp_op<float>, ";
  text += "X";
  for (int i = 0; i < levels; ++i) text += "> const";
  for (int i = 0; i < levels; ++i) mangled += "K18TensorCwiseUnaryOpI13scalar_exp_op";
  for (const std::string& name : {meta_kernel(text), mangled}) {
    const Explanation e = explained(name);
    CHECK(e.operation == "exp");
    CHECK(e.label == "eigen: y = exp(exp(exp(exp(exp(exp(ex...");
  }
}

TEST_CASE("parts repeated by reference do not make the label or the tree explode") {
  // Each sum adds the one below to itself: 2^60 leaves if it were written out. S3_ is the op, S4_ its
  // functor, S5_ the tensor, S6_ the innermost sum.
  constexpr int kLevels = 60;
  std::string name =
      "_Z15EigenMetaKernelI15TensorEvaluatorI14TensorAssignOpI3Out19TensorCwiseBinaryOpI13scalar_sum_op";
  for (int level = 1; level < kLevels; ++level) name += "S3_IS4_";
  name += "2InS5_E";
  static constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int level = 1; level < kLevels; ++level) {
    const int number = level + 5;  // S_ is the first, S0_ the second
    name += "S" + (number < 36 ? "" : std::string(1, kDigits[number / 36])) + kDigits[number % 36] + "_E";
  }
  name += "EEEvv";
  const Explanation e = explained(name);
  CHECK(e.operation == "addition");
  CHECK(e.label.starts_with("eigen: y = a + b"));
  CHECK(e.label.size() <= 40);
  const std::string tree = draw_op_tree(name);
  CHECK(tree.size() > 1000);
  CHECK(tree.size() <= 64 * 1024);
  CHECK(gputrace::analyzer::demangle(name).size() == 64 * 1024);
}

TEST_CASE("a scan is no sum, and a contraction's operands are not its work") {
  const Explanation scan = explained(
      "void "
      "Eigen::internal::ScanKernel<Eigen::TensorEvaluator<Eigen::TensorScanOp<Eigen::internal::SumReducer<"
      "float>, "
      "Eigen::TensorMap<Eigen::Tensor<float const, 3, 1, long>, 16> const> const, Eigen::GpuDevice>, "
      "Eigen::internal::SumReducer<float> >(int, long, float*)");
  CHECK(scan.operation == "scan");
  CHECK(scan.label == "eigen: y = cumsum(x)");
  CHECK_FALSE(says(scan, "tf.reduce_sum"));
  const Explanation product = explained(
      "void Eigen::internal::EigenContractionKernel<float, long, "
      "Eigen::TensorEvaluator<Eigen::TensorMap<Eigen::"
      "Tensor<float const, 2, 1, long>, 16> const, Eigen::GpuDevice>, true>(int)");
  CHECK(product.operation == "contraction");
  CHECK(product.op_class == "matmul");
}

TEST_CASE("the tree says what an op is told beside its operands, where the name has it") {
  const std::string before =
      "void "
      "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::"
      "Tensor<float, 2, 1, long>, 16>, ";
  const std::string after =
      ", Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, long>, 16> const> const> const, "
      "Eigen::GpuDevice>, long>()";
  const auto tree_of = [&](const std::string& op) { return draw_op_tree(before + op + after); };
  const auto has = [](const std::string& tree, std::string_view line) {
    return tree.find(line) != std::string::npos;
  };
  CHECK(has(tree_of("Eigen::TensorBroadcastingOp<Eigen::IndexList<Eigen::type2index<1l>, int> const"),
            "bcast  [1, ?]  (TensorBroadcastingOp)"));
  CHECK(has(tree_of("Eigen::TensorBroadcastingOp<Eigen::array<long, 2ul> const"),
            "bcast  2 values at run time  (TensorBroadcastingOp)"));
  CHECK(has(tree_of("Eigen::TensorPaddingOp<Eigen::array<Eigen::IndexPair<int>, 2ul> const"),
            "pad  2 pairs at run time  (TensorPaddingOp)"));
  CHECK(has(
      tree_of(
          "Eigen::TensorReductionOp<Eigen::internal::SumReducer<float>, Eigen::IndexList<Eigen::type2index<"
          "0l>> const"),
      "sum  [0]  (TensorReductionOp)"));
  CHECK(has(tree_of("Eigen::TensorConversionOp<float"), "cast  to float  (TensorConversionOp)"));
  CHECK(has(tree_of("Eigen::TensorChippingOp<0l"), "chip  0  (TensorChippingOp)"));
}

TEST_CASE("an operand that was cut off is dots, not nothing") {
  const Explanation e = explained(
      "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::"
      "Tensor<float, 4, 1, long>, 16>, Eigen::TensorPaddingOp<Eigen::arr...");
  CHECK(e.label == "eigen: y = pad(...)");
  CHECK(e.operation == "padding");
}
