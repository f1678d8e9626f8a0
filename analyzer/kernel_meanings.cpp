#include "analyzer/kernel_meanings.h"

#include <array>
#include <string_view>

#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

template <std::size_t kCount>
bool has_any(std::string_view text, const std::array<std::string_view, kCount>& words) {
  for (const std::string_view word : words)
    if (has(text, word)) return true;
  return false;
}

}  // namespace

KernelMeanings::KernelMeanings(const trace::Trace& trace, const std::vector<NameRule>& name_rules)
    : index_(trace.strings.size()), meanings_(1) {
  Explainer explainer(name_rules);
  for (const trace::StringId name : trace.kernels.name) {
    if (index_[name.value] != 0) continue;
    index_[name.value] = static_cast<std::uint32_t>(meanings_.size());
    meanings_.push_back(explainer.explain(trace.text(name)));
  }
}

bool is_data_movement(const Explanation& kernel) {
  constexpr std::array<std::string_view, 3> kOperations{"padding", "broadcast", "cast"};
  if (kernel.op_class != op_class::kLayoutChange || is_layout_conversion(kernel)) return false;
  return has_any(kernel.operation, kOperations) || has(kernel.sentence, "casts on the way");
}

bool is_layout_conversion(const Explanation& kernel) {
  constexpr std::array<std::string_view, 4> kOperations{"NCHW", "NHWC", "transpose", "layout swap"};
  return kernel.op_class == op_class::kLayoutChange && has_any(kernel.operation, kOperations);
}

bool is_arithmetic(const Explanation& kernel) {
  return kernel.op_class == op_class::kMatmul || kernel.op_class == op_class::kConvolution || kernel.op_class == op_class::kAttention;
}

bool is_single_precision_arithmetic(const Explanation& kernel) {
  constexpr std::array<std::string_view, 3> kTensorCores{"tensor core", "tf32", "TF32"};
  if (!is_arithmetic(kernel) || kernel.type != "float") return false;
  // Of such a kernel the explanation says that tensor cores could do it.
  return has(kernel.sentence, "ordinary float units") || !has_any(kernel.sentence, kTensorCores);
}

}  // namespace gputrace::analyzer
