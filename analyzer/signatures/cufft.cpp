// cuFFT and cuRAND: transforms named for their radix ("spRadix0064B::kernel1Mem", "vector_fft",
// "regular_fft") and generators.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

std::optional<Explanation> explain_cufft(const ParsedName& name) {
  const std::string& path = name.path();
  const std::string_view base = name.base();
  const bool is_fft = contains(path, "Radix0") || base.starts_with("vector_fft") ||
                      base.starts_with("regular_fft") || base.starts_with("composite_2way_fft") ||
                      base.starts_with("multi_bluestein_fft") || contains(base, "postprocessC2C") ||
                      contains(base, "preprocessC2C");
  if (is_fft) {
    ExplanationParts parts{.library = "cufft", .operation = "fast Fourier transform"};
    parts.type = contains(path, "dpRadix")   ? "double"
                 : contains(path, "spRadix") ? "float"
                                             : first_element_type(name);
    return explanation_of(std::move(parts));
  }
  const bool is_random = base.starts_with("generate_seed_pseudo") || base.starts_with("gen_sequenced") ||
                         name.in_namespace("curand") || name.mentions("curandStateXORWOW") ||
                         base.starts_with("generate_seed");
  if (!is_random) return std::nullopt;
  const bool seeds = contains(base, "seed") || contains(base, "setup") || contains(base, "init");
  if (!seeds && !contains(base, "gen"))
    return std::nullopt;  // the program's own kernel that only uses cuRAND
  return explanation_of({.library = "curand",
                         .operation = seeds ? "seeds of random numbers" : "random numbers",
                         .op_class = kElementWise});
}

}  // namespace

extern constinit const SignatureFamily cufft{"cufft", 70, explain_cufft};

}  // namespace gputrace::analyzer
