// The explanation of each distinct kernel name of a trace, found by the name's id.
#pragma once

#include <vector>

#include "analyzer/explain.h"
#include "analyzer/name_rules.h"
#include "gui/category.h"
#include "trace/trace.h"

namespace gputrace::gui {

class KernelNames {
 public:
  explicit KernelNames(const trace::Trace& trace, const std::vector<analyzer::NameRule>& name_rules = {});

  const analyzer::Explanation& explanation(
      trace::StringId name) const;  // of an id that no kernel has: an empty one
  Category category(trace::StringId name) const;

 private:
  std::vector<std::uint32_t> place_of_;  // by string id, in explanations_; 0: not a kernel's name
  std::vector<analyzer::Explanation> explanations_;
  std::vector<Category> category_of_;  // by string id
};

}  // namespace gputrace::gui
