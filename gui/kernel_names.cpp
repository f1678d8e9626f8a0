#include "gui/kernel_names.h"

namespace gputrace::gui {

KernelNames::KernelNames(const trace::Trace& trace, const std::vector<analyzer::NameRule>& name_rules)
    : place_of_(trace.strings.size(), 0), explanations_(1), category_of_(trace.strings.size(), Category::other_kernel) {
  analyzer::Explainer explainer(name_rules);
  for (const trace::StringId name : trace.kernels.name) {
    std::uint32_t& place = place_of_[name.value];
    if (place != 0) continue;
    place = static_cast<std::uint32_t>(explanations_.size());
    explanations_.push_back(explainer.explain(trace.text(name)));
    category_of_[name.value] = kernel_category(explanations_.back().op_class);
  }
}

const analyzer::Explanation& KernelNames::explanation(trace::StringId name) const {
  return explanations_[name.value < place_of_.size() ? place_of_[name.value] : 0];
}

Category KernelNames::category(trace::StringId name) const {
  return name.value < category_of_.size() ? category_of_[name.value] : Category::other_kernel;
}

}  // namespace gputrace::gui
