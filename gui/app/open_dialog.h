// The open dialog: recent files, a path to type, and the files of a folder to click through.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/folder_listing.h"
#include "gui/look.h"

namespace gputrace::gui {

class OpenDialog {
 public:
  explicit OpenDialog(std::filesystem::path folder) { go_to(std::move(folder)); }

  // Draws into the current window; the file that was chosen, once.
  std::optional<std::string> draw(const Look& look, const std::vector<std::string>& recent);
  void go_to(std::filesystem::path folder);
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::optional<std::string> draw_folder(const Look& look);

  std::filesystem::path folder_;
  std::vector<FolderEntry> entries_;
  std::string problem_, typed_;
};

}  // namespace gputrace::gui
