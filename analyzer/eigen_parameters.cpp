// The template arguments of an Eigen op that are no operands: paddings, broadcast factors, shuffles,
// dimensions.
#include "analyzer/eigen_expression.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

// IndexList<type2index<0l>, int>: what is no type2index is a value of run time.
std::string index_list(const ParsedName& name, NodeId list) {
  std::string text;
  const auto add = [&](NodeId one) {
    if (!text.empty()) text += ", ";
    text +=
        name.identifier(one) == "type2index" ? name.literal(name.argument(one, 0)) : std::string_view("?");
  };
  for (const NodeId argument : name.arguments(list)) {
    if (name.graph()[argument].kind != NodeKind::kPack) {
      add(argument);
    } else {
      for (const NodeId packed : name.graph().children(argument)) add(packed);
    }
  }
  return "[" + text + "]";
}

// array<std::pair<int, int>, 4> (paddings: before and after), array<int, 4>, DSizes<long, 4>
std::string array(const ParsedName& name, NodeId type) {
  const std::string_view count = name.literal(name.argument(type, 1));
  if (count.empty()) return {};
  const std::string_view element = name.identifier(name.argument(type, 0));
  const bool is_pairs = element == "pair" || element == "IndexPair";
  return std::string(count) + (is_pairs ? " pair" : " value") + (count == "1" ? "" : "s") + " at run time";
}

std::string parameter(const ParsedName& name, NodeId type) {
  const std::string_view identifier = name.identifier(type);
  if (identifier == "IndexList") return index_list(name, type);
  if (identifier == "array" || identifier == "DSizes") return array(name, type);
  return std::string(name.literal(type));
}

}  // namespace

std::string EigenExpression::parameters(NodeId id) const {
  const EigenOpKind* kind = op(id);
  if (kind == nullptr || is_cwise(id)) return {};
  if (kind->identifier == "TensorConversionOp") {
    const std::string type = element_type(*name_, name_->argument(id, 0));
    return type.empty() ? std::string() : "to " + type;
  }
  std::string text;
  for (int i = 0; i < kind->first_operand; ++i) {
    const std::string one = parameter(*name_, name_->argument(id, static_cast<std::size_t>(i)));
    if (one.empty()) continue;
    if (!text.empty()) text += ", ";
    text += one;
  }
  return text;
}

}  // namespace gputrace::analyzer
