// A walk through the lines of a text file, with progress.
#pragma once

#include "trace/importer.h"
#include "trace/read_progress.h"
#include "trace/text_lines.h"

namespace gputrace::trace {

// Calls line(text) for each line. Sets metadata.file, and what a cut-off file or cut lines mean. Errors: cannot read, interrupted.
template <class Line>
Result<void> for_each_line(const SniffedFile& file, const ReadOptions& options, Trace& trace, Line line) {
  auto source = ByteSource::open(file.path, file.is_gzip);
  if (!source) return tl::unexpected(std::move(source.error()));
  std::error_code error;
  ReadProgress progress{options, static_cast<std::int64_t>(std::filesystem::file_size(file.path, error))};
  TextLines lines{std::move(*source)};
  std::uintmax_t bytes_seen = 0;
  while (const auto text = lines.next()) {
    line(*text);
    const std::uintmax_t bytes = lines.source().file_bytes_read();
    if (!progress.advance(static_cast<std::int64_t>(bytes - bytes_seen))) return fail("interrupted", file.path.string());
    bytes_seen = bytes;
  }
  trace.metadata.file = file.path.string();
  if (lines.source().is_cut_off()) {
    trace.metadata.complete = false;
    trace.metadata.incomplete_why = "the file ends in the middle";
  }
  if (lines.cut_lines() > 0) trace.diagnostics.push_back({"lines of over 1 MiB (cut there)", lines.cut_lines()});
  return {};
}

}  // namespace gputrace::trace
