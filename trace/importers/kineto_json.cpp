// PyTorch's profiler (Kineto) and other Chrome traces: {"traceEvents": [...]} or a bare array, plain or gzip.
// Read event by event, so memory holds the columns and one event.
#include <string>

#include "trace/importer.h"
#include "trace/json_reader.h"
#include "trace/kineto_reader.h"
#include "trace/read_progress.h"

namespace gputrace::trace {
namespace {

bool is_chrome_trace(const SniffedFile& file) {
  const std::string_view head = file.head;
  const auto has = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (head[start] != '{' && head[start] != '[')) return false;
  return has("\"traceEvents\"") || (has("\"ph\"") && has("\"ts\"")) ||
         (has("\"schemaVersion\"") && has("\"deviceProperties\""));
}

// Walks the file. Stops at the end, where the file is cut off, and where the caller wants to stop.
class KinetoFile {
 public:
  KinetoFile(JsonStream stream, ReadProgress& progress, KinetoReader& reader)
      : stream_(std::move(stream)), progress_(progress), reader_(reader) {}

  enum class End { whole, cut_off, stopped };

  End read() {
    const char first = stream_.peek();
    stream_.skip();
    if (first == '[') return read_events(true);
    while (true) {
      const char c = stream_.peek();
      if (c == '}') return End::whole;
      if (c == '\0') return End::cut_off;
      if (c != '"') {
        stream_.skip();
        continue;
      }
      if (const End end = read_field(); end != End::whole) return end;
    }
  }

 private:
  End read_field() {
    const auto key_value = stream_.value();
    if (!key_value) return End::cut_off;
    const std::string key = json_text(*key_value);
    if (stream_.peek() == ':') stream_.skip();
    if (key == "traceEvents" && stream_.peek() == '[') {
      stream_.skip();
      return read_events(false);
    }
    const auto value = stream_.value();
    if (!value) return End::cut_off;
    reader_.add_metadata(key, *value);
    return End::whole;
  }

  // The format lets a bare array go without its closing bracket.
  End read_events(bool may_be_open) {
    while (true) {
      const char c = stream_.peek();
      if (c == '\0') return may_be_open && !stream_.source().is_cut_off() ? End::whole : End::cut_off;
      if (c == ']') return stream_.skip(), End::whole;
      if (c != '{') {
        stream_.skip();
        continue;
      }
      const auto event = stream_.value();
      if (!event) return End::cut_off;
      reader_.add_event(*event);
      const std::uintmax_t bytes = stream_.source().file_bytes_read();
      if (!progress_.advance(static_cast<std::int64_t>(bytes - bytes_seen_))) return End::stopped;
      bytes_seen_ = bytes;
    }
  }

  JsonStream stream_;
  ReadProgress& progress_;
  KinetoReader& reader_;
  std::uintmax_t bytes_seen_ = 0;
};

Result<Trace> read_chrome_trace(const SniffedFile& file, const ReadOptions& options) {
  auto source = ByteSource::open(file.path, file.is_gzip);
  if (!source) return tl::unexpected(std::move(source.error()));
  std::error_code error;
  ReadProgress progress{options, static_cast<std::int64_t>(std::filesystem::file_size(file.path, error))};
  Trace trace;
  trace.metadata.file = file.path.string();
  KinetoReader reader{trace};
  const auto end = KinetoFile{JsonStream{std::move(*source)}, progress, reader}.read();
  if (end == KinetoFile::End::stopped) return fail("interrupted", file.path.string());
  if (end == KinetoFile::End::cut_off) {
    trace.metadata.complete = false;
    trace.metadata.incomplete_why = "the file ends in the middle";
  }
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer kineto_json;
constinit const Importer kineto_json{"PyTorch (Kineto) or Chrome trace, JSON or gzip", is_chrome_trace,
                                     read_chrome_trace};

}  // namespace gputrace::trace
