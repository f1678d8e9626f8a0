// A family of kernel names that one library gives its kernels. One file each in analyzer/signatures; CMake
// lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/explain.h"
#include "analyzer/parsed_name.h"

namespace gputrace::analyzer {

struct SignatureFamily {
  const char* name;  // "eigen"
  int priority;      // families are asked in this order, the smallest first
  // nullopt where the name is not of this family.
  std::optional<Explanation> (*explain)(const ParsedName& name);
};

std::span<const SignatureFamily* const> all_signature_families();

// Values of Explanation::op_class.
namespace op_class {
inline constexpr const char* kMatmul = "matmul";
inline constexpr const char* kConvolution = "convolution";
inline constexpr const char* kNormalization = "normalization";
inline constexpr const char* kElementWise = "element-wise";
inline constexpr const char* kReduction = "reduction";
inline constexpr const char* kLayoutChange = "layout change";
inline constexpr const char* kEmbedding = "embedding";
inline constexpr const char* kAttention = "attention";
inline constexpr const char* kOptimizer = "optimizer";
inline constexpr const char* kCommunication = "communication";
inline constexpr const char* kCopy = "copy";
inline constexpr const char* kOther = "other";
}  // namespace op_class

// What a family knows; explanation_of() writes label and sentence from it.
struct ExplanationParts {
  std::string library;
  std::string operation;
  std::string op_class = op_class::kOther;
  std::string short_form = {};  // after "library: " in the label; the operation where empty
  std::string type = {};
  std::vector<std::string> details = {};  // "rank 4", "tile 128x64"; empty ones are left out
  std::string why = {};                   // whole sentences
};

inline constexpr std::size_t kMaxLabelCharacters = 40;
inline constexpr std::string_view kUnknownLibrary = "unknown";

// Label "LIBRARY: SHORT FORM", cut to 40 characters; sentence "LIBRARY: SHORT FORM · TYPE · DETAILS. WHY". Without
// "LIBRARY: " where it is kUnknownLibrary.
Explanation explanation_of(ExplanationParts parts);

// Cut to kMaxLabelCharacters, the last three dots where something was lost.
std::string label_of(std::string text);

// One name per element type, whoever spells it: "float", "half", "bfloat16", "int64", "fp8 e4m3" ...; the
// spelling itself where it is a builtin type without another name, "" where it is no element type.
std::string element_type(std::string_view spelling);
std::string element_type(const ParsedName& name, NodeId type);

// The kernel's first template argument that is an element type; integers, which are mostly indices, only
// where there is no other.
std::string first_element_type(const ParsedName& name);

}  // namespace gputrace::analyzer
