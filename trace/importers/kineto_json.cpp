// PyTorch's profiler (Kineto), gputrace's own Chrome export, and Chrome traces of any program.
#include "trace/chrome_json_file.h"
#include "trace/importer.h"
#include "trace/kineto_reader.h"

namespace gputrace::trace {
namespace {

Result<Trace> read_kineto_json(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  KinetoReader reader{trace};
  const ChromeJsonVisitor visitor{
      .event = [&reader](std::string_view object) { reader.add_event(object); },
      .metadata = [&reader](std::string_view key, std::string_view value) { reader.add_metadata(key, value); }};
  if (auto done = read_chrome_json(file, options, trace, visitor); !done)
    return tl::unexpected(std::move(done.error()));
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer kineto_json;
constinit const Importer kineto_json{"PyTorch (Kineto) or Chrome trace, JSON or gzip", is_chrome_trace,
                                     read_kineto_json, Importer::Preference::general};

}  // namespace gputrace::trace
