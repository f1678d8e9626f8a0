// Fused attention kernels of many libraries: FlashAttention 1 to 3 and PyTorch's copy of it, TensorRT-LLM's
// FMHA, AMD's CK and aiter, SageAttention, paged attention of inference servers.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"bwd_dot_do_o", "attention backward, preparation", kAttention},
    {"bwd_preprocess", "attention backward, preparation", kAttention},
    {"bwd_convert", "attention backward, conversion", kAttention},
    {"bwd", "attention backward", kAttention},
    {"Bwd", "attention backward", kAttention},
    {"backward", "attention backward", kAttention},
    {"Backward", "attention backward", kAttention},
    {"cutlassB_", "attention backward", kAttention},
    {"splitkv_combine", "attention, sum of splits", kAttention},
    {"combine", "attention, sum of splits", kAttention},
    {"reduce_segments", "attention, sum of splits", kAttention},
    {"reduce", "attention, sum of splits", kAttention},
    {"splitkv", "attention, split over keys", kAttention},
    {"rng_state", "attention, random state for dropout", kAttention},
};

bool is_attention(const ParsedName& name) {
  const std::string_view base = name.base();
  const std::string& path = name.path();
  if (base == "reduce_segments") return true;     // vLLM's, in Triton
  if (base.starts_with("triton_")) return false;  // TorchInductor lists the ops whose results it uses
  for (const std::string_view part :
       {"flash_fwd", "flash_bwd", "fmha", "Fmha", "attn_fwd", "attn_bwd", "paged_attention",
        "unified_attention", "flash_attn", "FlashAttn", "sage_fwd", "fused_attn", "sdpa",
        "MultiHeadAttention", "mha_fwd", "mha_bwd", "attention_kernel"}) {
    if (contains(base, part) || contains(path, part)) return true;
  }
  if (name.in_namespace("flash") || name.in_namespace("pytorch_flash")) return true;
  if (!path.starts_with("ck_tile") && !path.starts_with("cutlass")) return false;
  return !name.find_identifier([](std::string_view text) {
                return contains(text, "Fmha") || contains(text, "FlashAttn") ||
                       contains(text, "AttentionKernel");
              })
              .empty();
}

// CK and CUTLASS start every kernel through one entry, whose template argument is the kernel itself.
std::string_view kernel_of(const ParsedName& name) {
  const std::string_view base = name.base();
  if (base != "kentry" && base != "device_kernel") return base;
  const std::string_view inner = name.find_identifier([](std::string_view text) {
    return contains(text, "Fmha") || contains(text, "FlashAttn") || contains(text, "Attention");
  });
  return inner.empty() ? base : inner;
}

std::string_view library_of(const ParsedName& name, std::string_view kernel) {
  struct Row {
    std::string_view prefix, library;
  };
  constexpr Row kPrefixes[] = {{"fmhaSm", "tensorrt-llm"},        {"cudnn", "cudnn"},
                               {"paged_attention_ll4mi", "vllm"}, {"kernel_unified_attention", "vllm"},
                               {"reduce_segments", "vllm"},       {"fmha_cutlass", "pytorch"}};
  constexpr Row kNamespaces[] = {{"transformer_engine", "transformer engine"},
                                 {"aiter", "aiter"},
                                 {"vllm", "vllm"},
                                 {"ck_tile", "composable kernel"},
                                 {"flash", "flash-attention"},
                                 {"pytorch_flash", "flash-attention"}};
  for (const Row& row : kPrefixes) {
    if (kernel.starts_with(row.prefix)) return row.library;
  }
  for (const Row& row : kNamespaces) {
    if (name.in_namespace(row.prefix)) return row.library;
  }
  if (contains(kernel, "flash") || contains(kernel, "FlashAttn")) return "flash-attention";
  return name.path().starts_with("cutlass") ? "cutlass" : "attention";
}

std::string type_of(const ParsedName& name) {
  const std::string_view base = name.base();
  if (contains(base, "bf16") || contains(base, "Bfloat16")) return "bfloat16";
  if (contains(base, "_f16_")) return "half";
  if (contains(base, "fp16") || contains(base, "E4m3")) return contains(base, "fp16") ? "half" : "fp8 e4m3";
  std::string type;
  name.find_identifier([&](std::string_view text) {
    type = element_type(text);
    return !type.empty();
  });
  if (!type.empty()) return type;
  for (const NameNode& node : name.graph().nodes()) {
    if (node.kind != NodeKind::kBuiltin) continue;
    type = element_type(node.text);
    if (type == "bfloat16" || type == "half" || type == "float") return type;
  }
  return {};
}

// Flash_fwd_kernel_traits<head size, rows, columns, warps, ...>
std::string head_size_of(const ParsedName& name) {
  const std::string_view base = name.base();
  for (const std::string_view prefix : {"_hd", "H"}) {
    if (const std::string_view size = number_after(base, prefix); !size.empty()) return std::string(size);
  }
  const auto nodes = name.graph().nodes();
  for (NodeId id = 1; id < nodes.size(); ++id) {
    if (nodes[id].kind == NodeKind::kTemplate && contains(name.identifier(id), "kernel_traits")) {
      return std::string(name.literal(name.argument(id, 0)));
    }
  }
  return {};
}

std::optional<Explanation> explain_attention(const ParsedName& name) {
  if (!is_attention(name)) return std::nullopt;
  const std::string_view base = kernel_of(name);
  ExplanationParts parts{.library = std::string(library_of(name, base)),
                         .operation = "attention forward",
                         .op_class = kAttention};
  if (const Meaning* work = find_meaning(kWork, base)) parts.operation = work->operation;
  if (parts.library == "attention") {  // the library's name says it already
    parts.short_form = parts.operation.substr(std::string_view("attention ").size());
    if (parts.operation[9] == ',')
      parts.short_form = parts.operation.substr(std::string_view("attention, ").size());
  }
  parts.type = type_of(name);
  parts.details = {detail("head size ", head_size_of(name)),
                   contains(base, "Causal") || contains(base, "causal") ? "causal" : "",
                   contains(base, "Paged") || contains(base, "paged") ? "paged key-value cache" : ""};
  parts.why = "The matrix of scores stays on the chip: it is never written to memory.";
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily flash_attention{"attention", 22, explain_attention};

}  // namespace gputrace::analyzer
