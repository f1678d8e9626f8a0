// cuBLAS and cuBLASLt: products of matrices and vectors under four generations of names:
// "volta_sgemm_128x64_nn", "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_nn",
// "sm80_xmma_gemm_...", "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN".
#include <array>

#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kVectorOps[] = {
    {"splitKreduce", "sum of a split matrix product", kMatmul},
    {"splitK", "matrix product, split along k", kMatmul},
    {"gemv", "matrix-vector product", kMatmul},
    {"gemmSN", "product of a small matrix", kMatmul},
    {"gemmk1", "outer product", kMatmul},
    {"gemm", "matrix product", kMatmul},
    {"trsm", "triangular solve", kMatmul},
    {"trmm", "triangular product", kMatmul},
    {"syrk", "symmetric product", kMatmul},
    {"symm", "symmetric product", kMatmul},
    {"getrf", "LU factorization", kOther},
    {"dot_kernel", "dot product", kReduction},
    {"reduce_1Block", "end of a dot product", kReduction},
    {"nrm2", "norm", kReduction},
    {"asum", "sum of magnitudes", kReduction},
    {"iamax", "index of the largest", kReduction},
    {"scal_kernel", "scaling", kElementWise},
    {"axpy_kernel", "y += a x", kElementWise},
    {"copy_kernel", "copy", kCopy},
    {"epilogue", "epilogue of a matrix product", kElementWise},
    {"geam", "matrix addition or transpose", kLayoutChange},
};

constexpr std::string_view kArchitectures[] = {"kepler_", "maxwell_", "pascal_", "volta_",
                                               "turing_", "ampere_",  "hopper_", "blackwell_"};

bool is_cublas(const ParsedName& name) {
  const std::string_view base = name.base();
  if (name.in_namespace("cublasLt") || base.starts_with("nvjet_") || contains(base, "xmma_gemm")) return true;
  if (contains(name.text(), "cublas") || contains(name.path(), "gemvx") || contains(base, "cublas"))
    return true;
  for (const std::string_view architecture : kArchitectures) {
    if (base.starts_with(architecture) && contains(base, "gemm")) return true;
  }
  constexpr std::string_view kPlain[] = {"gemv2N_",       "gemv2T_", "gemvNSP_",     "gemmSN_", "gemmk1_",
                                         "splitKreduce_", "magma_",  "sgemm_largek", "sgemm_",  "dgemm_",
                                         "hgemm_",        "cgemm_",  "zgemm_",       "trsm_",   "gemv"};
  for (const std::string_view plain : kPlain) {
    if (base.starts_with(plain)) return true;
  }
  return false;
}

std::string type_of_letter(char letter) {
  switch (letter) {
    case 's':
      return "float";
    case 'd':
      return "double";
    case 'h':
      return "half";
    case 't':
      return "bfloat16";
    case 'q':
      return "fp8";
    case 'c':
      return "complex float";
    case 'z':
      return "complex double";
    case 'i':
      return "int8";
    default:
      return {};
  }
}

// "sgemm", "gcgemm", "h884gemm", "s16816gemm": the letter before the digits.
std::string type_before_gemm(std::string_view base) {
  std::size_t at = base.find("gemm");
  if (at == std::string_view::npos) return {};
  const std::size_t word = base.rfind('_', at) == std::string_view::npos ? 0 : base.rfind('_', at) + 1;
  std::string_view letters = base.substr(word, at - word);
  if (letters.size() == 2 && letters[0] == 'g')
    letters.remove_prefix(1);  // "gcgemm": complex by Gauss' three products
  return letters.empty() ? std::string() : type_of_letter(letters[0]);
}

std::string type_of(const ParsedName& name) {
  const std::string_view base = name.base();
  if (base.starts_with("nvjet_") && base.size() > 6) return type_of_letter(base[6]);
  for (const std::string_view word : {"xmma_gemm_e4m3", "xmma_gemm_e5m2", "bf16", "fp16", "f16f16", "tf32f32",
                                      "tf32", "e4m3", "f64f64", "f32f32", "i8"}) {
    if (!contains(base, word)) continue;
    if (word.starts_with("xmma_gemm_e"))
      return word.ends_with("e4m3") ? "fp8 e4m3" : "fp8 e5m2";  // input type first
    if (word == "tf32f32" || word == "tf32") return "tf32";
    if (word == "f16f16") return "half";
    if (word == "f32f32") return "float";
    if (word == "f64f64") return "double";
    return word == "e4m3" ? "fp8 e4m3" : word == "i8" ? "int8" : element_type(word);
  }
  const std::string letter = type_before_gemm(base);
  return letter.empty() ? first_element_type(name) : letter;
}

// "nn", "tn": is A, is B transposed; from the last word of that kind.
std::string transposes_of(std::string_view base) {
  std::string found;
  for (const std::string_view word : words_of(base)) {
    const auto is_flag = [](char c) { return c == 'n' || c == 't' || c == 'N' || c == 'T' || c == 'c'; };
    if (word.size() < 2 || word.size() > 3) continue;
    bool all = true;
    for (const char c : word) all = all && is_flag(c);
    if (all) found = word.substr(0, 2);
  }
  for (char& c : found) c = c == 'N' ? 'n' : c == 'T' ? 't' : c;
  return found;
}

std::string transposes_explained(const std::string& flags) {
  if (flags.empty()) return {};
  const auto side = [](char flag) { return flag == 'n' ? "as stored" : "transposed"; };
  return std::string("A ") + side(flags[0]) + ", B " + side(flags[1]);
}

std::optional<Explanation> explain_cublas(const ParsedName& name) {
  if (!is_cublas(name)) return std::nullopt;
  const std::string_view base = name.base();
  const Meaning* op =
      find_meaning(kVectorOps, base.starts_with("nvjet_") ? "gemm" : std::string_view(name.path()));
  if (op == nullptr)
    return explanation_of(
        {.library = "cublas", .operation = readable(base), .type = first_element_type(name)});
  ExplanationParts parts{
      .library = "cublas", .operation = op->operation, .op_class = op->op_class, .type = type_of(name)};
  const bool is_product = std::string_view(op->operation) == "matrix product";
  const std::string tile(is_product ? tile_in(base) : std::string_view());
  const std::string transposes = is_product ? transposes_of(base) : std::string();
  parts.short_form = is_product ? "gemm" : op->operation;
  if (!tile.empty()) parts.short_form += " " + tile;
  if (!transposes.empty()) parts.short_form += " " + transposes;
  const bool on_tensor_cores = base.starts_with("nvjet_") || contains(base, "884") ||
                               contains(base, "16816") || contains(base, "1688") ||
                               contains(base, "tensor") || contains(base, "warpgroup");
  parts.details = {detail("tile ", tile),
                   transposes_explained(transposes),
                   detail("stages ", number_after(base, "stage")),
                   contains(base, "split_k") || contains(base, "splitK") ? "split along k" : "",
                   has_word(base, "bias") ? "bias in the epilogue" : "",
                   has_word(base, "relu") ? "room for an activation in the epilogue" : "",
                   on_tensor_cores ? "tensor cores" : ""};
  if (is_product && !on_tensor_cores && parts.type == "float") {
    parts.why =
        "It runs on the ordinary float units; TF32, half or bfloat16 would use the tensor cores where there "
        "are any.";
  }
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily cublas{"cublas", 40, explain_cublas};

}  // namespace gputrace::analyzer
