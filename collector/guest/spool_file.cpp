#include "collector/guest/spool_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "collector/checksum.h"

namespace gputrace::guest {

namespace {

constexpr unsigned kCloseRangeUnshare = 2;   // linux/close_range.h; glibc headers may be older than the kernel
constexpr int kLowestSharedDescriptor = 700; // above what hosts open and what select() takes from the bottom

bool write_all(int descriptor, iovec* parts, int count) {
  while (count > 0) {
    ssize_t written = ::writev(descriptor, parts, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    for (; count > 0 && static_cast<std::size_t>(written) >= parts->iov_len; ++parts, --count) {
      written -= static_cast<ssize_t>(parts->iov_len);
    }
    if (count > 0) {
      parts->iov_base = static_cast<char*>(parts->iov_base) + written;
      parts->iov_len -= static_cast<std::size_t>(written);
    }
  }
  return true;
}

}  // namespace

bool leave_descriptor_table() {
#ifdef SYS_close_range
  return syscall(SYS_close_range, 0U, ~0U, kCloseRangeUnshare) == 0;
#else
  return false;
#endif
}

bool SpoolFile::open(const std::string& path, bool private_table) {
  private_table_ = private_table;
  const int opened = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (opened < 0) {
    error_ = errno;
    return false;
  }
  descriptor_ = opened;
  if (!private_table_) {
    const int high = fcntl(opened, F_DUPFD_CLOEXEC, kLowestSharedDescriptor);
    if (high >= 0) {
      ::close(opened);
      descriptor_ = high;
    }
  }
  struct stat status{};
  if (fstat(descriptor_, &status) != 0) return fail(errno);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  std::array<char, spool::kHeaderBytes> blank{};
  iovec part{blank.data(), blank.size()};
  if (!write_all(descriptor_, &part, 1)) return fail(errno);
  end_ = spool::kHeaderBytes;
  return write_header() && lseek(descriptor_, end_, SEEK_SET) == end_;
}

// In a shared table the host may have closed our descriptor and opened a file of its own under that number.
bool SpoolFile::still_ours() const {
  if (descriptor_ < 0) return false;
  if (private_table_) return true;
  struct stat status{};
  return fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool SpoolFile::append(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes) {
  if (header.state == spool::State::write_failed) return false;
  if (!still_ours()) return fail(EBADF);
  spool::BlockHeader block;
  block.payload_bytes = bytes;
  block.lane = lane;
  block.sequence = sequence_;
  block.checksum = spool::checksum(payload, bytes, spool::checksum(&block, offsetof(spool::BlockHeader, checksum)));
  std::array<iovec, 2> parts{iovec{&block, sizeof block}, iovec{const_cast<std::uint8_t*>(payload), bytes}};
  if (!write_all(descriptor_, parts.data(), 2)) return fail(errno);
  end_ += static_cast<std::int64_t>(sizeof block + bytes);
  ++sequence_;
  return true;
}

bool SpoolFile::write_header() {
  if (!still_ours()) return false;
  header.checksum = spool::checksum(&header, offsetof(spool::FileHeader, checksum));
  return pwrite(descriptor_, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header);
}

bool SpoolFile::fail(int error) {
  header.state = spool::State::write_failed;
  header.write_errno = error_ = error;
  // Rewriting the header needs no new space, so it works on a full disk. If even this fails, the spool has no end
  // mark, and the converter reports it as cut short.
  if (still_ours() && ftruncate(descriptor_, end_) == 0) write_header();
  return false;
}

void SpoolFile::close() {
  if (still_ours()) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace gputrace::guest
