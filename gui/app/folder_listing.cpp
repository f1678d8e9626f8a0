#include "gui/app/folder_listing.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <tuple>

namespace gputrace::gui {
namespace {

namespace fs = std::filesystem;

// Content decides what a file is when it is opened; this only keeps a list short.
bool may_be_trace(const std::string& name) {
  constexpr std::string_view kEndings[] = {".sqlite", ".db",  ".nvvp", ".nvprof",  ".json",  ".gz", ".pb",
                                           ".pftrace", ".csv", ".txt",  ".perfetto-trace", ".log"};
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
    return name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  });
}

}  // namespace

Result<std::vector<FolderEntry>> list_folder(const fs::path& folder) {
  std::vector<FolderEntry> entries;
  std::error_code error;
  fs::directory_iterator entry{folder, error};
  for (; !error && entry != fs::directory_iterator{} && entries.size() < kMaxFolderEntries;
       entry.increment(error)) {
    std::error_code odd;  // an entry that cannot be looked at is left out
    FolderEntry found{.name = entry->path().filename().string(), .is_folder = entry->is_directory(odd)};
    if (odd || found.name.empty() || found.name.front() == '.') continue;
    if (!found.is_folder && (!entry->is_regular_file(odd) || !may_be_trace(found.name))) continue;
    if (!found.is_folder) found.size_bytes = entry->file_size(odd);
    entries.push_back(std::move(found));
  }
  if (error) return fail("cannot read the folder: " + error.message(), folder.string());
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return std::tuple(!a.is_folder, a.name) < std::tuple(!b.is_folder, b.name);
  });
  return entries;
}

}  // namespace gputrace::gui
