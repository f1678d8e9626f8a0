// What nvprof prints with --print-gpu-trace and --print-api-trace, as text or with --csv: an event a line. Its summary has sums
// and no times, so it is told from a trace and refused with what would give one.
#include <charconv>
#include <map>
#include <string>

#include <fmt/format.h>

#include "trace/importer.h"
#include "trace/kernel_names.h"
#include "trace/kineto_event.h"
#include "trace/native_threads.h"
#include "trace/nvprof_columns.h"
#include "trace/text_file.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

bool is_summary_head(std::string_view line) {
  return line.find("Time(%)") != std::string_view::npos && line.find("Calls") != std::string_view::npos;
}

bool is_nvprof_text(const SniffedFile& file) {
  if (!file.sqlite_tables.empty()) return false;
  std::string_view head = file.head;
  NvprofColumns columns;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_summary_head(line) || columns.take_head(line)) return true;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}

std::int32_t int32_or(const std::string& text, std::int32_t otherwise) {
  std::int32_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

MemoryKind memory_kind(const std::string& text) {
  if (text.starts_with("Pageable")) return MemoryKind::pageable;
  if (text.starts_with("Pinned")) return MemoryKind::pinned;
  if (text.starts_with("Device")) return MemoryKind::device;
  if (text.starts_with("Array")) return MemoryKind::array;
  if (text.starts_with("Managed")) return MemoryKind::managed;
  return MemoryKind::unknown;
}

// "(32 1 1)".
Dim3 dim3(std::string_view text) {
  Dim3 dim;
  for (std::int32_t* size : {&dim.x, &dim.y, &dim.z}) {
    const std::size_t at = text.find_first_of("0123456789");
    if (at == std::string_view::npos) break;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), *size).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return dim;
}

class NvprofTextReader {
 public:
  explicit NvprofTextReader(Trace& trace) : trace_(trace) {}

  void add_line(std::string_view line) {
    if (line.starts_with("==")) return keep_process(line);
    if (line.empty()) return;
    if (is_summary_head(line)) is_in_summary_ = true, has_summary_ = true;
    if (columns_.take_head(line)) return is_in_summary_ = false, void();
    if (is_in_summary_ || !columns_.has_head()) return void(++other_lines_);
    if (columns_.is_csv() && columns_.take_units(line)) return;
    const bool is_row = columns_.take_row(line) && nvprof_time_ns(columns_.value("Start"));
    if (is_row)
      add_row();
    else
      other_lines_ += !line.starts_with("Regs:") && !line.starts_with("SSMem:") && !line.starts_with("DSMem:") &&
                      !line.starts_with("SrcMemType:") && !line.starts_with("DstMemType:");
  }

  bool has_only_summary() const { return has_summary_ && !columns_.has_head(); }

  void finish() {
    rows_.finish();
    if (other_lines_ > 0) trace_.diagnostics.push_back({"lines that are no event of nvprof's (left out)", other_lines_});
    trace_.metadata.producer = "nvprof";
  }

 private:
  // "==1234== NVPROF is profiling process 1234, command: ./train", and a mark before every line of several processes.
  void keep_process(std::string_view line) {
    std::from_chars(line.data() + 2, line.data() + line.size(), pid_);
    constexpr std::string_view kCommand = "command: ";
    if (const std::size_t at = line.find(kCommand); at != std::string_view::npos) {
      const ProcessIndex process = threads_.process(pid_);
      if (process.value >= 0) trace_.processes[static_cast<std::size_t>(process.value)].name = line.substr(at + kCommand.size());
    }
  }

  void add_row() {
    const auto start_ns = nvprof_time_ns(columns_.value("Start"));
    const auto duration_ns = nvprof_time_ns(columns_.value("Duration"));
    Span span{*start_ns, 0};
    if (!duration_ns || __builtin_add_overflow(span.start_ns, *duration_ns, &span.end_ns))
      return rows_.kernel_problems().count(RowProblem::no_time);
    std::int64_t correlation = 0;
    const std::string name = take_correlation(columns_.value("Name"), correlation);
    if (!columns_.has("Device") && !columns_.has("Context"))
      return rows_.add_call(span, threads_.thread(pid_, 1), trace_.strings.intern(name), correlation, ApiClass::runtime);
    add_device_row(span, name, correlation);
  }

  // "kernel(int) [123]" of the text, a column of its own in CSV.
  std::string take_correlation(std::string name, std::int64_t& correlation) const {
    if (const std::string column = columns_.value("Correlation_ID"); !column.empty()) {
      std::from_chars(column.data(), column.data() + column.size(), correlation);
      return name;
    }
    const std::size_t open = name.rfind(" [");
    if (open == std::string::npos || !name.ends_with(']')) return name;
    const char* const last = name.data() + name.size() - 1;
    const auto [end, error] = std::from_chars(name.data() + open + 2, last, correlation);
    if (error != std::errc{} || end != last) return correlation = 0, name;
    return name.substr(0, open);
  }

  // "Tesla V100-SXM2 (1)" tells its number; a name that was cut, or a lone GPU, does not.
  std::int32_t device_of(const std::string& name) {
    const std::size_t open = name.rfind('('), close = name.rfind(')');
    if (open != std::string::npos && close != std::string::npos && close > open + 1) {
      const std::int32_t number = int32_or(name.substr(open + 1, close - open - 1), -1);
      if (number >= 0) return keep_gpu(number, name.substr(0, open > 0 ? open - 1 : 0));
    }
    const auto next = static_cast<std::int32_t>(unnumbered_.size());
    return keep_gpu(unnumbered_.try_emplace(name, next).first->second, name);
  }

  std::int32_t keep_gpu(std::int32_t number, const std::string& name) {
    for (const Gpu& gpu : trace_.gpus) {
      if (gpu.device.value == number) return number;
    }
    Gpu gpu;
    gpu.device = DeviceId{number};
    gpu.name = name;
    trace_.gpus.push_back(std::move(gpu));
    return number;
  }

  void add_device_row(Span span, const std::string& name, std::int64_t correlation) {
    const DeviceEvent event{.span = span,
                            .device = device_of(columns_.value("Device")),
                            .context = int32_or(columns_.value("Context"), 0),
                            .stream = int32_or(columns_.value("Stream"), 0),
                            .correlation = correlation,
                            .process = threads_.process(pid_)};
    constexpr std::string_view kCopy = "[CUDA memcpy ", kFill = "[CUDA memset", kUnified = "[Unified Memory";
    if (name.starts_with(kCopy)) {
      const std::string direction = name.substr(kCopy.size(), name.find(']') - kCopy.size());
      rows_.add_copy(event, {.bytes = nvprof_size_bytes(columns_.value("Size")),
                             .kind = copy_nature("Memcpy " + direction).kind,
                             .source = memory_kind(columns_.value("SrcMemType")),
                             .destination = memory_kind(columns_.value("DstMemType"))});
    } else if (name.starts_with(kFill)) {
      rows_.add_fill(event, nvprof_size_bytes(columns_.value("Size")).value_or(0), memory_kind(columns_.value("DstMemType")));
    } else if (name.starts_with(kUnified)) {
      rows_.copy_problems().count(RowProblem::other_kind);  // page faults and migrations, as counters
    } else {
      add_kernel(event, name);
    }
  }

  void add_kernel(const DeviceEvent& event, const std::string& name) {
    const auto bytes = [this](const char* title, const char* csv_title) {
      const std::string text = columns_.value(columns_.has(title) ? title : csv_title);
      return static_cast<std::int32_t>(std::min<std::int64_t>(nvprof_size_bytes(text).value_or(0), INT32_MAX));
    };
    KernelShape shape{.registers_per_thread = int32_or(columns_.value(columns_.is_csv() ? "Registers Per Thread" : "Regs*"), 0),
                      .static_shared_bytes = bytes("SSMem*", "Static SMem"),
                      .dynamic_shared_bytes = bytes("DSMem*", "Dynamic SMem")};
    if (columns_.is_csv()) {
      shape.grid = {int32_or(columns_.value("Grid X"), 1), int32_or(columns_.value("Grid Y"), 1), int32_or(columns_.value("Grid Z"), 1)};
      shape.block = {int32_or(columns_.value("Block X"), 1), int32_or(columns_.value("Block Y"), 1), int32_or(columns_.value("Block Z"), 1)};
    } else {
      shape.grid = dim3(columns_.value("Grid Size"));
      shape.block = dim3(columns_.value("Block Size"));
    }
    const std::string full = demangled(name);
    if (full != name) shape.mangled = name;
    rows_.add_kernel(event, full, shape);
  }

  Trace& trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  NvprofColumns columns_;
  std::map<std::string, std::int32_t> unnumbered_;
  std::int64_t pid_ = 1, other_lines_ = 0;
  bool is_in_summary_ = false, has_summary_ = false;
};

Result<Trace> read_nvprof_text(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  NvprofTextReader reader{trace};
  const auto done = for_each_line(file, options, trace, [&reader](std::string_view line) { reader.add_line(line); });
  if (!done) return tl::unexpected(done.error());
  if (reader.has_only_summary()) {
    return fail("a summary of nvprof: sums over the whole run, without the time of any event", file.path.string(),
                "print the events: nvprof --print-gpu-trace --csv --log-file OUT.csv PROGRAM");
  }
  reader.finish();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer nvprof_text;
constinit const Importer nvprof_text{"nvprof's printed trace", is_nvprof_text, read_nvprof_text};

}  // namespace gputrace::trace
