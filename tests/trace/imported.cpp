#include "tests/trace/imported.h"

#include <zlib.h>

#include <catch2/catch.hpp>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::tests {

trace::Trace imported(std::string_view bytes, std::string_view name) {
  const TemporaryFolder folder;
  write_file(folder.path() / name, bytes);
  auto trace = trace::read_trace(folder.path() / name);
  if (!trace) FAIL(trace.error().line());
  return std::move(*trace);
}

std::string import_error(std::string_view bytes, std::string_view name) {
  const TemporaryFolder folder;
  const auto path = folder.path() / name;
  write_file(path, bytes);
  const auto trace = trace::read_trace(path);
  REQUIRE_FALSE(trace);
  const std::string line = trace.error().line();
  REQUIRE(line.starts_with(path.string() + ": "));
  REQUIRE(line.find('\n') == std::string::npos);
  return line.substr(path.string().size() + 2);
}

std::int64_t counted(const trace::Trace& trace, std::string_view part) {
  std::int64_t count = 0;
  for (const trace::Diagnostic& diagnostic : trace.diagnostics) {
    if (diagnostic.what.find(part) != std::string::npos) count += diagnostic.count;
  }
  return count;
}

trace::Span range_span(const trace::Trace& trace, std::size_t range) {
  return {trace.nvtx.start_ns.at(range), trace.nvtx.end_ns.at(range)};
}

std::string gzip(std::string_view text) {
  std::string bytes(compressBound(static_cast<uLong>(text.size())) + 32, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

}  // namespace gputrace::tests
