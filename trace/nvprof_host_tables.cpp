// What host threads did, in an nvprof database: API calls, overheads, NVTX markers.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "trace/cupti_callback_names.h"
#include "trace/nvprof_read.h"

namespace gputrace::trace {
namespace {

StringId api_name(StringTable& strings, ApiClass api, std::int64_t id) {
  const std::string_view known = callback_name(api, id);
  if (!known.empty()) return strings.intern(known);
  return strings.intern(
      fmt::format("{} call {}", api == ApiClass::runtime ? "cuda runtime" : "cuda driver", id));
}

Result<void> read_api_calls(NvprofRead& read, std::string_view table, ApiClass api) {
  static constexpr std::string_view kColumns[] = {"start",    "end",           "cbid",       "processId",
                                                  "threadId", "correlationId", "returnValue"};
  ApiCalls& calls = read.trace.api_calls;
  std::unordered_map<std::int64_t, StringId> names;
  RowProblems problems{"API call rows"};
  const auto done = for_each_row(read, table, kColumns, [&](const TableCursor& cursor) {
    mark_captured(read.trace, Table::api_calls);
    const std::optional<Span> span = row_span(cursor, 0, problems);
    if (!span) return;
    const RowValues row{cursor, problems};
    const auto [name, is_new] = names.try_emplace(row.integer(2));
    if (is_new) name->second = api_name(read.trace.strings, api, row.integer(2));
    calls.start_ns.push_back(span->start_ns);
    calls.end_ns.push_back(span->end_ns);
    calls.thread.push_back(nvprof_thread(read, row.integer(3), row.integer(4)));
    calls.correlation.push_back(CorrelationId{row.integer(5)});
    calls.name.push_back(name->second);
    calls.api_class.push_back(api);
    calls.return_value.push_back(row.int32(6));
  });
  problems.report(read.trace.diagnostics);
  return done;
}

// An object id is a union of CUPTI: a thread has its process at 0 and itself at 4.
enum ObjectKind : std::int64_t { kProcess = 1, kThread = 2 };

ThreadIndex thread_of_object(NvprofRead& read, std::int64_t kind, std::string_view id) {
  if (kind != kThread) return ThreadIndex{-1};
  return nvprof_thread(read, little_endian(id, 0, 4), little_endian(id, 4, 4));
}

// CUPTI: 0 unknown, 1 compiler, n << 16 for the others. From buffer flush on, an export counts 3, 4, ...
OverheadKind overhead_kind(std::int64_t cupti_kind, RowProblems& problems) {
  if (cupti_kind == 0) return OverheadKind::unknown;
  if (cupti_kind == 1) return OverheadKind::driver_jit;
  const std::int64_t kind = (cupti_kind >> 16) + 2;
  if (kind >= static_cast<std::int64_t>(OverheadKind::buffer_flush) &&
      kind <= static_cast<std::int64_t>(OverheadKind::command_buffer_full)) {
    return static_cast<OverheadKind>(kind);
  }
  problems.count(RowProblem::unknown_kind);
  return OverheadKind::unknown;
}

Result<void> read_overheads(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"start", "end", "overheadKind", "objectKind", "objectId"};
  Overheads& overheads = read.trace.overheads;
  RowProblems problems{"overhead rows"};
  const auto done =
      for_each_row(read, "CUPTI_ACTIVITY_KIND_OVERHEAD", kColumns, [&](const TableCursor& cursor) {
        mark_captured(read.trace, Table::overheads);
        const std::optional<Span> span = row_span(cursor, 0, problems);
        if (!span) return;
        const RowValues row{cursor, problems};
        overheads.start_ns.push_back(span->start_ns);
        overheads.end_ns.push_back(span->end_ns);
        overheads.thread.push_back(thread_of_object(read, row.integer(3), cursor.text(4)));
        overheads.kind.push_back(overhead_kind(row.integer(2), problems));
        overheads.name.push_back(StringId{});
      });
  problems.report(read.trace.diagnostics);
  return done;
}

struct MarkerData {
  std::uint32_t color_argb = 0;
  std::int64_t category = 0;
};
using MarkerDataById = std::unordered_map<std::int64_t, MarkerData>;

Result<MarkerDataById> read_marker_data(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"id", "flags", "color", "category"};
  constexpr std::int64_t kColorIsArgb = 2;
  MarkerDataById data;
  RowProblems problems{"NVTX attribute rows"};
  const auto done =
      for_each_row(read, "CUPTI_ACTIVITY_KIND_MARKER_DATA", kColumns, [&](const TableCursor& cursor) {
        const RowValues row{cursor, problems};
        const bool has_color = row.integer(1) & kColorIsArgb;
        data[row.integer(0)] = {has_color ? static_cast<std::uint32_t>(row.integer(2)) : 0, row.integer(3)};
      });
  problems.report(read.trace.diagnostics);
  if (!done) return tl::unexpected(done.error());
  return data;
}

// A range is two rows with one id, the second without a name; they may be far apart.
class MarkerReader {
 public:
  MarkerReader(NvprofRead& read, const MarkerDataById& data) : read_(read), data_(data) {}

  static constexpr std::string_view kColumns[] = {"timestamp", "flags", "id",    "objectKind",
                                                  "objectId",  "name",  "domain"};

  void add(const TableCursor& cursor) {
    mark_captured(read_.trace, Table::nvtx);
    const RowValues row{cursor, problems_};
    if (!cursor.is_integer(0)) return problems_.count(RowProblem::no_time);
    const std::int64_t time_ns = row.integer(0);
    if (!is_usable_span(time_ns, time_ns, problems_)) return;
    if (row.integer(1) & kEndFlag) return end(row.integer(2), time_ns);
    begin(cursor, row, time_ns, row.integer(1) & kInstantFlag);
  }

  void finish() {
    problems_.count(RowProblem::no_end, static_cast<std::int64_t>(open_.size()));
    problems_.report(read_.trace.diagnostics);
  }

 private:
  static constexpr std::int64_t kInstantFlag = 1, kEndFlag = 4;

  void end(std::int64_t id, std::int64_t time_ns) {
    const auto found = open_.find(id);
    if (found == open_.end()) return problems_.count(RowProblem::other_kind);
    NvtxRanges& ranges = read_.trace.nvtx;
    if (time_ns < ranges.start_ns[found->second]) return;  // no end of it: it stays open, and is counted so
    ranges.end_ns[found->second] = time_ns;
    open_.erase(found);
  }

  void begin(const TableCursor& cursor, const RowValues& row, std::int64_t time_ns, bool is_instant) {
    NvtxRanges& ranges = read_.trace.nvtx;
    const std::int64_t id = row.integer(2), object_kind = row.integer(3);
    if (!is_instant && !open_.try_emplace(id, ranges.size()).second)
      return problems_.count(RowProblem::duplicate_id);
    const auto data = data_.find(id);
    const MarkerData attributes = data == data_.end() ? MarkerData{} : data->second;
    ranges.start_ns.push_back(time_ns);
    ranges.end_ns.push_back(is_instant ? time_ns : kNoEnd);
    ranges.kind.push_back(is_instant               ? NvtxKind::mark
                          : object_kind == kThread ? NvtxKind::push_pop
                                                   : NvtxKind::start_end);
    ranges.thread.push_back(thread_of_object(read_, object_kind, cursor.text(4)));
    ranges.domain.push_back(row.string(6, read_.strings));
    ranges.category.push_back(attributes.category == 0 ? StringId{}
                                                       : read_.trace.strings.intern(fmt::format(
                                                             "category {}", attributes.category)));
    ranges.text.push_back(row.string(5, read_.strings));
    ranges.color_argb.push_back(attributes.color_argb);
  }

  NvprofRead& read_;
  const MarkerDataById& data_;
  std::unordered_map<std::int64_t, std::size_t> open_;  // row of the range, by marker id
  RowProblems problems_{"NVTX rows"};
};

// Names that the program gave its processes and threads.
Result<void> read_names(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"objectKind", "objectId", "name"};
  RowProblems problems{"name rows"};
  const auto done = for_each_row(read, "CUPTI_ACTIVITY_KIND_NAME", kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    const std::string_view id = cursor.text(1);
    const std::string_view name = read.trace.text(row.string(2, read.strings));
    if (row.integer(0) == kProcess) {
      const ProcessIndex process = read.threads.process(global_tid_of(little_endian(id, 0, 4), 0));
      read.trace.processes[static_cast<std::size_t>(process.value)].name = name;
    } else if (row.integer(0) == kThread) {
      const ThreadIndex thread = thread_of_object(read, kThread, id);
      read.trace.threads[static_cast<std::size_t>(thread.value)].name = name;
    }
  });
  problems.report(read.trace.diagnostics);
  return done;
}

}  // namespace

ThreadIndex nvprof_thread(NvprofRead& read, std::int64_t pid, std::int64_t native_id) {
  const std::int64_t key = pid << 32 | (native_id & 0xFFFFFFFF);
  const auto [entry, is_new] = read.thread_of_native_id.try_emplace(key);
  if (is_new) {
    const auto number = static_cast<std::int64_t>(read.thread_of_native_id.size());
    entry->second = read.threads.thread(global_tid_of(pid, number));
    read.trace.threads[static_cast<std::size_t>(entry->second.value)].tid = native_id & 0xFFFFFFFF;
  }
  return entry->second;
}

Result<void> read_nvprof_strings(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"_id_", "value"};
  constexpr std::int64_t kNull = 0;  // its text is "-- null --"
  RowProblems problems{"string rows"};
  const auto done = for_each_row(read, "StringTable", kColumns, [&](const TableCursor& cursor) {
    if (!cursor.is_integer(0)) return problems.count(RowProblem::wrong_type);
    const std::int64_t id = cursor.integer(0);
    const StringId text = id == kNull ? StringId{} : read.trace.strings.intern(cursor.text(1));
    if (!read.strings.add(id, text)) problems.count(RowProblem::duplicate_id);
  });
  problems.report(read.trace.diagnostics);
  return done;
}

Result<void> read_nvprof_api_tables(NvprofRead& read) {
  if (auto done = read_api_calls(read, "CUPTI_ACTIVITY_KIND_RUNTIME", ApiClass::runtime); !done) return done;
  if (auto done = read_api_calls(read, "CUPTI_ACTIVITY_KIND_DRIVER", ApiClass::driver); !done) return done;
  return read_overheads(read);
}

Result<void> read_nvprof_markers(NvprofRead& read) {
  const auto data = read_marker_data(read);
  if (!data) return tl::unexpected(data.error());
  MarkerReader reader{read, *data};
  const auto done = for_each_row(read, "CUPTI_ACTIVITY_KIND_MARKER", MarkerReader::kColumns,
                                 [&reader](const TableCursor& cursor) { reader.add(cursor); });
  reader.finish();
  if (!done) return done;
  return read_names(read);
}

}  // namespace gputrace::trace
