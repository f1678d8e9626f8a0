// One table of every event, for spreadsheets and data frames: a row an event, empty where a column does not apply.
#include <string>

#include <fmt/format.h>

#include "trace/exporter.h"

namespace gputrace::trace {
namespace {

constexpr std::string_view kTitles =
    "table,start_ns,end_ns,duration_ns,pid,tid,device,context,stream,correlation,name,bytes,kind,source_memory,destination_memory,"
    "source_device,destination_device,grid,block,registers_per_thread,static_shared_bytes,dynamic_shared_bytes,domain,category\n";

// RFC 4180: quoted where needed, quotes doubled.
void append_csv(std::string& out, std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

class CsvWriter {
 public:
  CsvWriter(const Trace& trace, ByteSink& sink) : trace_(trace), sink_(sink) {}

  void write() {
    text_ = kTitles;
    write_kernels();
    write_copies();
    write_fills();
    write_other_device_rows("synchronization", trace_.synchronizations);
    write_other_device_rows("cuda_event", trace_.cuda_events);
    write_other_device_rows("graph_launch", trace_.graph_launches);
    write_host_rows();
    sink_.append(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void begin_row(const char* table, Span span) {
    constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
    if (text_.size() > kFlushBytes) {
      sink_.append(text_);
      text_.clear();
    }
    add("{},{},", table, span.start_ns);
    if (span.end_ns == kNoEnd)
      text_ += ",,";
    else
      add("{},{},", span.end_ns, span.duration_ns());
  }

  void begin_device_row(const char* table, const DeviceColumns& rows, std::size_t i, std::string_view name) {
    begin_row(table, rows.span(i));
    if (rows.process[i].value >= 0) add("{}", trace_.processes[static_cast<std::size_t>(rows.process[i].value)].pid);
    add(",,{},{},{},{},", rows.device[i].value, rows.context[i].value, rows.stream[i].value, rows.correlation[i].value);
    append_csv(text_, name);
  }

  void begin_host_row(const char* table, Span span, ThreadIndex thread, std::string_view name, std::int64_t correlation) {
    begin_row(table, span);
    if (thread.value >= 0) {
      const Thread& native = trace_.threads[static_cast<std::size_t>(thread.value)];
      if (native.process.value >= 0) add("{}", trace_.processes[static_cast<std::size_t>(native.process.value)].pid);
      add(",{},,,,", native.tid);
    } else {
      text_ += ",,,,,";
    }
    if (correlation != 0) add("{}", correlation);
    text_ += ',';
    append_csv(text_, name);
  }

  void write_kernels() {
    const Kernels& rows = trace_.kernels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_row("kernel", rows, i, trace_.text(rows.name[i]));
      add(",,,,,,,{}x{}x{},{}x{}x{},{},{},{},,\n", rows.grid[i].x, rows.grid[i].y, rows.grid[i].z, rows.block[i].x, rows.block[i].y,
          rows.block[i].z, rows.registers_per_thread[i], rows.static_shared_bytes[i], rows.dynamic_shared_bytes[i]);
    }
  }

  void write_copies() {
    const Copies& rows = trace_.copies;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_row("copy", rows, i, "");
      add(",{},{},{},{},{},{},,,,,,,\n", rows.bytes[i], name(rows.kind[i]), name(rows.source_memory[i]), name(rows.destination_memory[i]),
          rows.source_device[i].value, rows.destination_device[i].value);
    }
  }

  void write_fills() {
    const Fills& rows = trace_.fills;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_row("fill", rows, i, "");
      add(",{},,,{},,,,,,,,,\n", rows.bytes[i], name(rows.memory[i]));
    }
  }

  void write_other_device_rows(const char* table, const Synchronizations& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_row(table, rows, i, "");
      add(",,{},,,,,,,,,,,\n", name(rows.kind[i]));
    }
  }
  void write_other_device_rows(const char* table, const DeviceColumns& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_device_row(table, rows, i, "");
      text_ += ",,,,,,,,,,,,,\n";
    }
  }

  void write_host_rows() {
    const ApiCalls& calls = trace_.api_calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      begin_host_row("api_call", calls.span(i), calls.thread[i], trace_.text(calls.name[i]), calls.correlation[i].value);
      add(",,{},,,,,,,,,,,\n", calls.api_class[i] == ApiClass::driver ? "driver" : "runtime");
    }
    const Overheads& overheads = trace_.overheads;
    for (std::size_t i = 0; i < overheads.size(); ++i) {
      begin_host_row("overhead", {overheads.start_ns[i], overheads.end_ns[i]}, overheads.thread[i], trace_.text(overheads.name[i]), 0);
      text_ += ",,,,,,,,,,,,,\n";
    }
    const NvtxRanges& ranges = trace_.nvtx;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      begin_host_row("range", {ranges.start_ns[i], ranges.end_ns[i]}, ranges.thread[i], trace_.text(ranges.text[i]), 0);
      add(",,{},,,,,,,,,,", ranges.kind[i] == NvtxKind::mark ? "mark" : ranges.kind[i] == NvtxKind::start_end ? "start/end" : "push/pop");
      append_csv(text_, trace_.text(ranges.domain[i]));
      text_ += ',';
      append_csv(text_, trace_.text(ranges.category[i]));
      text_ += '\n';
    }
  }

  const Trace& trace_;
  ByteSink& sink_;
  std::string text_;
};

void write_csv(const Trace& trace, std::span<const Annotation>, ByteSink& sink) { CsvWriter(trace, sink).write(); }

}  // namespace

extern const Exporter csv;
constinit const Exporter csv{"csv", ".csv", write_csv};

}  // namespace gputrace::trace
