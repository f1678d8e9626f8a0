// AMD's profiles in SQLite: rocpd of rocmProfileData (rpd), whose operations carry their kind and name as strings, and rocpd of
// rocprofiler-sdk, whose tables have the run's id behind their names. As far as kernels, copies, API calls and names.
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "trace/importer.h"
#include "trace/kernel_names.h"
#include "trace/native_threads.h"
#include "trace/table_rows.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

// "rocpd_string" or "rocpd_string_0000a1b2_...": the run's id is of hexadecimal digits.
std::string table_named(const std::vector<std::string>& tables, std::string_view name) {
  for (const std::string& table : tables) {
    if (table == name) return table;
    if (!table.starts_with(std::string(name) + "_") || table.size() < name.size() + 2) continue;
    const char next = table[name.size() + 1];
    const bool is_id = (next >= '0' && next <= '9') || (next >= 'a' && next <= 'f');
    if (is_id && table.find_first_of("0123456789", name.size()) != std::string::npos) return table;
  }
  return {};
}

bool is_rocpd(const SniffedFile& file) {
  const bool is_rpd = file.has_table("rocpd_op") && file.has_table("rocpd_string");
  return is_rpd || !table_named(file.sqlite_tables, "rocpd_kernel_dispatch").empty();
}

CopyKind copy_kind(std::string_view text) {
  std::string letters;  // "CopyHostToDevice", "MEMORY_COPY_HOST_TO_DEVICE"
  for (const char c : text) {
    if (c != '_') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const auto has = [&letters](std::string_view part) { return letters.find(part) != std::string::npos; };
  if (has("hosttodevice")) return CopyKind::host_to_device;
  if (has("devicetohost")) return CopyKind::device_to_host;
  if (has("devicetodevice")) return CopyKind::device_to_device;
  return has("hosttohost") ? CopyKind::host_to_host : CopyKind::unknown;
}

class RocpdReader {
 public:
  RocpdReader(const SqliteFile& file, Trace& trace, ReadProgress& progress) : file_(file), trace_(trace), progress_(progress) {}

  Result<void> read() {
    for (const auto part : {&RocpdReader::read_strings, &RocpdReader::read_ops, &RocpdReader::read_api_calls, &RocpdReader::read_agents,
                            &RocpdReader::read_symbols, &RocpdReader::read_dispatches, &RocpdReader::read_copies, &RocpdReader::read_regions}) {
      if (auto done = (this->*part)(); !done) return done;
    }
    threads_.give_names();
    rows_.finish();
    problems_.report(trace_.diagnostics);
    trace_.metadata.producer = "rocprof";
    return {};
  }

 private:
  template <class Row>
  Result<void> each(std::string_view name, std::span<const std::string_view> columns, Row row) {
    const std::string table = table_named(file_.tables(), name);
    if (table.empty()) return {};
    return for_each_row(file_, progress_, table, columns, [&](const TableCursor& cursor) { row(cursor, RowValues{cursor, problems_}); });
  }

  std::string_view text(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? std::string_view() : trace_.strings[found->second];
  }

  Result<void> read_strings() {
    static constexpr std::string_view kColumns[] = {"id", "string"};
    return each("rocpd_string", kColumns, [this](const TableCursor& cursor, const RowValues& row) {
      if (!strings_.try_emplace(row.integer(0), trace_.strings.intern(cursor.text(1))).second) problems_.count(RowProblem::duplicate_id);
    });
  }

  Result<void> read_ops() {
    static constexpr std::string_view kColumns[] = {"start", "end", "gpuId", "queueId", "description_id", "opType_id"};
    return each("rocpd_op", kColumns, [this](const TableCursor& cursor, const RowValues& row) {
      const auto span = row_span(cursor, 0, problems_);
      if (!span) return;
      const DeviceEvent event{.span = *span, .device = row.int32(2, -1), .stream = row.int32(3), .process = ProcessIndex{-1}};
      const std::string_view type = text(row.integer(5));
      if (type.starts_with("Copy"))
        rows_.add_copy(event, {.kind = copy_kind(type)});
      else if (type.starts_with("Fill"))
        rows_.add_fill(event, 0, MemoryKind::unknown);
      else if (type == "KernelExecution" || type.empty())
        add_kernel(event, text(row.integer(4)), {});
      else
        rows_.kernel_problems().count(RowProblem::other_kind);  // barriers and markers
    });
  }

  Result<void> read_api_calls() {
    static constexpr std::string_view kColumns[] = {"start", "end", "pid", "tid", "apiName_id"};
    return each("rocpd_api", kColumns, [this](const TableCursor& cursor, const RowValues& row) { add_call(cursor, row); });
  }
  Result<void> read_regions() {
    static constexpr std::string_view kColumns[] = {"start", "end", "pid", "tid", "name_id"};
    return each("rocpd_region", kColumns, [this](const TableCursor& cursor, const RowValues& row) { add_call(cursor, row); });
  }

  // Names of the runtimes' own functions are calls, the rest are ranges that the program marked (roctx).
  void add_call(const TableCursor& cursor, const RowValues& row) {
    const auto span = row_span(cursor, 0, problems_);
    if (!span) return;
    const std::string name(text(row.integer(4)));
    const ThreadIndex thread = threads_.thread(row.integer(2), row.integer(3));
    const StringId id = trace_.strings.intern(name);
    if (name.starts_with("hip") || name.starts_with("hsa") || name.starts_with("__hip"))
      rows_.add_call(*span, thread, id, 0, name.starts_with("hsa") ? ApiClass::driver : ApiClass::runtime);
    else
      rows_.add_range({.span = *span, .thread = thread, .domain = trace_.strings.intern("roctx"), .text = id});
  }

  // GPUs by their number among GPUs; other agents are CPUs.
  Result<void> read_agents() {
    static constexpr std::string_view kColumns[] = {"id", "type_index", "type", "name"};
    return each("rocpd_info_agent", kColumns, [this](const TableCursor& cursor, const RowValues& row) {
      if (cursor.text(2) != "GPU") return;
      gpu_of_agent_[row.integer(0)] = row.int32(1);
      Gpu gpu;
      gpu.device = DeviceId{row.int32(1)};
      gpu.name = cursor.text(3);
      trace_.gpus.push_back(std::move(gpu));
    });
  }

  Result<void> read_symbols() {
    static constexpr std::string_view kColumns[] = {"id", "kernel_name"};
    return each("rocpd_info_kernel_symbol", kColumns, [this](const TableCursor& cursor, const RowValues& row) {
      std::string_view name = cursor.text(1);
      if (name.ends_with(".kd")) name.remove_suffix(3);  // "kernel descriptor", the symbol's own suffix
      symbols_.try_emplace(row.integer(0), name);
    });
  }

  std::int32_t gpu_of(std::int64_t agent) const {
    const auto found = gpu_of_agent_.find(agent);
    return found == gpu_of_agent_.end() ? -1 : found->second;
  }

  Result<void> read_dispatches() {
    static constexpr std::string_view kColumns[] = {"start", "end", "agent_id", "queue_id", "kernel_id", "pid", "workgroup_size_x", "workgroup_size_y",
                                                    "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z", "stream_id"};
    return each("rocpd_kernel_dispatch", kColumns, [this](const TableCursor& cursor, const RowValues& row) {
      const auto span = row_span(cursor, 0, rows_.kernel_problems());
      if (!span) return;
      const Dim3 block{std::max(1, row.int32(6, 1)), std::max(1, row.int32(7, 1)), std::max(1, row.int32(8, 1))};
      // AMD counts work items where CUDA counts blocks.
      const Dim3 grid{row.int32(9, 1) / block.x, row.int32(10, 1) / block.y, row.int32(11, 1) / block.z};
      const auto symbol = symbols_.find(row.integer(4));
      add_kernel({.span = *span, .device = gpu_of(row.integer(2)), .stream = row.int32(cursor.has_column(12) ? 12 : 3), .process = threads_.process(row.integer(5))},
                 symbol == symbols_.end() ? std::string_view() : std::string_view(symbol->second), {.grid = grid, .block = block});
    });
  }

  Result<void> read_copies() {
    static constexpr std::string_view kColumns[] = {"start", "end", "dst_agent_id", "src_agent_id", "size", "name_id", "pid", "queue_id", "stream_id"};
    return each("rocpd_memory_copy", kColumns, [this](const TableCursor& cursor, const RowValues& row) {
      const auto span = row_span(cursor, 0, rows_.copy_problems());
      if (!span) return;
      const std::int32_t to = gpu_of(row.integer(2)), from = gpu_of(row.integer(3));
      CopyFacts copy{.bytes = row.integer(4), .kind = copy_kind(text(row.integer(5)))};
      if (from >= 0 && to >= 0) copy.source_device = from, copy.destination_device = to;
      if (from >= 0 && to >= 0 && from != to) copy.kind = CopyKind::peer_to_peer;
      rows_.add_copy({.span = *span, .device = std::max(to, from), .stream = row.int32(cursor.has_column(8) ? 8 : 7), .process = threads_.process(row.integer(6))}, copy);
    });
  }

  void add_kernel(const DeviceEvent& event, std::string_view name, KernelShape shape) {
    const std::string written(name), full = demangled(written);
    if (full != written) shape.mangled = written;
    rows_.add_kernel(event, full, shape);
  }

  const SqliteFile& file_;
  Trace& trace_;
  ReadProgress& progress_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
  RowProblems problems_{"rocpd rows"};
  std::unordered_map<std::int64_t, StringId> strings_;
  std::unordered_map<std::int64_t, std::string> symbols_;
  std::unordered_map<std::int64_t, std::int32_t> gpu_of_agent_;
};

Result<Trace> read_rocpd(const SniffedFile& sniffed, const ReadOptions& options) {
  auto file = SqliteFile::open(sniffed.path);
  if (!file) return tl::unexpected(std::move(file.error()));
  Trace trace;
  std::int64_t rows = 0;
  for (const std::string& table : file->tables()) rows += std::min(file->rows_estimate(table), INT64_MAX / 4096);
  ReadProgress progress{options, rows};
  if (auto done = RocpdReader{*file, trace, progress}.read(); !done) return tl::unexpected(std::move(done.error()));
  trace.metadata.file = sniffed.path.string();
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer rocpd_sqlite;
constinit const Importer rocpd_sqlite{"rocpd database", is_rocpd, read_rocpd};

}  // namespace gputrace::trace
