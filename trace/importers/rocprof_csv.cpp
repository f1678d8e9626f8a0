// What rocprof and rocprofv3 write as comma-separated values: a kernel or a copy a line.
//   rocprof:    "Index","KernelName","gpu-id","queue-id",...,"pid","tid","grd","wgr",...,"BeginNs","EndNs","DurationNs"
//   rocprofv3:  "Kind","Agent_Id","Queue_Id",...,"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",...
//   rocprofv3:  "Kind","Direction","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/csv_fields.h"
#include "trace/importer.h"
#include "trace/kernel_names.h"
#include "trace/native_threads.h"
#include "trace/text_file.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

bool is_trace_head(const std::vector<std::string>& titles) {
  const auto has = [&titles](std::string_view title) { return csv_column(titles, title) >= 0; };
  return (has("KernelName") && has("BeginNs") && has("EndNs")) || (has("Kind") && has("Start_Timestamp") && has("End_Timestamp"));
}

bool is_rocprof_csv(const SniffedFile& file) {
  if (!file.sqlite_tables.empty()) return false;
  std::vector<std::string> titles;
  std::string_view line = std::string_view(file.head).substr(0, file.head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  split_csv_line(line, titles);
  return is_trace_head(titles);
}

std::optional<std::int64_t> integer(std::string_view text) {
  if (text.starts_with("Agent ")) text.remove_prefix(6);  // rocprofv3 says "Agent 4" in place of 4
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class RocprofCsvReader {
 public:
  explicit RocprofCsvReader(Trace& trace) : trace_(trace) {}

  void add_line(std::string_view line) {
    if (line.empty()) return;
    split_csv_line(line, fields_);
    if (is_trace_head(fields_)) return titles_ = fields_, void();
    const auto start_ns = number("BeginNs", "Start_Timestamp"), end_ns = number("EndNs", "End_Timestamp");
    if (!start_ns || !end_ns) return void(++other_lines_);
    const Span span{*start_ns, *end_ns};
    if (!text("Direction").empty()) return add_copy(span);
    const std::string kernel = !text("KernelName").empty() ? text("KernelName") : text("Kernel_Name");
    if (!kernel.empty()) return add_kernel(span, kernel);
    const std::string function = text("Function");
    if (function.empty()) return void(++other_lines_);
    rows_.add_call(span, threads_.thread(number("Process_Id").value_or(1), number("Thread_Id").value_or(1)), trace_.strings.intern(function),
                   number("Correlation_Id").value_or(0), function.starts_with("hsa") ? ApiClass::driver : ApiClass::runtime);
  }

  void finish() {
    rows_.finish();
    if (other_lines_ > 0) trace_.diagnostics.push_back({"lines that are no event of rocprof's (left out)", other_lines_});
    trace_.metadata.producer = "rocprof";
  }

 private:
  std::string text(std::string_view title) const {
    const int column = csv_column(titles_, title);
    return column < 0 || static_cast<std::size_t>(column) >= fields_.size() ? std::string() : fields_[static_cast<std::size_t>(column)];
  }
  std::optional<std::int64_t> number(std::string_view title, std::string_view or_title = {}) const {
    if (const auto found = integer(text(title))) return found;
    return integer(text(or_title));
  }
  std::int32_t number32(std::string_view title, std::int32_t otherwise) const {
    const auto found = number(title);
    return found && *found >= 0 && *found <= INT32_MAX ? static_cast<std::int32_t>(*found) : otherwise;
  }

  // Agents are numbered with the CPUs, GPUs from 0: the first GPU met is not always the first there is, but each stays itself.
  std::int32_t gpu_of_agent(std::int64_t agent) {
    return agents_.try_emplace(agent, static_cast<std::int32_t>(agents_.size())).first->second;
  }

  void add_kernel(Span span, const std::string& name) {
    const std::int32_t device = text("gpu-id").empty() ? gpu_of_agent(number("Agent_Id").value_or(0)) : number32("gpu-id", -1);
    const std::string full = demangled(name.ends_with(".kd") ? name.substr(0, name.size() - 3) : name);
    KernelShape shape;
    const std::int32_t block = std::max(1, number32("Workgroup_Size_X", number32("wgr", 1)));
    shape.block.x = block;
    shape.grid.x = std::max(1, number32("Grid_Size_X", number32("grd", block)) / block);  // AMD counts work items
    rows_.add_kernel({.span = span,
                      .device = device,
                      .stream = number32("Queue_Id", number32("queue-id", 0)),
                      .correlation = number("Correlation_Id").value_or(0),
                      .process = threads_.process(number("pid", "Process_Id").value_or(1))},
                     full, shape);
  }

  void add_copy(Span span) {
    const std::string direction = text("Direction");
    const auto has = [&direction](std::string_view part) { return direction.find(part) != std::string::npos; };
    const bool to_gpu = has("HOST_TO_DEVICE"), to_host = has("DEVICE_TO_HOST");
    const std::int64_t agent = number(to_host ? "Source_Agent_Id" : "Destination_Agent_Id").value_or(0);
    rows_.add_copy({.span = span, .device = gpu_of_agent(agent), .correlation = number("Correlation_Id").value_or(0), .process = threads_.process(number("Process_Id").value_or(1))},
                   {.kind = to_gpu ? CopyKind::host_to_device : to_host ? CopyKind::device_to_host : has("DEVICE_TO_DEVICE") ? CopyKind::device_to_device : CopyKind::unknown});
  }

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  std::vector<std::string> titles_, fields_;
  std::map<std::int64_t, std::int32_t> agents_;
  std::int64_t other_lines_ = 0;
};

Result<Trace> read_rocprof_csv(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  RocprofCsvReader reader{trace};
  const auto done = for_each_line(file, options, trace, [&reader](std::string_view line) { reader.add_line(line); });
  if (!done) return tl::unexpected(done.error());
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer rocprof_csv;
constinit const Importer rocprof_csv{"rocprof CSV", is_rocprof_csv, read_rocprof_csv};

}  // namespace gputrace::trace
