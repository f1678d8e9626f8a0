#include "analyzer/signature_family.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

struct TypeSpelling {
  std::string_view spelling;
  const char* type;
};

constexpr TypeSpelling kTypeSpellings[] = {
    {"float", "float"},
    {"double", "double"},
    {"half", "half"},
    {"__half", "half"},
    {"half_t", "half"},
    {"Half", "half"},
    {"float16", "half"},
    {"_Float16", "half"},
    {"fp16", "half"},
    {"f16", "half"},
    {"half2", "half"},
    {"__half2", "half"},
    {"fp16_t", "half"},
    {"bfloat", "bfloat16"},
    {"bfloat16", "bfloat16"},
    {"bfloat16_t", "bfloat16"},
    {"BFloat16", "bfloat16"},
    {"__nv_bfloat16", "bfloat16"},
    {"nv_bfloat16", "bfloat16"},
    {"hip_bfloat16", "bfloat16"},
    {"__hip_bfloat16", "bfloat16"},
    {"__bf16", "bfloat16"},
    {"__bfloat", "bfloat16"},
    {"bf16", "bfloat16"},
    {"bf16_t", "bfloat16"},
    {"Float8_e4m3fn", "fp8 e4m3"},
    {"Float8_e4m3fnuz", "fp8 e4m3"},
    {"float_e4m3_t", "fp8 e4m3"},
    {"__nv_fp8_e4m3", "fp8 e4m3"},
    {"fp8e4m3", "fp8 e4m3"},
    {"Float8_e5m2", "fp8 e5m2"},
    {"float_e5m2_t", "fp8 e5m2"},
    {"__nv_fp8_e5m2", "fp8 e5m2"},
    {"float_e2m1_t", "fp4 e2m1"},
    {"tfloat32_t", "tf32"},
    {"float2", "complex float"},
    {"cuComplex", "complex float"},
    {"cuFloatComplex", "complex float"},
    {"double2", "complex double"},
    {"cuDoubleComplex", "complex double"},
    {"bool", "bool"},
    {"char", "int8"},
    {"signed char", "int8"},
    {"int8_t", "int8"},
    {"unsigned char", "uint8"},
    {"uint8_t", "uint8"},
    {"short", "int16"},
    {"unsigned short", "uint16"},
    {"int", "int"},
    {"unsigned int", "uint"},
    {"long", "int64"},
    {"long long", "int64"},
    {"__int64", "int64"},
    {"unsigned long", "uint64"},
    {"unsigned long long", "uint64"},
};

// To at most `characters` of UTF-8, the last three dots where something was lost. Bytes that continue no
// character (a name of another encoding) count as characters of their own, so that the bytes are bounded too.
std::string cut(std::string text, std::size_t characters) {
  constexpr int kMostContinuations = 3;
  std::size_t count = 0, keep = 0;
  int continuations = kMostContinuations;  // none may stand at the beginning
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues =
        (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U && continuations < kMostContinuations;
    continuations = continues ? continuations + 1
                              : (static_cast<unsigned char>(text[i]) >= 0xC0U ? 0 : kMostContinuations);
    if (continues) continue;
    if (count == characters - 3) keep = i;
    ++count;
  }
  if (count <= characters) return text;
  return text.substr(0, keep) + "...";
}

// Parts of a name may be as long as the name.
constexpr std::size_t kMaxFormCharacters = 300;  // of the sentence; the tree shows the rest
constexpr std::size_t kMaxFieldCharacters = 120;
constexpr std::size_t kMaxSentenceCharacters = 4000;

}  // namespace

std::string label_of(std::string text) { return cut(std::move(text), kMaxLabelCharacters); }

Explanation explanation_of(ExplanationParts parts) {
  for (std::string* field : {&parts.library, &parts.operation, &parts.type})
    *field = cut(std::move(*field), kMaxFieldCharacters);
  const std::string& shown = parts.short_form.empty() ? parts.operation : parts.short_form;
  const std::string form = parts.library == kUnknownLibrary ? shown : parts.library + ": " + shown;
  std::string label = form;
  const std::size_t convolution = label.find("convolution");
  if (label.size() > kMaxLabelCharacters && convolution != std::string::npos)
    label.replace(convolution, 11, "conv");
  std::string sentence = cut(form, kMaxFormCharacters);
  if (!parts.type.empty()) sentence += " · " + parts.type;
  for (const std::string& detail : parts.details) {
    if (!detail.empty()) sentence += " · " + detail;
  }
  if (!parts.why.empty()) sentence += ". " + parts.why;
  return {.library = std::move(parts.library),
          .operation = std::move(parts.operation),
          .label = label_of(std::move(label)),
          .sentence = cut(std::move(sentence), kMaxSentenceCharacters),
          .op_class = std::move(parts.op_class),
          .type = std::move(parts.type)};
}

std::string element_type(std::string_view spelling) {
  const auto* found = std::find_if(std::begin(kTypeSpellings), std::end(kTypeSpellings),
                                   [&](const TypeSpelling& known) { return known.spelling == spelling; });
  return found == std::end(kTypeSpellings) ? std::string() : found->type;
}

std::string element_type(const ParsedName& name, NodeId type) {
  const std::string_view builtin = name.builtin(type);
  if (!builtin.empty()) return element_type(builtin);
  const std::string_view identifier = name.identifier(type);
  if (identifier == "complex") return "complex " + element_type(name, name.argument(type, 0));
  return element_type(identifier);
}

std::string first_element_type(const ParsedName& name) {
  std::string integer;
  for (const NodeId argument : name.arguments()) {
    std::string type = element_type(name, argument);
    if (type.empty()) continue;
    const bool may_be_index =
        type == "int" || type == "uint" || type == "int64" || type == "uint64" || type == "bool";
    if (!may_be_index) return type;
    if (integer.empty()) integer = std::move(type);
  }
  return integer;
}

}  // namespace gputrace::analyzer
