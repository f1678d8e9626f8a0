// CUTLASS 2.x (cutlass::Kernel<cutlass::gemm::kernel::Gemm<MmaPipelined<...>, Epilogue, ...>>) and 3.x
// (cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<Shape, CollectiveMma, CollectiveEpilogue>>),
// and cuBLAS's and cuDNN's copies of them, whose only template argument is a name made of words.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"fprop", "convolution forward", kConvolution},
    {"Fprop", "convolution forward", kConvolution},
    {"dgrad", "convolution data gradient", kConvolution},
    {"Dgrad", "convolution data gradient", kConvolution},
    {"wgrad", "convolution weight gradient", kConvolution},
    {"Wgrad", "convolution weight gradient", kConvolution},
    {"ImplicitGemmConvolution", "convolution", kConvolution},
    {"AttentionBackward", "attention backward", kAttention},
    {"AttentionKernel", "attention", kAttention},
    {"attention", "attention", kAttention},
    {"Fmha", "attention", kAttention},
    {"ReduceSplitK", "sum of a split matrix product", kMatmul},
    {"GemmGrouped", "grouped matrix product", kMatmul},
    {"Grouped", "grouped matrix product", kMatmul},
    {"Gemv", "matrix-vector product", kMatmul},
    {"GEMM", "matrix product", kMatmul},
    {"Gemm", "matrix product", kMatmul},
    {"gemm", "matrix product", kMatmul},
};

constexpr Meaning kEpilogues[] = {
    {"LinearCombinationRelu", "relu in the epilogue", ""},
    {"LinearCombinationGELU", "gelu in the epilogue", ""},
    {"LinearCombinationSilu", "silu in the epilogue", ""},
    {"LinearCombinationSigmoid", "sigmoid in the epilogue", ""},
    {"LinearCombinationBias", "bias in the epilogue", ""},
    {"WithBroadcast", "broadcast in the epilogue", ""},
    {"LinearCombination", "epilogue a A B + b C", ""},
};

struct Found {
  std::string tile;
  std::string type;
  std::string layout;
  int rows = 0, columns = 0;
  bool on_tensor_cores = false;
  const Meaning* work = nullptr;
  const Meaning* epilogue = nullptr;
  std::string_view config;  // "cutlass_80_tensorop_f16_s16816gemm_relu_f16_64x64_32x6_nn_align8"
};

std::string shape_of(const ParsedName& name, NodeId shape) {
  std::string text;
  for (const NodeId argument : name.arguments(shape)) {
    const std::string_view size = name.literal(argument);
    if (size.empty()) return {};
    if (!text.empty()) text += 'x';
    text += size;
  }
  return text;
}

// One pass over the name's nodes; the outermost shape is the threadblock's.
Found look_through(const ParsedName& name) {
  Found found;
  const auto nodes = name.graph().nodes();
  for (NodeId id = 1; id < nodes.size(); ++id) {
    const NodeKind kind = nodes[id].kind;
    if (kind == NodeKind::kTemplate && found.tile.empty() && name.identifier(id) == "GemmShape")
      found.tile = shape_of(name, id);
    if (kind == NodeKind::kBuiltin && found.type.empty() && nodes[id].text != "int" &&
        nodes[id].text != "bool") {
      found.type = element_type(nodes[id].text);
    }
    if (kind != NodeKind::kIdentifier) continue;
    const std::string_view text = nodes[id].text;
    if ((text.starts_with("cutlass_") || text.starts_with("cutlass3x_")) && text.size() > 20)
      found.config = text;
    if (found.work == nullptr || found.work->op_class == kMatmul) {
      const Meaning* work = find_meaning(kWork, text);
      if (work != nullptr && (found.work == nullptr || std::string_view(work->op_class) != kMatmul))
        found.work = work;
    }
    if (found.epilogue == nullptr) found.epilogue = find_meaning(kEpilogues, text);
    const std::string type = element_type(text);
    if (!type.empty() && (found.type.empty() || found.type == "float")) found.type = type;
    found.rows += text == "RowMajor" ? 1 : 0;
    found.columns += text == "ColumnMajor" ? 1 : 0;
    found.on_tensor_cores |= contains(text, "TensorOp") || contains(text, "tensorop") ||
                             text.starts_with("SM90_") || text.starts_with("SM80_16x8");
  }
  return found;
}

std::string type_of_config(std::string_view config) {
  for (const std::string_view word : {"e4m3", "e5m2", "bf16", "f16", "tf32"}) {
    if (!contains(config, word)) continue;
    return word == "tf32"          ? "tf32"
           : word.starts_with("e") ? std::string("fp8 ").append(word)
                                   : element_type(word);
  }
  if (contains(config, "tensorop_s1688")) return "tf32";
  if (contains(config, "sgemm") || contains(config, "_s")) return "float";
  return contains(config, "dgemm") || contains(config, "d884gemm") ? "double"
         : contains(config, "cgemm")                               ? "complex float"
                                                                   : "";
}

bool is_cutlass(const ParsedName& name) {
  return name.path().starts_with("cutlass") || name.base().starts_with("cutlass") ||
         name.in_namespace("pytorch_cutlass");
}

std::optional<Explanation> explain_cutlass(const ParsedName& name) {
  if (!is_cutlass(name)) return std::nullopt;
  Found found = look_through(name);
  std::string stages;
  if (!found.config.empty()) {
    // In 3.x the shape of the instruction comes first:
    // "tensorop_s64x128x16gemm_..._128x128x64_2x1x1_0_tnn_...".
    const bool is_version_3 = found.config.starts_with("cutlass3x_");
    const std::string_view tile = tile_in(found.config, is_version_3 ? found.config.find("gemm_") : 0);
    found.tile = tile;
    found.type = type_of_config(found.config);
    const std::size_t after = found.config.find(tile) + tile.size();
    const std::string_view second = tile_in(found.config, after);  // "32x6": depth and stages
    const std::size_t x = second.find('x');
    if (!is_version_3 && x != std::string_view::npos) stages = second.substr(x + 1);
  }
  ExplanationParts parts{
      .library = "cutlass", .operation = "matrix product", .op_class = kMatmul, .type = found.type};
  if (found.work != nullptr) {
    parts.operation = found.work->operation;
    parts.op_class = found.work->op_class;
  } else if (!contains(name.path(), "gemm")) {
    parts.operation = "";
    parts.op_class = kOther;
  }
  parts.short_form = parts.operation == "matrix product" ? "gemm"
                     : parts.operation.empty()           ? std::string(name.base())
                                                         : parts.operation;
  if (!found.tile.empty()) parts.short_form += " " + found.tile;
  const std::string_view config = found.config;
  parts.details = {detail("tile ", found.tile),
                   detail("stages ", stages),
                   has_word(config, "relu")    ? "room for relu in the epilogue"
                   : found.epilogue != nullptr ? found.epilogue->operation
                                               : "",
                   has_word(config, "nhwc") ? "NHWC" : "",
                   found.on_tensor_cores ? "tensor cores" : "",
                   contains(config, "simt") ? "without tensor cores" : "",
                   name.is_complete() ? "" : "the name is cut off"};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily cutlass{"cutlass", 25, explain_cutlass};

}  // namespace gputrace::analyzer
