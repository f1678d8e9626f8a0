// CuPy: "cupy_add__float32_float_float32" (ufunc and its types), and its plain kernels.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kOps[] = {
    {"scan", "scan", kReduction},
    {"copy", "copy", kLayoutChange},
    {"fill", "fill", kElementWise},
    {"arange", "fill", kElementWise},
    {"var_core", "variance", kReduction},
    {"sum", "sum", kReduction},
    {"mean", "mean", kReduction},
    {"amax", "maximum", kReduction},
    {"amin", "minimum", kReduction},
    {"argm", "index of an extreme", kReduction},
    {"scatter", "scatter", kEmbedding},
    {"take", "gather", kEmbedding},
    {"getitem_mask", "selection", kEmbedding},
    {"nonzero", "selection", kOther},
    {"true_divide", "division", kElementWise},
};

std::string type_of(std::string_view word) {
  if (word == "float32") return "float";
  if (word == "float64") return "double";
  if (word == "float16") return "half";
  if (word == "complex64") return "complex float";
  if (word == "complex128") return "complex double";
  if (word == "int32") return "int";
  return std::string(word);
}

std::optional<Explanation> explain_cupy(const ParsedName& name) {
  std::string_view base = name.base();
  if (!base.starts_with("cupy_") && !base.starts_with("cupyx_")) return std::nullopt;
  base.remove_prefix(base.find('_') + 1);
  const std::size_t types = base.find("__");
  const std::string_view op = base.substr(0, types);
  ExplanationParts parts{.library = "cupy", .operation = readable(op), .op_class = kElementWise};
  if (const Meaning* known = find_meaning(kOps, op)) {
    parts.operation = known->operation;
    parts.op_class = known->op_class;
  }
  if (types != std::string_view::npos) {
    const std::vector<std::string_view> words = words_of(base.substr(types));
    if (!words.empty()) parts.type = type_of(words.back());
    if (op == "copy" && words.size() == 2 && words[0] != words[1]) parts.operation = "cast";
  }
  parts.short_form = readable(op);
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily cupy{"cupy", 51, explain_cupy};

}  // namespace gputrace::analyzer
