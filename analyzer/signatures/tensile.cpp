// Tensile, the generator behind rocBLAS and hipBLASLt:
// "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x64x64_MI16x16x1_...". Cijk_Ailk_Bljk gives the index
// order of C, A and B; l is summed over. BBS are the types of input, output and sum; MT is the tile; MI the
// matrix instruction.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

std::string type_of_letter(char letter) {
  switch (letter) {
    case 'S':
      return "float";
    case 'D':
      return "double";
    case 'H':
      return "half";
    case 'B':
      return "bfloat16";
    case 'C':
      return "complex float";
    case 'Z':
      return "complex double";
    case 'I':
      return "int8";
    case 'F':
      return "fp8";
    default:
      return {};
  }
}

std::string transposes_of(std::string_view base) {
  const bool a_as_stored = contains(base, "_Ailk");
  const bool b_as_stored = contains(base, "_Bljk");
  return std::string(1, a_as_stored ? 'n' : 't') + (b_as_stored ? 'n' : 't');
}

// What runs before and after a product: Cijk_SH_..._PostGSU8 sums the parts of one that was split along l.
std::optional<Explanation> explain_helper(std::string_view base) {
  if (contains(base, "_Ail") || contains(base, "_Ali")) return std::nullopt;
  ExplanationParts parts{.library = "tensile", .operation = readable(base)};
  if (contains(base, "GSU")) {
    parts.operation = "sum of a split matrix product";
    parts.op_class = kMatmul;
    const std::string count(number_after(base, "GSU"));
    if (!count.empty()) parts.details = {count + " parts"};
  } else if (contains(base, "BetaOnly")) {
    parts.operation = "scaling before a matrix product";
    parts.op_class = kElementWise;
  }
  return explanation_of(std::move(parts));
}

std::optional<Explanation> explain_tensile(const ParsedName& name) {
  const std::string_view base = name.base();
  if (!base.starts_with("Cijk_") && !base.starts_with("Cij_")) return std::nullopt;
  if (auto helper = explain_helper(base)) return helper;
  const std::vector<std::string_view> words = words_of(base);
  ExplanationParts parts{.library = "tensile", .operation = "matrix product", .op_class = kMatmul};
  if (words.size() > 3 && !words[3].empty()) parts.type = type_of_letter(words[3][0]);
  const std::size_t tile_at = base.find("_MT");
  const std::string tile(tile_at == std::string_view::npos ? std::string_view() : tile_in(base, tile_at));
  parts.short_form = "gemm " + tile + (tile.empty() ? "" : " ") + transposes_of(base);
  parts.details = {detail("tile ", tile), contains(base, "_MI") ? "matrix cores" : "",
                   has_word(base, "Bias") ? "room for bias in the epilogue" : ""};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily tensile{"tensile", 21, explain_tensile};

}  // namespace gputrace::analyzer
