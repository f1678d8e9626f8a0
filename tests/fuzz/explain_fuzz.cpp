// Kernel names are taken from files that anybody made. libFuzzer: explain_fuzz CORPUS, with one name a file
// to start from.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyzer/explain.h"

namespace {

constexpr std::size_t kMaxTextBytes = 64 * 1024;
constexpr std::size_t kMaxLabelBytes = 4 * 40, kMaxFieldBytes = 4 * 120, kMaxSentenceBytes = 4 * 4000;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gputrace::analyzer;
  static const Explainer explainer;
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const Explanation explanation = explainer.explain_uncached(name);
  require(!explanation.library.empty() && !explanation.op_class.empty());
  require(explanation.label.size() <= kMaxLabelBytes);
  require(explanation.sentence.size() <= kMaxSentenceBytes);
  for (const std::string* field : {&explanation.library, &explanation.operation, &explanation.type})
    require(field->size() <= kMaxFieldBytes);
  require(demangle(name).size() <= kMaxTextBytes);
  require(draw_op_tree(name).size() <= kMaxTextBytes);
  return 0;
}
