// The spool file of this process, used by the writer thread alone.
#pragma once

#include <cstdint>
#include <string>

#include "collector/spool_layout.h"

namespace gputrace::guest {

class SpoolFile {
 public:
  SpoolFile() = default;
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;
  ~SpoolFile() { close(); }

  // Creates the file and writes the header. False where it cannot: error() says why. `private_table`: the calling thread
  // has a descriptor table of its own.
  bool open(const std::string& path, bool private_table);
  bool is_open() const { return descriptor_ >= 0; }
  int error() const { return error_; }
  std::uint64_t size_bytes() const { return static_cast<std::uint64_t>(end_); }

  // Appends one block. False from the first failure on: the file then ends after the last whole block, and the header
  // says why.
  bool append(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes);
  bool write_header();  // with header's present content
  // Marks the spool as ended by an error of the system, after the last whole block. False.
  bool fail(int error);
  void close();

  spool::FileHeader header;

 private:
  bool still_ours() const;

  int descriptor_ = -1;
  int error_ = 0;
  bool private_table_ = false;
  std::uint64_t device_ = 0, inode_ = 0;
  std::int64_t end_ = 0;  // of the last whole block
  std::uint32_t sequence_ = 0;
};

// Gives this thread a descriptor table of its own, empty: the host can then close and number its descriptors as if we
// were not there, and no pipe of the host stays open through us. Linux 5.9; false where the kernel or a sandbox refuses.
bool leave_descriptor_table();

}  // namespace gputrace::guest
