#include "trace/unfinished_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gputrace::trace {
namespace {

constexpr char kOverwriteHint[] = "choose another name, or --force to replace it";

tl::unexpected<Error> fail_errno(std::string_view doing, const std::filesystem::path& path, int error) {
  return fail(fmt::format("cannot {}: {}", doing, std::strerror(error)), path.string());
}

std::filesystem::path temporary_name(const std::filesystem::path& target, int attempt) {
  return target.parent_path() /
         fmt::format(".{}.{}-{}.partial", target.filename().string(), getpid(), attempt);
}

// 0, or the errno.
int make_empty(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  close(file);
  return 0;
}

int flush_to_disk(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = fsync(file) == 0 ? 0 : errno;
  close(file);
  return error;
}

// Renames without replacing: no name is free for sure between a look and a rename.
int rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // This file system cannot; a second link cannot replace either.
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  return unlink(from.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<UnfinishedFile> UnfinishedFile::create(const std::filesystem::path& target, bool overwrite) {
  std::error_code error;
  const auto status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status)) return fail("a folder of this name exists", target.string());
  if (std::filesystem::exists(status) && !overwrite)
    return fail("the file exists", target.string(), kOverwriteHint);
  if (target.filename().empty()) return fail("not a file name", target.string());

  UnfinishedFile file;
  file.target_ = target;
  file.overwrite_ = overwrite;
  constexpr int kMostAttempts = 1000;
  int failed = EEXIST;
  for (int attempt = 0; failed == EEXIST && attempt < kMostAttempts; ++attempt) {
    const std::filesystem::path name = temporary_name(target, attempt);
    failed = make_empty(name);
    if (failed == 0) file.temporary_ = name;
  }
  if (failed != 0) return fail_errno("write in this folder", target, failed);
  return file;
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)),
      overwrite_(other.overwrite_) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  if (this == &other) return *this;
  remove();
  temporary_ = std::exchange(other.temporary_, {});
  target_ = std::move(other.target_);
  overwrite_ = other.overwrite_;
  return *this;
}

UnfinishedFile::~UnfinishedFile() { remove(); }

Result<void> UnfinishedFile::finish() {
  if (const int error = flush_to_disk(temporary_); error != 0)
    return fail_errno("write to the disk", target_, error);
  const int error = !overwrite_ ? rename_to_free_name(temporary_, target_)
                    : rename(temporary_.c_str(), target_.c_str()) == 0 ? 0
                                                                       : errno;
  if (error == EEXIST)
    return fail("the file was made by someone else meanwhile", target_.string(), kOverwriteHint);
  if (error != 0) return fail_errno("give the file its name", target_, error);
  temporary_.clear();
  return {};
}

void UnfinishedFile::remove() noexcept {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

}  // namespace gputrace::trace
