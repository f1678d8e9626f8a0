// What a kernel's name means.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::analyzer {

struct Explanation {
  std::string library;    // "eigen", "cudnn", ...; "unknown"
  std::string operation;  // "padding"; "" where nothing is known
  std::string label;      // for a timeline, at most 40 characters: "eigen: y = pad(x)"
  std::string sentence;   // for a person; at most 4,000 characters, the other fields 120
  std::string op_class;   // matmul, convolution, normalization, element-wise, reduction, layout change,
                         // embedding, attention, optimizer, communication, copy, other
  std::string type;  // element type: "float"; "" where unknown
};

struct NameRule;  // analyzer/name_rules.h

// Explains names and remembers the answers: one result per distinct name. Input up to 512 KiB in any spelling
// that profilers write (mangled, demangled by old or new demanglers, cut off); never fails: an unknown name
// gives library "unknown", class "other" and a readable base name. Not for use from several threads at once.
class Explainer {
 public:
  Explainer();
  explicit Explainer(std::vector<NameRule> users_rules);  // these go before what we know
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;
  const Explanation& explain(std::string_view kernel_name);
  // The same, not remembered: for names that come once.
  Explanation explain_uncached(std::string_view kernel_name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The expression tree of the name drawn as lines of text, "" where the name holds none.
std::string draw_op_tree(std::string_view kernel_name);

// The name demangled; unchanged where it is not mangled. Bounded: at most 64 KiB of text, cut with "...".
std::string demangle(std::string_view kernel_name);

// The base name without namespace, templates and parameters: "EigenMetaKernel". In time linear in the name.
std::string base_name(std::string_view kernel_name);

}  // namespace gputrace::analyzer
