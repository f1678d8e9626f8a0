// NCCL and RCCL: ncclDevKernel_AllReduce_Sum_f32_RING_LL, older ncclAllReduceRingLLKernel_sum_f32 and
// ncclKernel_AllReduce_RING_LL_Sum_float; MSCCL, NVSHMEM-based exchanges and multicast all-reduces beside
// them.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kCollectives[] = {
    {"AllReduce", "all-reduce", kCommunication},
    {"all_reduce", "all-reduce", kCommunication},
    {"allreduce", "all-reduce", kCommunication},
    {"cross_device_reduce", "all-reduce", kCommunication},
    {"ReduceScatter", "reduce-scatter", kCommunication},
    {"reduce_scatter", "reduce-scatter", kCommunication},
    {"AllGather", "all-gather", kCommunication},
    {"all_gather", "all-gather", kCommunication},
    {"AllToAll", "all-to-all", kCommunication},
    {"alltoall", "all-to-all", kCommunication},
    {"all_to_all", "all-to-all", kCommunication},
    {"SendRecv", "send and receive", kCommunication},
    {"Broadcast", "broadcast", kCommunication},
    {"oneRankReduce", "reduce on one rank", kCommunication},
    {"notify_dispatch", "expert dispatch, sizes", kCommunication},
    {"dispatch", "expert dispatch", kCommunication},
    {"combine", "expert combine", kCommunication},
    {"Reduce", "reduce", kCommunication},
    {"barrier", "barrier", kCommunication},
    {"Generic", "several collectives", kCommunication},
};

constexpr Meaning kAlgorithms[] = {
    {"RING", "ring", ""},
    {"Ring", "ring", ""},
    {"TREE", "tree", ""},
    {"Tree", "tree", ""},
    {"COLLNET", "in-network", ""},
    {"CollNet", "in-network", ""},
    {"NVLS", "NVLink multicast", ""},
    {"PAT", "parallel aggregated trees", ""},
};

constexpr Meaning kProtocols[] = {
    {"LL128", "LL128 protocol (small and medium messages)", ""},
    {"_LL", "LL protocol (small messages, for latency)", ""},
    {"LLKernel", "LL protocol (small messages, for latency)", ""},
    {"SIMPLE", "simple protocol (large messages, for bandwidth)", ""},
    {"Simple", "simple protocol (large messages, for bandwidth)", ""},
};

constexpr Meaning kReductions[] = {
    {"_Sum", "sum", ""},
    {"_sum", "sum", ""},
    {"Prod", "product", ""},
    {"prod", "product", ""},
    {"MinMax", "minimum or maximum", ""},
    {"_Max", "maximum", ""},
    {"_max", "maximum", ""},
    {"_Min", "minimum", ""},
    {"_min", "minimum", ""},
    {"Avg", "average", ""},
};

bool is_nccl(const ParsedName& name) {
  const std::string_view base = name.base();
  return base.starts_with("nccl") || base.starts_with("rccl") || base.starts_with("msccl") ||
         base.starts_with("multimem_") || base.starts_with("oneRankReduce") ||
         base.starts_with("cross_device_reduce") || contains(base, "nvshmem") ||
         contains(name.path(), "deep_ep::") || contains(name.path(), "::ep::");
}

std::string type_of(const ParsedName& name) {
  for (const std::string_view word : words_of(name.base())) {
    if (const std::string type = element_type(word); !type.empty()) return type;
    if (word == "f32") return "float";
    if (word == "f64") return "double";
    if (word == "i32" || word == "u32") return "int";
    if (word == "i64" || word == "u64" || word == "int64" || word == "uint64") return "int64";
    if (word == "i8" || word == "u8" || word == "int8" || word == "uint8") return "int8";
  }
  return first_element_type(name);
}

std::string_view library_of(const ParsedName& name) {
  const std::string_view base = name.base();
  if (base.starts_with("msccl")) return "msccl";
  if (base.starts_with("rccl")) return "rccl";
  if (contains(name.path(), "::ep::") || contains(name.path(), "deep_ep::")) return "deepep";
  if (base.starts_with("multimem_") || base.starts_with("cross_device_reduce")) return "symmetric memory";
  return "nccl";
}

std::optional<Explanation> explain_nccl(const ParsedName& name) {
  if (!is_nccl(name)) return std::nullopt;
  const std::string_view base = name.base();
  const auto word = [&](std::span<const Meaning> table) {
    const Meaning* found = find_meaning(table, base);
    return std::string(found != nullptr ? found->operation : "");
  };
  ExplanationParts parts{
      .library = std::string(library_of(name)), .operation = word(kCollectives), .op_class = kCommunication};
  if (parts.operation.empty())
    parts.operation = base.starts_with("msccl") ? "programmed collective" : "collective";
  const std::string algorithm = word(kAlgorithms);
  parts.short_form = parts.operation + (algorithm.empty() ? "" : " " + algorithm);
  parts.type = type_of(name);
  parts.details = {word(kReductions), algorithm, word(kProtocols)};
  parts.why = "Its time includes waiting for the slowest rank to arrive.";
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily nccl{"nccl", 20, explain_nccl};

}  // namespace gputrace::analyzer
