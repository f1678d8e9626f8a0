// QCU, a library of lattice quantum chromodynamics: the Wilson operator ("wilson_dslash_x_send": the part
// along one dimension that exchanges its boundary with a neighbour) and the solver BiCGStab.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"_send", "boundary packing", kLayoutChange},  {"_recv", "boundary unpacking", kLayoutChange},
    {"bistabcg", "BiCGStab update", kElementWise}, {"reduction", "reduction", kReduction},
    {"dslash", "Wilson operator", kOther},
};

std::optional<Explanation> explain_qcu(const ParsedName& name) {
  const std::string_view base = name.base();
  const bool is_named = base.starts_with("wilson_dslash") || base.starts_with("bistabcg_") ||
                        base.starts_with("wilson_bistabcg_");
  if (!is_named && !name.mentions("LatticeComplex")) return std::nullopt;
  ExplanationParts parts{.library = "qcu", .operation = "", .short_form = std::string(base)};
  if (const Meaning* work = find_meaning(kWork, base)) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
    parts.details = {work->operation};
  }
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily qcu{"qcu", 75, explain_qcu};

}  // namespace gputrace::analyzer
