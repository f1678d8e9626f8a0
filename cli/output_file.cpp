#include "cli/output_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

namespace gputrace::cli {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> exists_already(const fs::path& path) {
  return fail("exists already", path.string(), "choose another name with -o, or add --force to overwrite it");
}

tl::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return fail(std::string("cannot write: ") + std::strerror(error), path.string(), "choose another place with -o");
}

bool is_device(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return !error && fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int value() const { return value_; }
  bool close() {
    const int closing = value_;
    value_ = -1;
    return closing < 0 || ::close(closing) == 0;
  }

 private:
  int value_;
};

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// 0, or errno. Where the file system cannot rename without replacing, the check and the rename are two steps.
int rename_to(const std::string& temporary, const fs::path& path, bool overwrite) {
  const unsigned flags = overwrite ? 0 : RENAME_NOREPLACE;
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), flags) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (!overwrite && access(path.c_str(), F_OK) == 0) return EEXIST;
  return ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// 0, or errno; the temporary file is left for the caller to remove.
int write_temporary(std::string& name, std::string_view content) {
  Descriptor file(mkostemp(name.data(), O_CLOEXEC));
  if (file.value() < 0) return errno;
  if (fchmod(file.value(), default_mode()) != 0 || !write_all(file.value(), content)) return errno;
  return file.close() ? 0 : errno;
}

}  // namespace

Result<void> check_output(const fs::path& path, bool overwrite, const fs::path& input) {
  std::error_code error;
  if (fs::equivalent(path, input, error)) {
    return fail("is the input itself", path.string(), "choose another name with -o");
  }
  if (fs::is_directory(path, error)) return fail("is a folder", path.string(), "name a file with -o");
  if (!overwrite && fs::exists(path, error) && !is_device(path)) return exists_already(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return fail("no such folder", folder.string(), "create it, or choose another with -o");
  return {};
}

Result<void> write_output(const fs::path& path, bool overwrite, std::string_view content) {
  if (is_device(path)) {
    Descriptor device(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.value() < 0 || !write_all(device.value(), content)) return cannot_write(path, errno);
    return {};
  }
  std::string temporary = path.string() + ".XXXXXX";
  int error = write_temporary(temporary, content);
  if (error == 0) error = rename_to(temporary, path, overwrite);
  if (error == 0) return {};
  unlink(temporary.c_str());
  return error == EEXIST ? exists_already(path) : cannot_write(path, error);
}

Result<void> write_stdout(std::string_view content) {
  if (std::fflush(stdout) == 0 && write_all(STDOUT_FILENO, content)) return {};
  return fail(std::string("cannot write: ") + std::strerror(errno), "standard output");
}

}  // namespace gputrace::cli
