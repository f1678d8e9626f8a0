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

  // Creates DIRECTORY/PID-STAMP.spool and writes the header. False where it cannot.
  bool open(const std::string& directory);
  bool is_open() const { return descriptor_ >= 0; }

  // Appends one block. False from the first failure on: the file then ends after the last whole block, and the header
  // says why.
  bool append(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes);
  bool write_header();  // with header's present counters
  void close();

  spool::FileHeader header;

 private:
  bool still_ours() const;
  bool fail(int error);

  int descriptor_ = -1;
  bool private_table_ = false;
  std::uint64_t device_ = 0, inode_ = 0;
  std::int64_t end_ = 0;  // of the last whole block
  std::uint32_t sequence_ = 0;
};

}  // namespace gputrace::guest
