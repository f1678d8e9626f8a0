// What a file is, by its content.
#pragma once

#include <optional>

#include "trace/importer.h"
#include "trace/result.h"

namespace gputrace::trace {

// Errors: no such file, a folder, empty, not readable, SQLite that is cut off or damaged.
Result<SniffedFile> sniff_file(const std::filesystem::path& path);

// What to tell about a file that no importer knows: what it looks like, and what would make it readable.
Error explain_unknown_file(const SniffedFile& file);
// For a table of a folder that Nsight Systems exported as Parquet or Arrow; none for other files.
std::optional<Error> explain_table_file(const SniffedFile& file);

}  // namespace gputrace::trace
