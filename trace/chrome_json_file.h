// The walk through a file of Chrome trace events: {"traceEvents": [...], ...} or a bare array, plain or gzip, event by
// event, so that memory holds one of them.
#pragma once

#include <functional>
#include <string_view>

#include "trace/importer.h"
#include "trace/result.h"

namespace gputrace::trace {

// The head of a file that may be such a trace: JSON that has events.
bool is_chrome_trace(const SniffedFile& file);

struct ChromeJsonVisitor {
  std::function<void(std::string_view object)> event;
  std::function<void(std::string_view key, std::string_view value)> metadata;  // the other fields of the file
};

// Sets metadata.file, and metadata.complete where the file ends in the middle; a bare array may go without its closing
// bracket, as the format allows. Errors: cannot read, interrupted.
Result<void> read_chrome_json(const SniffedFile& file, const ReadOptions& options, Trace& trace,
                              const ChromeJsonVisitor& visitor);

}  // namespace gputrace::trace
