// Traces are files that anybody made. libFuzzer: import_fuzz CORPUS; start from tests/fuzz/make_import_corpus.sh, which writes a small
// file of every format. Every importer is reached, since a file is known by its content; a first byte of 'g' has the rest compressed
// with gzip first, for the fuzzer cannot guess checksums.
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "trace/trace_reader.h"

namespace {

using namespace gputrace;

void require(bool holds) {
  if (!holds) std::abort();
}

std::filesystem::path make_file() {
  std::string pattern = std::filesystem::exists("/dev/shm") ? "/dev/shm/import-fuzz-XXXXXX" : "/tmp/import-fuzz-XXXXXX";
  require(mkdtemp(pattern.data()) != nullptr);
  return std::filesystem::path(pattern) / "file";
}

std::string gzip(std::string_view text) {
  std::string bytes(compressBound(static_cast<uLong>(text.size())) + 32, '\0');
  z_stream stream{};
  require(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fclose(file) == 0);
}

// What read_trace() promises of every row.
template <class Rows>
void check_times(const Rows& rows) {
  require(rows.start_ns.size() == rows.end_ns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) require(rows.end_ns[i] == trace::kNoEnd || rows.start_ns[i] <= rows.end_ns[i]);
}

void check_devices(const trace::Trace& trace, const trace::DeviceColumns& rows) {
  check_times(rows);
  require(rows.device.size() == rows.size() && rows.process.size() == rows.size() && rows.correlation.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) require(rows.process[i].value < static_cast<std::int32_t>(trace.processes.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path = make_file();
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  write(path, bytes.starts_with('g') ? gzip(bytes.substr(1)) : std::string(bytes));
  const auto trace = trace::read_trace(path);
  if (!trace) {
    require(!trace.error().what.empty());
    return 0;
  }
  for (const trace::DeviceColumns* rows :
       {static_cast<const trace::DeviceColumns*>(&trace->kernels), static_cast<const trace::DeviceColumns*>(&trace->copies),
        static_cast<const trace::DeviceColumns*>(&trace->fills), static_cast<const trace::DeviceColumns*>(&trace->synchronizations)})
    check_devices(*trace, *rows);
  check_times(trace->api_calls);
  check_times(trace->nvtx);
  require(trace->metadata.complete || !trace->metadata.incomplete_why.empty());
  return 0;
}
