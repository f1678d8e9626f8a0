#include "analyzer/remedy.h"

#include <algorithm>

namespace gputrace::analyzer {

const Remedy* find_remedy(std::string_view name) {
  const auto all = all_remedies();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Remedy* remedy) { return remedy->name == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace gputrace::analyzer
