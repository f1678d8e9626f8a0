#include "trace/string_table.h"

namespace gputrace::trace {

StringTable::StringTable() { intern(""); }

StringId StringTable::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const StringId id{static_cast<std::uint32_t>(texts_.size())};
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

}  // namespace gputrace::trace
