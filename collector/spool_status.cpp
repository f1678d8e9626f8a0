#include "collector/spool_status.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>

#include "collector/checksum.h"
#include "collector/spool_layout.h"

namespace gputrace::collector {

namespace {

bool read_header(const std::filesystem::path& path, spool::FileHeader& header) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rbe"), close);
  return file != nullptr && std::fread(&header, sizeof header, 1, file.get()) == 1 && header.magic == spool::kFileMagic &&
         header.version == spool::kVersion &&
         header.checksum == spool::checksum(&header, offsetof(spool::FileHeader, checksum));
}

}  // namespace

SpoolStatus read_spool_status(const std::filesystem::path& folder) {
  SpoolStatus status;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code gone;  // an old segment, meanwhile
    const std::uint64_t bytes = entry->file_size(gone);
    if (!gone) status.size_bytes += bytes;
    spool::FileHeader header;
    if (entry->path().extension() != spool::kSuffix || !read_header(entry->path(), header)) continue;
    ++status.processes;
    status.events += header.events;
    status.dropped += header.dropped_by_cupti + header.dropped_no_buffer + header.dropped_write_failed;
  }
  return status;
}

}  // namespace gputrace::collector
