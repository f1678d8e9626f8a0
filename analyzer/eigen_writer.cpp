// What formula and tree share: the names of operands and of functions.
#include "analyzer/eigen_writer.h"

#include <algorithm>

namespace gputrace::analyzer {

EigenWriter::EigenWriter(const EigenExpression& expression, std::size_t max_bytes)
    : expression_(expression),
      name_(expression.name()),
      max_bytes_(max_bytes),
      leaves_(expression.contents().leaves) {}

std::string EigenWriter::finish() {
  if (is_full()) {
    text_.resize(std::min(text_.size(), max_bytes_ > 3 ? max_bytes_ - 3 : 0));
    text_ += "...";
  }
  return std::move(text_);
}

std::string EigenWriter::leaf_name(NodeId id) {
  if (updates_in_place_) {  // its first operand is the first leaf
    updates_in_place_ = false;
    return "y";
  }
  if (expression_.operand(id).is_scalar && leaves_ > 1) return "s";
  const int number = next_leaf_++;
  if (leaves_ == 1) return "x";
  constexpr std::string_view kNames = "abdefghijklmnopqrtuvwxz";  // c: a constant, s: a scalar, y: the result
  if (number < static_cast<int>(kNames.size())) return {kNames[static_cast<std::size_t>(number)]};
  return std::to_string(number).insert(0, 1, 't');
}

std::string EigenWriter::function_of(NodeId id, const EigenOpKind& kind) {
  if (!is_eigen_reduction(kind)) return kind.function;
  const EigenFunctor* reducer = find_eigen_functor(expression_.functor(id));
  const std::string symbol = reducer != nullptr ? reducer->symbol : kind.function;
  return kind.identifier == "TensorScanOp" ? "cum" + symbol : symbol;
}

std::string EigenWriter::short_name(std::string_view identifier) {
  if (identifier.starts_with("scalar_")) identifier.remove_prefix(7);
  if (identifier.ends_with("_op")) identifier.remove_suffix(3);
  return identifier.empty() ? "f" : std::string(identifier);
}

}  // namespace gputrace::analyzer
