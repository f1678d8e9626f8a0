// A file that is written in order and has its name only when it is whole.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "trace/result.h"
#include "trace/unfinished_file.h"

namespace gputrace::trace {

class ByteSink {
 public:
  // Errors: as UnfinishedFile::create().
  static Result<ByteSink> create(const std::filesystem::path& path, bool overwrite);

  // A failure (disk full) is kept and returned by finish().
  void append(std::string_view bytes);
  [[nodiscard]] Result<void> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  ByteSink(UnfinishedFile file, std::FILE* stream) : file_(std::move(file)), stream_(stream) {}

  UnfinishedFile file_;
  std::unique_ptr<std::FILE, Close> stream_;  // closed before the file is removed
  int error_ = 0;                             // errno of the first failure
};

}  // namespace gputrace::trace
