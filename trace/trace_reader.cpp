#include "trace/trace_reader.h"

#include "trace/file_sniffer.h"
#include "trace/importer.h"

namespace gputrace::trace {
namespace {

struct FileState {
  std::uintmax_t size_bytes = 0;
  std::filesystem::file_time_type changed_at;
  bool operator==(const FileState&) const = default;
};

FileState state_of(const std::filesystem::path& path) {
  std::error_code error;
  return {std::filesystem::file_size(path, error), std::filesystem::last_write_time(path, error)};
}

}  // namespace

Result<Trace> read_trace(const std::filesystem::path& path, const ReadOptions& options) {
  const FileState before = state_of(path);
  const Result<SniffedFile> file = sniff_file(path);
  if (!file) return tl::unexpected(file.error());
  for (const Importer* importer : all_importers()) {
    if (!importer->recognizes(*file)) continue;
    Result<Trace> trace = importer->read(*file, options);
    // Files are read as immutable, so a writer at work would show up as damage or, worse, as wrong rows.
    if (state_of(path) != before) {
      return fail("the file changed while it was read", path.string(), "try again when its writer has ended");
    }
    if (trace && options.progress) options.progress(1.0);
    return trace;
  }
  return tl::unexpected(explain_unknown_file(*file));
}

}  // namespace gputrace::trace
