// Kernels of no library that we know, mostly the program's own: a name like "vec_add" or "softmax_fused" says
// what it does, but not whose it is, so the library stays "unknown". Asked last.
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
    {"dropout", "dropout", kElementWise},
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
    {"stencil", "stencil", kOther},
    {"jacobi", "stencil", kOther},
    {"laplace", "stencil", kOther},
    {"dslash", "stencil", kOther},
    {"find", "search", kOther},
    {"search", "search", kOther},
    {"check", "check", kOther},
};

// `words`: joined by blanks, as `phrase` is.
bool has_phrase(std::string_view words, std::string_view phrase) {
  for (std::size_t at = words.find(phrase); at != std::string_view::npos; at = words.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    const bool begins = at == 0 || words[at - 1] == ' ';
    if (begins && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

std::optional<Explanation> explain_own(const ParsedName& name) {
  const std::string_view base = name.base();
  if (base.size() > 200) return std::nullopt;
  const std::string words = readable(base);
  for (const Meaning& row : kWords) {
    if (!has_phrase(words, row.word)) continue;
    ExplanationParts parts{.library = "unknown", .operation = row.operation, .op_class = row.op_class};
    parts.short_form = std::string(base);
    parts.type = first_element_type(name);
    parts.details = {row.operation};
    parts.why =
        "No library is known to name its kernels so: it is probably the program's own, and the operation is "
        "read from the words of its name.";
    return explanation_of(std::move(parts));
  }
  return std::nullopt;
}

}  // namespace

extern constinit const SignatureFamily own_words{"own", 90, explain_own};

}  // namespace gputrace::analyzer
