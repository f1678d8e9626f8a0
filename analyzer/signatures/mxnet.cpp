// MXNet and its tensor library mshadow: mshadow::cuda::MapPlanKernel<sv::saveto, ..., Plan<expression>>, an
// expression tree much like Eigen's; newer ops are mxnet::op::mxnet_op::mxnet_generic_kernel<op, ...>.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"ReduceWithAxis", "reduction", kReduction},
    {"ReduceTo", "reduction", kReduction},
    {"BroadcastingExp", "broadcast", kLayoutChange},
    {"Broadcast", "broadcast", kLayoutChange},
    {"TransposeEx", "transpose", kLayoutChange},
    {"PaddingExp", "padding", kLayoutChange},
    {"SwapAxis", "transpose", kLayoutChange},
    {"UnPackPatch", "im2col", kConvolution},
    {"PackColToPatch", "col2im", kConvolution},
    {"Pooling", "pooling", kReduction},
    {"Softmax", "softmax", kNormalization},
    {"softmax", "softmax", kNormalization},
    {"sgd_mom", "momentum update", kOptimizer},
    {"SGDMom", "momentum update", kOptimizer},
    {"SGD", "gradient descent update", kOptimizer},
    {"adam", "adam update", kOptimizer},
    {"BatchNorm", "batch norm", kNormalization},
    {"Embedding", "embedding", kEmbedding},
    {"UnaryMapExp", "element-wise function", kElementWise},
    {"BinaryMapExp", "element-wise arithmetic", kElementWise},
    {"TypecastExp", "cast", kLayoutChange},
    {"ScalarExp", "fill", kElementWise},
};

std::optional<Explanation> explain_mxnet(const ParsedName& name) {
  if (!name.in_namespace("mshadow") && !name.in_namespace("mxnet")) return std::nullopt;
  ExplanationParts parts{.library = "mxnet", .operation = readable(name.base()), .op_class = kElementWise};
  const Meaning* work = nullptr;
  name.find_identifier([&](std::string_view text) {
    work = text == name.base() ? nullptr : find_meaning(kWork, text);
    return work != nullptr;
  });
  if (work == nullptr) work = find_meaning(kWork, name.base());
  if (work != nullptr) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  }
  for (const NameNode& node : name.graph().nodes()) {
    if (node.kind == NodeKind::kBuiltin && parts.type.empty() && node.text != "int" &&
        node.text != "unsigned int" && node.text != "void" && node.text != "bool") {
      parts.type = element_type(node.text);
    }
  }
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily mxnet{"mxnet", 14, explain_mxnet};

}  // namespace gputrace::analyzer
