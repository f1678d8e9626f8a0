// What the open dialog shows of a folder: its folders, then the files that may be traces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/result.h"

namespace gputrace::gui {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::uintmax_t size_bytes = 0;  // of a file
};

inline constexpr std::size_t kMaxFolderEntries = 5000;

// By name, folders first; without hidden ones, and without files whose ending no trace has. At most kMaxFolderEntries. Errors: the
// folder cannot be read.
Result<std::vector<FolderEntry>> list_folder(const std::filesystem::path& folder);

}  // namespace gputrace::gui
