// Kernels of libraries that serve and train large language models: vLLM, TensorRT-LLM, FlashInfer, aiter,
// DeepSeek's.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"rmsnorm_quant", "RMS norm and quantization", kNormalization},
    {"rms_norm", "RMS norm", kNormalization},
    {"rmsnorm", "RMS norm", kNormalization},
    {"layernorm", "layer norm", kNormalization},
    {"layer_norm", "layer norm", kNormalization},
    {"rotary", "rotary embedding", kElementWise},
    {"rope", "rotary embedding", kElementWise},
    {"swiglu", "SwiGLU", kElementWise},
    {"silu", "SiLU", kElementWise},
    {"act_and_mul", "gated activation", kElementWise},
    {"quantize", "quantization", kLayoutChange},
    {"quant", "quantization", kLayoutChange},
    {"cast_and_transpose", "cast and transpose", kLayoutChange},
    {"cast_back", "cast", kLayoutChange},
    {"cast", "cast", kLayoutChange},
    {"transpose", "transpose", kLayoutChange},
    {"reshape_and_cache", "write to the key-value cache", kEmbedding},
    {"compute_position", "positions of tokens", kOther},
    {"routing", "expert routing", kOther},
    {"moe", "mixture of experts", kMatmul},
    {"tensormaps", "tensor maps of a grouped matrix product", kMatmul},
    {"expand_to_fused", "gather of tokens to experts", kEmbedding},
    {"reduce_fused", "sum of experts' results", kReduction},
    {"aux_fi", "expert statistics", kReduction},
    {"epilogue", "epilogue of a matrix product", kElementWise},
    {"gemm", "matrix product", kMatmul},
    {"bmm", "matrix product", kMatmul},
    {"topk", "top k", kReduction},
    {"sampling", "sampling", kOther},
};

std::string_view library_of(const ParsedName& name) {
  struct Row {
    std::string_view scope, library;
  };
  constexpr Row kScopes[] = {{"vllm", "vllm"},
                             {"aiter", "aiter"},
                             {"tensorrt_llm", "tensorrt-llm"},
                             {"flashinfer", "flashinfer"},
                             {"moe", "tensorrt-llm"},
                             {"dpsk", "deepseek"},
                             {"deep_gemm", "deepseek"},
                             {"sglang", "sglang"},
                             {"epilogue", "deepseek"}};
  for (const Row& row : kScopes) {
    if (name.in_namespace(row.scope)) return row.library;
  }
  const std::string_view base = name.base();
  if (base == "compute_position_kernel") return "sglang";
  if (base.starts_with("bmm_") && contains(base, "_sm100")) return "tensorrt-llm";
  // A namespace "cuda" alone says little: these ops are only found in expert-parallel training.
  if (name.in_namespace("cuda") &&
      (contains(base, "swiglu") || contains(base, "per_token") || contains(base, "per_channel") ||
       contains(base, "_fused") || contains(base, "aux_fi") || contains(base, "cast_back"))) {
    return "deepseek";
  }
  return {};
}

std::optional<Explanation> explain_serving(const ParsedName& name) {
  const std::string_view library = library_of(name);
  if (library.empty()) return std::nullopt;
  ExplanationParts parts{
      .library = std::string(library), .operation = readable(name.base()), .type = first_element_type(name)};
  const Meaning* work = find_meaning(kWork, name.base());
  if (work == nullptr) work = find_meaning(kWork, name.path());
  if (work != nullptr) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
    if (contains(name.base(), "ackward")) parts.operation += " backward";
  }
  if (parts.type.empty() && contains(name.base(), "Bfloat16")) parts.type = "bfloat16";
  parts.details = {detail("tile ", tile_in(name.base()))};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily llm_serving{"llm_serving", 42, explain_serving};

}  // namespace gputrace::analyzer
