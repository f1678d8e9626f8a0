// A walk through the top-level messages of a protobuf file, with progress.
#pragma once

#include <protozero/exception.hpp>

#include "trace/importer.h"
#include "trace/protobuf_stream.h"
#include "trace/read_progress.h"

namespace gputrace::trace {

// Calls message(bytes) for each message of the field; what protozero finds wrong inside one is returned to `damaged(bytes)` and the
// walk goes on. Sets metadata.file, and metadata.complete where the file breaks off. Errors: cannot read, interrupted.
template <class Message, class Damaged>
Result<void> for_each_message(const SniffedFile& file, const ReadOptions& options, Trace& trace, std::uint32_t field, Message message, Damaged damaged) {
  auto source = ByteSource::open(file.path, file.is_gzip);
  if (!source) return tl::unexpected(std::move(source.error()));
  std::error_code error;
  ReadProgress progress{options, static_cast<std::int64_t>(std::filesystem::file_size(file.path, error))};
  ProtobufStream stream{std::move(*source)};
  std::uintmax_t bytes_seen = 0;
  while (const auto bytes = stream.next(field)) {
    try {
      message(*bytes);
    } catch (const protozero::exception&) {  // the library's way to say that a message is malformed
      damaged();
    }
    const std::uintmax_t read = stream.source().file_bytes_read();
    if (!progress.advance(static_cast<std::int64_t>(read - bytes_seen))) return fail("interrupted", file.path.string());
    bytes_seen = read;
  }
  trace.metadata.file = file.path.string();
  if (!stream.damage().empty()) {
    trace.metadata.complete = false;
    trace.metadata.incomplete_why = stream.damage();
  }
  return {};
}

}  // namespace gputrace::trace
