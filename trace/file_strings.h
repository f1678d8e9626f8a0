// Strings of a file by their id there, whatever int64 that is, as ids of Trace::strings: O(1) each.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/ids.h"

namespace gputrace::trace {

class FileStrings {
 public:
  // False where the id was known: the first string of an id stays.
  bool add(std::int64_t file_id, StringId id) {
    if (file_id < 0 || file_id >= kDenseIds) return sparse_.try_emplace(file_id, id).second;
    const auto index = static_cast<std::size_t>(file_id);
    if (index >= dense_.size()) dense_.resize(index + 1 + index / 2, kAbsent);
    if (dense_[index] != kAbsent) return false;
    dense_[index] = id.value;
    return true;
  }

  std::optional<StringId> find(std::int64_t file_id) const {
    if (file_id >= 0 && file_id < static_cast<std::int64_t>(dense_.size())) {
      const std::uint32_t id = dense_[static_cast<std::size_t>(file_id)];
      if (id != kAbsent) return StringId{id};
    }
    const auto found = sparse_.find(file_id);
    if (found == sparse_.end()) return std::nullopt;
    return found->second;
  }

 private:
  static constexpr std::int64_t kDenseIds = std::int64_t{1}
                                            << 22;  // 16 MiB of table at most, whatever the ids are
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::int64_t, StringId> sparse_;
};

}  // namespace gputrace::trace
