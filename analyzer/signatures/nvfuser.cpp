// nvFuser, PyTorch's earlier fuser: "nvfuser_pointwise_f1_c1_r0_g1" names the schedule it chose, not the ops;
// before that, "kernel1", "CudaCodeGen::kernel1".
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kSchedules[] = {
    {"inner_persistent", "fused normalization", kNormalization},
    {"outer_persistent", "fused normalization", kNormalization},
    {"persistent", "fused normalization", kNormalization},
    {"reduction", "fused reduction", kReduction},
    {"pointwise", "fused element-wise ops", kElementWise},
    {"transpose", "fused transpose", kLayoutChange},
    {"matmul", "matrix product", kMatmul},
    {"no_op", "fused copy", kLayoutChange},
    {"none", "fused ops", kElementWise},
};

std::optional<Explanation> explain_nvfuser(const ParsedName& name) {
  const std::string_view base = name.base();
  if (!base.starts_with("nvfuser_") && !name.in_namespace("CudaCodeGen")) return std::nullopt;
  ExplanationParts parts{.library = "nvfuser", .operation = "fused ops", .op_class = kElementWise};
  if (const Meaning* schedule = find_meaning(kSchedules, base)) {
    parts.operation = schedule->operation;
    parts.op_class = schedule->op_class;
  }
  // Tensor<T, rank, rank>: the first parameter's element type.
  const auto nodes = name.graph().nodes();
  for (NodeId id = 1; id < nodes.size() && parts.type.empty(); ++id) {
    if (nodes[id].kind == NodeKind::kTemplate && name.identifier(id) == "Tensor")
      parts.type = element_type(name, name.argument(id, 0));
  }
  parts.why = "The name gives the fuser's schedule; which ops it fused is not in it.";
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily nvfuser{"nvfuser", 52, explain_nvfuser};

}  // namespace gputrace::analyzer
