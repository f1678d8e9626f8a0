// Kernels of the program itself: no library is known, but a name like "vec_add" or "softmax_fused" says what
// it does. Asked last.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

// Matched against the lower-case words of the name, whole: "dot" is not in "dotted".
constexpr Meaning kWords[] = {
    {"matmul", "matrix product", kMatmul},
    {"matmult", "matrix product", kMatmul},
    {"gemm", "matrix product", kMatmul},
    {"sgemm", "matrix product", kMatmul},
    {"gemv", "matrix-vector product", kMatmul},
    {"spmv", "sparse matrix-vector product", kMatmul},
    {"matrix mul", "matrix product", kMatmul},
    {"mat mul", "matrix product", kMatmul},
    {"conv", "convolution", kConvolution},
    {"conv2d", "convolution", kConvolution},
    {"convolution", "convolution", kConvolution},
    {"attention", "attention", kAttention},
    {"softmax", "softmax", kNormalization},
    {"layernorm", "layer norm", kNormalization},
    {"groupnorm", "group norm", kNormalization},
    {"batchnorm", "batch norm", kNormalization},
    {"rmsnorm", "RMS norm", kNormalization},
    {"normalize", "normalization", kNormalization},
    {"embedding", "embedding", kEmbedding},
    {"gather", "gather", kEmbedding},
    {"scatter", "scatter", kEmbedding},
    {"adam", "adam update", kOptimizer},
    {"sgd", "gradient descent update", kOptimizer},
    {"optimizer", "weight update", kOptimizer},
    {"inner product", "dot product", kReduction},
    {"dot", "dot product", kReduction},
    {"norm2", "norm", kReduction},
    {"norm", "norm", kReduction},
    {"reduce", "reduction", kReduction},
    {"reduction", "reduction", kReduction},
    {"sum", "sum", kReduction},
    {"histogram", "histogram", kReduction},
    {"scan", "scan", kReduction},
    {"max", "maximum", kReduction},
    {"argmax", "argmax", kReduction},
    {"transpose", "transpose", kLayoutChange},
    {"permute", "permutation", kLayoutChange},
    {"pad", "padding", kLayoutChange},
    {"cast", "cast", kLayoutChange},
    {"convert", "cast", kLayoutChange},
    {"memset", "fill", kElementWise},
    {"fill", "fill", kElementWise},
    {"copy", "copy", kCopy},
    {"memcpy", "copy", kCopy},
    {"send", "message packing", kOther},
    {"recv", "message unpacking", kOther},
    {"halo", "halo exchange", kOther},
    {"axpy", "y += a x", kElementWise},
    {"saxpy", "y += a x", kElementWise},
    {"daxpy", "y += a x", kElementWise},
    {"rotary", "rotary embedding", kElementWise},
    {"add", "addition", kElementWise},
    {"sub", "subtraction", kElementWise},
    {"mul", "multiplication", kElementWise},
    {"scale", "scaling", kElementWise},
    {"relu", "relu", kElementWise},
    {"gelu", "gelu", kElementWise},
    {"sigmoid", "sigmoid", kElementWise},
    {"sqrt", "square root", kElementWise},
    {"set", "fill", kElementWise},
    {"reset", "fill", kElementWise},
    {"init", "initialisation", kElementWise},
    {"update", "update", kElementWise},
    {"sort", "sort", kOther},
    {"fft", "fast Fourier transform", kOther},
    {"stencil", "stencil", kElementWise},
    {"jacobi", "stencil", kElementWise},
    {"laplace", "stencil", kElementWise},
    {"dslash", "stencil", kElementWise},
    {"find", "search", kOther},
    {"search", "search", kOther},
    {"check", "check", kOther},
};

std::optional<Explanation> explain_own(const ParsedName& name) {
  const std::string_view base = name.base();
  if (base.size() > 200) return std::nullopt;
  const std::string words = " " + readable(base) + " ";
  for (const Meaning& row : kWords) {
    if (!contains(words, " " + std::string(row.word) + " ")) continue;
    ExplanationParts parts{.library = "own", .operation = row.operation, .op_class = row.op_class};
    parts.short_form = std::string(base);
    parts.type = first_element_type(name);
    parts.details = {row.operation};
    parts.why =
        "A kernel of the program itself, as far as its name tells; the operation is read from the words of "
        "the name.";
    return explanation_of(std::move(parts));
  }
  return std::nullopt;
}

}  // namespace

extern constinit const SignatureFamily own_words{"own", 90, explain_own};

}  // namespace gputrace::analyzer
