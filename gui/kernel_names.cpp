#include "gui/kernel_names.h"

namespace gputrace::gui {

KernelNames::KernelNames(const trace::Trace& trace, const std::vector<analyzer::NameRule>& name_rules) : entry_of_(trace.strings.size(), 0), entries_(1) {
  analyzer::Explainer explainer(name_rules);
  for (const trace::StringId name : trace.kernels.name) {
    std::uint32_t& entry = entry_of_[name.value];
    if (entry != 0) continue;
    entry = static_cast<std::uint32_t>(entries_.size());
    const analyzer::Explanation& explanation = explainer.explain(trace.text(name));
    entries_.push_back({explanation, kernel_category(explanation.op_class)});
  }
}

const analyzer::Explanation& KernelNames::explanation(trace::StringId name) const {
  return entries_[name.value < entry_of_.size() ? entry_of_[name.value] : 0].explanation;
}

Category KernelNames::category(trace::StringId name) const {
  return entries_[name.value < entry_of_.size() ? entry_of_[name.value] : 0].category;
}

}  // namespace gputrace::gui
