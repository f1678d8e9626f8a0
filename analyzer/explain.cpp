#include "analyzer/explain.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/eigen_expression.h"
#include "analyzer/name_parsers.h"
#include "analyzer/name_rules.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

constexpr std::size_t kMaxDemangledBytes = 64 * 1024;

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

Explanation explanation_of_unknown(const ParsedName& name) {
  const std::string_view base = name.base().substr(0, 200);
  return explanation_of({.library = std::string(kUnknownLibrary),
                         .operation = "",
                         .short_form = base.empty() ? "(no name)" : std::string(base),
                         .why = "No rule knows this name: it is probably a kernel of the program's own."});
}

}  // namespace

struct Explainer::Impl {
  std::vector<const SignatureFamily*> families;
  std::vector<NameRule> rules;
  std::unordered_map<std::string, Explanation, NameHash, std::equal_to<>> known;

  Explanation explain(std::string_view kernel_name) const {
    const ParsedName name(kernel_name);
    if (auto explanation = explain_by_rules(rules, name)) return *explanation;
    for (const SignatureFamily* family : families) {
      if (auto explanation = family->explain(name)) return *explanation;
    }
    return explanation_of_unknown(name);
  }
};

Explainer::Explainer() : Explainer(std::vector<NameRule>{}) {}

Explainer::Explainer(std::vector<NameRule> rules) : impl_(std::make_unique<Impl>()) {
  impl_->rules = std::move(rules);
  const auto all = all_signature_families();
  impl_->families.assign(all.begin(), all.end());
  std::sort(impl_->families.begin(), impl_->families.end(),
            [](const SignatureFamily* a, const SignatureFamily* b) { return a->priority < b->priority; });
}

Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

const Explanation& Explainer::explain(std::string_view kernel_name) {
  if (const auto found = impl_->known.find(kernel_name); found != impl_->known.end()) return found->second;
  return impl_->known.emplace(kernel_name, impl_->explain(kernel_name)).first->second;
}

Explanation Explainer::explain_uncached(std::string_view kernel_name) const {
  return impl_->explain(kernel_name);
}

std::string draw_op_tree(std::string_view kernel_name) {
  const ParsedName name(kernel_name);
  const auto expression = EigenExpression::find(name);
  return expression ? expression->tree() : std::string();
}

std::string demangle(std::string_view kernel_name) {
  const ParsedName name(kernel_name);
  if (name.is_mangled() && name.is_complete())
    return print_node(name.graph(), name.root(), kMaxDemangledBytes);
  if (kernel_name.size() <= kMaxDemangledBytes) return std::string(kernel_name);
  return std::string(kernel_name.substr(0, kMaxDemangledBytes - 3)) + "...";
}

std::string base_name(std::string_view kernel_name) { return std::string(ParsedName(kernel_name).base()); }

}  // namespace gputrace::analyzer
