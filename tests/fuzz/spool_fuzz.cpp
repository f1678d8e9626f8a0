// Spools are left by processes that died anyhow, and anybody may hand one to `recover`. libFuzzer: spool_fuzz CORPUS; start
// from the spools of `gputrace record --keep-spool` and of tests/fuzz/make_spool_corpus.sh.
//
// The first byte says what the rest is: even, a file as it is; odd, the payloads of blocks, each after a byte for its lane and
// two for its length, to which headers with right checksums are put. Without, no input would come past the checksums.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "collector/checksum.h"
#include "collector/spool_convert.h"
#include "collector/spool_layout.h"

namespace {

using namespace gputrace;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string with_headers(std::string_view input) {
  spool::FileHeader header;
  header.pid = 77;
  header.start_realtime_ns = 1'000;
  header.state = spool::State::finished;
  header.checksum = spool::checksum(&header, offsetof(spool::FileHeader, checksum));
  std::string file(spool::kHeaderBytes, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  spool::BlockHeader block;
  for (; input.size() > 3; ++block.sequence) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(input[i]); };
    block.lane = byte(0) % 4;
    const std::size_t bytes = std::min<std::size_t>(byte(1) | byte(2) << 8, input.size() - 3) & ~std::size_t{7};
    input.remove_prefix(3);
    block.payload_bytes = static_cast<std::uint32_t>(bytes);
    block.checksum = spool::checksum(input.data(), bytes, spool::checksum(&block, offsetof(spool::BlockHeader, checksum)));
    file.append(reinterpret_cast<const char*>(&block), sizeof block);
    file.append(input.substr(0, bytes));
    input.remove_prefix(bytes);
  }
  return file;
}

// One folder for all runs of this process, in memory where the machine has such a place.
std::filesystem::path make_folder() {
  std::string pattern = std::filesystem::exists("/dev/shm") ? "/dev/shm/spool-fuzz-XXXXXX" : "/tmp/spool-fuzz-XXXXXX";
  require(mkdtemp(pattern.data()) != nullptr);
  return pattern;
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fclose(file) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = make_folder();
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool blocks = (data[0] & 1) != 0;
  write(folder / "1.spool", blocks ? with_headers(rest) : std::string(rest));
  const auto summary = collector::convert_spools(folder, {folder / "trace.sqlite", true, {}});
  require(!blocks || summary);  // whole by its headers, so it becomes a trace whatever its records say
  if (summary) require(summary->records >= 0 && summary->complete == summary->incomplete_why.empty());
  return 0;
}
