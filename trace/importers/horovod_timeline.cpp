// Horovod's timeline (HOROVOD_TIMELINE): Chrome events in which every tensor is a "process", its negotiation and its operation
// nested ranges, and each rank that became ready an instant named by its number. The array is never closed.
#include <map>
#include <string>

#include <fmt/format.h>

#include "trace/begin_end_pairs.h"
#include "trace/chrome_json_file.h"
#include "trace/importer.h"
#include "trace/json_reader.h"
#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

constexpr std::int64_t kProcess = 1;  // the timeline is rank 0's and names no process

bool is_horovod_timeline(const SniffedFile& file) {
  return is_chrome_trace(file) && file.head.find("\"NEGOTIATE_") != std::string::npos;
}

class HorovodReader {
 public:
  explicit HorovodReader(Trace& trace) : trace_(trace), domain_(trace.strings.intern("Horovod")) {}

  void add_event(std::string_view object) {
    const KinetoEvent event = decode_event(object);
    const std::int64_t tensor = json_integer(event.pid).value_or(0);
    if (event.phase == 'M') return keep_name(event, tensor);
    if (!event.start_ns) return rows_.range_problems().count(RowProblem::no_time);
    const BeginEndPairs::Stack stack{tensor, json_integer(event.tid).value_or(0)};
    if (event.phase == 'B')
      pairs_.begin(stack, *event.start_ns, domain_, text_of(event));
    else if (event.phase == 'E')
      pairs_.end(stack, *event.start_ns);
    else if (event.phase == 'X' || event.phase == 'i' || event.phase == 'I')
      add_whole(event, tensor);
  }

  void finish() {
    for (const BeginEndPairs::Range& range : pairs_.take(rows_.range_problems()))
      rows_.add_range({.span = range.span, .thread = threads_.thread(kProcess, range.stack.first), .domain = domain_, .text = range.text});
    threads_.give_names();
    rows_.finish();
    trace_.metadata.producer = "Horovod timeline";
  }

 private:
  StringId text_of(const KinetoEvent& event) { return trace_.strings.intern(json_text(event.name)); }

  void keep_name(const KinetoEvent& event, std::int64_t tensor) {
    if (json_text(event.name) != "process_name") return;
    for (JsonFields fields(event.args); fields.next();) {
      if (fields.key() == "name") threads_.name_thread(kProcess, tensor, json_text(fields.value()));
    }
  }

  // "3" of no length while NEGOTIATE_ALLREDUCE is open: rank 3 has handed the tensor in. The last one is the straggler.
  void add_whole(const KinetoEvent& event, std::int64_t tensor) {
    const std::int64_t end_ns = *event.start_ns + event.duration_ns.value_or(0);
    const bool is_mark = end_ns == *event.start_ns;
    std::string text = json_text(event.name);
    if (is_mark && json_integer(text)) text = fmt::format("rank {} ready", text);
    rows_.add_range({.span = {*event.start_ns, end_ns},
                     .thread = threads_.thread(kProcess, tensor),
                     .domain = domain_,
                     .text = trace_.strings.intern(text),
                     .kind = is_mark ? NvtxKind::mark : NvtxKind::push_pop});
  }

  Trace& trace_;
  StringId domain_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  BeginEndPairs pairs_;
};

Result<Trace> read_horovod_timeline(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  HorovodReader reader{trace};
  const ChromeJsonVisitor visitor{.event = [&reader](std::string_view object) { reader.add_event(object); }, .metadata = {}};
  if (auto done = read_chrome_json(file, options, trace, visitor); !done) return tl::unexpected(std::move(done.error()));
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer horovod_timeline;
constinit const Importer horovod_timeline{"Horovod timeline", is_horovod_timeline, read_horovod_timeline};

}  // namespace gputrace::trace
