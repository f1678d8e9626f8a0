// rocBLAS's own kernels ("rocblas_gemvn_kernel"); its matrix products are Tensile's.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"gemv", "matrix-vector product", kMatmul},
    {"gemm", "matrix product", kMatmul},
    {"trsm", "triangular solve", kMatmul},
    {"trsv", "triangular solve", kMatmul},
    {"trmm", "triangular product", kMatmul},
    {"syrk", "symmetric product", kMatmul},
    {"symm", "symmetric product", kMatmul},
    {"herk", "symmetric product", kMatmul},
    {"ger", "outer product", kMatmul},
    {"geam", "matrix addition or transpose", kLayoutChange},
    {"dot", "dot product", kReduction},
    {"nrm2", "norm", kReduction},
    {"asum", "sum of magnitudes", kReduction},
    {"iamax", "index of the largest", kReduction},
    {"iamin", "index of the smallest", kReduction},
    {"reduction", "reduction", kReduction},
    {"axpy", "y += a x", kElementWise},
    {"scal", "scaling", kElementWise},
    {"swap", "exchange of vectors", kCopy},
    {"copy", "copy", kCopy},
};

std::optional<Explanation> explain_rocblas(const ParsedName& name) {
  const std::string_view base = name.base();
  if (!base.starts_with("rocblas_")) return std::nullopt;
  ExplanationParts parts{
      .library = "rocblas", .operation = readable(base.substr(8)), .type = first_element_type(name)};
  if (const Meaning* work = find_meaning(kWork, base)) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  }
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily rocblas{"rocblas", 39, explain_rocblas};

}  // namespace gputrace::analyzer
