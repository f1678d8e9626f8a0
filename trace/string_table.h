// Strings of a trace, each kept once. Id 0 is the empty string.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/ids.h"

namespace gputrace::trace {

class StringTable {
 public:
  StringTable();
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  StringId intern(std::string_view text);
  std::string_view operator[](StringId id) const { return texts_[id.value]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // addresses stay, so the map can hold views
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace gputrace::trace
