// A file that has its final name only when it is whole.
#pragma once

#include <filesystem>

#include "trace/result.h"

namespace gputrace::trace {

class UnfinishedFile {
 public:
  // Makes an empty file of a temporary name beside the target. Errors: the target exists and `overwrite` is
  // false, it is a folder, the folder is missing or cannot be written.
  static Result<UnfinishedFile> create(const std::filesystem::path& target, bool overwrite);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();  // removes the file unless it was finished

  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }

  // Puts the bytes on the disk and gives the file its name. Without `overwrite`, a target that has appeared
  // since create() stays, and this fails.
  Result<void> finish();
  void remove() noexcept;

 private:
  UnfinishedFile() = default;
  std::filesystem::path temporary_, target_;
  bool overwrite_ = false;
};

}  // namespace gputrace::trace
