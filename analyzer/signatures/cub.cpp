// CUB, Thrust, and rocPRIM and hipCUB, their counterparts on AMD: device-wide algorithms, some of whose
// functors name the work.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

// rocPRIM's trampoline_kernel<config, selector, function(...)::lambda> names its algorithm in its arguments
// only.
constexpr Meaning kAlgorithms[] = {
    {"RadixSort", "radix sort", kOther},
    {"radix_sort", "radix sort", kOther},
    {"onesweep", "radix sort", kOther},
    {"MergeSort", "merge sort", kOther},
    {"merge_sort", "merge sort", kOther},
    {"merge_mergepath", "merge sort", kOther},
    {"SegmentedReduce", "segmented reduction", kReduction},
    {"ReduceByKey", "reduction by key", kReduction},
    {"reduce_by_key", "reduction by key", kReduction},
    {"ScanByKey", "scan by key", kReduction},
    {"DeviceScan", "scan", kReduction},
    {"lookback_scan", "scan", kReduction},
    {"scan", "scan", kReduction},
    {"DeviceReduce", "reduction", kReduction},
    {"ReduceAgent", "reduction", kReduction},
    {"reduce", "reduction", kReduction},
    {"RunLength", "run-length encoding", kOther},
    {"Histogram", "histogram", kReduction},
    {"histogram", "histogram", kReduction},
    {"UniqueByKey", "unique by key", kOther},
    {"Select", "selection", kOther},
    {"Partition", "partition", kOther},
    {"partition", "partition", kOther},
    {"CompactInit", "selection", kOther},
    {"Merge", "merge", kOther},
    {"BatchMemcpy", "batched copy", kCopy},
    {"ParallelFor", "transform", kElementWise},
    {"parallel_for", "transform", kElementWise},
    {"transform", "transform", kElementWise},
    {"for_each", "transform", kElementWise},
    {"static_kernel", "transform", kElementWise},
};

constexpr Meaning kFunctors[] = {
    {"ArgMax", "argmax", ""}, {"ArgMin", "argmin", ""},      {"Sum", "sum", ""},
    {"plus", "sum", ""},      {"Max", "maximum", ""},        {"maximum", "maximum", ""},
    {"Min", "minimum", ""},   {"minimum", "minimum", ""},    {"multiplies", "product", ""},
    {"fill", "fill", ""},     {"BitAnd", "bitwise and", ""},
};

bool is_cub(const ParsedName& name) {
  const std::string& path = name.path();
  return contains(path, "cub::") || name.in_namespace("thrust") || name.in_namespace("rocprim") ||
         name.in_namespace("hipcub") || name.base().starts_with("DeviceRadixSort") ||
         name.base().starts_with("DeviceScan");
}

const Meaning* algorithm_of(const ParsedName& name) {
  if (const Meaning* found = find_meaning(kAlgorithms, name.path())) return found;
  const Meaning* found = nullptr;
  name.find_identifier([&](std::string_view identifier) {
    found = find_meaning(kAlgorithms, identifier);
    return found != nullptr;
  });
  return found;
}

std::string functor_of(const ParsedName& name) {
  const Meaning* found = nullptr;
  name.find_identifier([&](std::string_view identifier) {
    for (const Meaning& row : kFunctors) {
      if (row.word == identifier) found = &row;
    }
    return found != nullptr;
  });
  return found != nullptr ? found->operation : "";
}

std::string type_of(const ParsedName& name) {
  for (const NameNode& node : name.graph().nodes()) {
    if (node.kind != NodeKind::kBuiltin || node.text == "bool" || node.text == "void") continue;
    if (const std::string type = element_type(node.text); !type.empty()) return type;
  }
  return {};
}

std::optional<Explanation> explain_cub(const ParsedName& name) {
  if (!is_cub(name)) return std::nullopt;
  const bool is_rocm = contains(name.path(), "rocprim") || contains(name.path(), "hipcub");
  const bool is_thrust = name.in_namespace("thrust");
  ExplanationParts parts{.library = is_rocm     ? "rocprim"
                                    : is_thrust ? "thrust"
                                                : "cub",
                         .operation = readable(name.base())};
  if (const Meaning* algorithm = algorithm_of(name)) {
    parts.operation = algorithm->operation;
    parts.op_class = algorithm->op_class;
  }
  const std::string functor =
      parts.op_class == kReduction || parts.op_class == kElementWise ? functor_of(name) : std::string();
  parts.short_form = parts.operation + (functor.empty() ? "" : " (" + functor + ")");
  parts.type = type_of(name);
  parts.details = {functor, name.is_complete() ? "" : "the name is cut off"};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily cub{"cub", 15, explain_cub};

}  // namespace gputrace::analyzer
