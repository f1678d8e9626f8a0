#include "collector/spool_reader.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "collector/checksum.h"

namespace gputrace::collector {

namespace {
constexpr std::size_t kFileBufferBytes = 1 << 20;
}

Result<SpoolReader> SpoolReader::open(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) return fail("cannot read: " + std::generic_category().message(errno), path.string());
  std::setvbuf(file, nullptr, _IOFBF, kFileBufferBytes);
  SpoolReader reader(file);
  std::error_code error;
  reader.size_ = std::filesystem::file_size(path, error);
  if (std::fread(&reader.header_, sizeof reader.header_, 1, file) != 1 || reader.header_.magic != spool::kFileMagic) {
    return fail("is not a spool of gputrace, or was cut before its header was written", path.string());
  }
  if (reader.header_.version != spool::kVersion) {
    return fail("was written by another version of gputrace (format " + std::to_string(reader.header_.version) + ")",
                path.string(), "recover it with that version");
  }
  const auto& header = reader.header_;
  reader.header_is_intact_ = header.checksum == spool::checksum(&header, offsetof(spool::FileHeader, checksum));
  reader.rewind();
  return reader;
}

void SpoolReader::rewind() {
  position_ = spool::kHeaderBytes;
  sequence_ = 0;
  damage_.clear();
  if (std::fseek(file_.get(), static_cast<long>(position_), SEEK_SET) != 0) stop("cannot be read");
}

bool SpoolReader::stop(const char* what) {
  damage_ = std::string(what) + " at byte " + std::to_string(position_) + " of " + std::to_string(size_);
  return false;
}

bool SpoolReader::next(Block& block) {
  if (!damage_.empty()) return false;
  spool::BlockHeader header;
  const std::size_t got = std::fread(&header, 1, sizeof header, file_.get());
  if (got == 0 && std::feof(file_.get())) return false;
  if (got != sizeof header) return stop("a block is cut");
  if (header.magic != spool::kBlockMagic || header.payload_bytes > spool::kMaxPayloadBytes ||
      header.payload_bytes % 8 != 0 || header.sequence != sequence_) {
    return stop("a block is damaged");
  }
  payload_.resize(header.payload_bytes);
  if (std::fread(payload_.data(), 1, payload_.size(), file_.get()) != payload_.size()) return stop("a block is cut");
  const std::uint64_t seed = spool::checksum(&header, offsetof(spool::BlockHeader, checksum));
  if (header.checksum != spool::checksum(payload_.data(), payload_.size(), seed)) return stop("a block is damaged");
  position_ += sizeof header + payload_.size();
  ++sequence_;
  block = {header.lane, payload_};
  return true;
}

}  // namespace gputrace::collector
