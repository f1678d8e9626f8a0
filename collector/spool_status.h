// How a recording that is under way stands, by the headers of its spools: as new as each process's last flush.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gputrace::collector {

struct SpoolStatus {
  int processes = 0;
  std::uint64_t events = 0;      // written, those let go or cut short since included
  std::uint64_t dropped = 0;
  std::uint64_t size_bytes = 0;  // of all files
};

// What cannot be read, and a header that is being rewritten, counts nothing.
SpoolStatus read_spool_status(const std::filesystem::path& folder);

}  // namespace gputrace::collector
