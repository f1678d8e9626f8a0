#include "trace/chrome_json_file.h"

#include <string>
#include <utility>

#include "trace/json_reader.h"
#include "trace/read_progress.h"

namespace gputrace::trace {
namespace {

// Stops at the end, where the file is cut off, and where the caller wants to stop.
class Walk {
 public:
  Walk(JsonStream stream, ReadProgress& progress, const ChromeJsonVisitor& visitor)
      : stream_(std::move(stream)), progress_(progress), visitor_(visitor) {}

  enum class End { whole, cut_off, too_long, stopped };

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
  End missing_value() const { return stream_.is_too_long() ? End::too_long : End::cut_off; }

  End read_field() {
    const auto key_value = stream_.value();
    if (!key_value) return missing_value();
    const std::string key = json_text(*key_value);
    if (stream_.peek() == ':') stream_.skip();
    if (key == "traceEvents" && stream_.peek() == '[') {
      stream_.skip();
      return read_events(false);
    }
    const auto value = stream_.value();
    if (!value) return missing_value();
    if (visitor_.metadata) visitor_.metadata(key, *value);
    return End::whole;
  }

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
      if (!event) return missing_value();
      visitor_.event(*event);
      const std::uintmax_t bytes = stream_.source().file_bytes_read();
      if (!progress_.advance(static_cast<std::int64_t>(bytes - bytes_seen_))) return End::stopped;
      bytes_seen_ = bytes;
    }
  }

  JsonStream stream_;
  ReadProgress& progress_;
  const ChromeJsonVisitor& visitor_;
  std::uintmax_t bytes_seen_ = 0;
};

}  // namespace

bool is_chrome_trace(const SniffedFile& file) {
  const std::string_view head = file.head;
  const auto has = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (head[start] != '{' && head[start] != '[')) return false;
  return has("\"traceEvents\"") || (has("\"ph\"") && (has("\"ts\"") || has("\"pid\""))) ||
         (has("\"schemaVersion\"") && has("\"deviceProperties\""));
}

Result<void> read_chrome_json(const SniffedFile& file, const ReadOptions& options, Trace& trace,
                              const ChromeJsonVisitor& visitor) {
  auto source = ByteSource::open(file.path, file.is_gzip);
  if (!source) return tl::unexpected(std::move(source.error()));
  std::error_code error;
  ReadProgress progress{options, static_cast<std::int64_t>(std::filesystem::file_size(file.path, error))};
  trace.metadata.file = file.path.string();
  const auto end = Walk{JsonStream{std::move(*source)}, progress, visitor}.read();
  if (end == Walk::End::stopped) return fail("interrupted", file.path.string());
  if (end == Walk::End::cut_off || end == Walk::End::too_long) {
    trace.metadata.complete = false;
    trace.metadata.incomplete_why = end == Walk::End::cut_off
                                        ? "the file ends in the middle"
                                        : "a value of over 64 MiB, or nested over 512 levels deep, ends the reading";
  }
  return {};
}

}  // namespace gputrace::trace
