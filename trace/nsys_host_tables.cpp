// Tables of what host threads did: API calls, overheads, NVTX.
#include <optional>
#include <string>
#include <unordered_map>

#include "trace/nsys_read.h"

namespace gputrace::trace {
namespace {

ThreadIndex thread_of(NsysRead& read, const TableCursor& cursor, int column) {
  if (!cursor.is_integer(column)) return ThreadIndex{-1};
  return read.threads.thread(static_cast<std::uint64_t>(cursor.integer(column)));
}

// Event classes besides 0 and 1 come with newer CUDA: the name tells the two APIs apart ("cudaMalloc",
// "cuMemAlloc").
ApiClass api_class(std::int64_t event_class, std::string_view name) {
  if (event_class == 0) return ApiClass::runtime;
  if (event_class == 1) return ApiClass::driver;
  return name.starts_with("cuda") ? ApiClass::runtime : ApiClass::driver;
}

Result<void> read_api_calls(NsysRead& read) {
  static constexpr std::string_view kName = "CUPTI_ACTIVITY_KIND_RUNTIME";
  static constexpr std::string_view kColumns[] = {"start",  "end",        "globalTid",  "correlationId",
                                                  "nameId", "eventClass", "returnValue"};
  enum { kStart, kEnd, kThread, kCorrelation, kNameId, kEventClass, kReturnValue };
  if (!read.file.has_table(kName)) return {};
  mark_captured(read.trace, Table::api_calls);
  ApiCalls& calls = read.trace.api_calls;
  reserve_rows(read, kName, calls);
  RowProblems problems{"API call rows"};
  const auto done = for_each_row(read, kName, kColumns, [&](const TableCursor& cursor) {
    const std::optional<Span> span = row_span(cursor, kStart, problems);
    if (!span) return;
    const RowValues row{cursor, problems};
    const StringId name = row.string(kNameId, read.strings);
    calls.start_ns.push_back(span->start_ns);
    calls.end_ns.push_back(span->end_ns);
    calls.thread.push_back(thread_of(read, cursor, kThread));
    calls.correlation.push_back(CorrelationId{row.integer(kCorrelation)});
    calls.name.push_back(name);
    calls.api_class.push_back(api_class(row.integer(kEventClass), read.trace.text(name)));
    calls.return_value.push_back(row.int32(kReturnValue));
  });
  problems.report(read.trace.diagnostics);
  return done;
}

// PROFILER_OVERHEAD is the profiler's own time and has a type since schema 3.24; CUPTI_..._OVERHEAD is
// CUPTI's.
Result<void> read_overheads(NsysRead& read, std::string_view table) {
  static constexpr std::string_view kColumns[] = {"start", "end", "globalTid", "nameId", "overheadType"};
  enum { kStart, kEnd, kThread, kNameId, kType };
  if (!read.file.has_table(table)) return {};
  mark_captured(read.trace, Table::overheads);
  Overheads& overheads = read.trace.overheads;
  RowProblems problems{"overhead rows"};
  const auto done = for_each_row(read, table, kColumns, [&](const TableCursor& cursor) {
    const std::optional<Span> span = row_span(cursor, kStart, problems);
    if (!span) return;
    const RowValues row{cursor, problems};
    overheads.start_ns.push_back(span->start_ns);
    overheads.end_ns.push_back(span->end_ns);
    overheads.thread.push_back(thread_of(read, cursor, kThread));
    overheads.kind.push_back(
        row.kind(kType, OverheadKind::unknown, OverheadKind::command_buffer_full, OverheadKind::unknown));
    overheads.name.push_back(row.string(kNameId, read.strings));
  });
  problems.report(read.trace.diagnostics);
  return done;
}

// Domain and category names come in rows of their own, anywhere in the table. While it is read, the columns
// hold slots; name_slots() replaces them by names.
class NvtxNames {
 public:
  std::uint32_t domain_slot(std::uint64_t global_tid, std::int64_t domain) {
    return slot({process_of_thread(global_tid), domain, kNoCategory}, last_domain_);
  }
  std::uint32_t category_slot(std::uint64_t global_tid, std::int64_t domain, std::int64_t category) {
    return slot({process_of_thread(global_tid), domain, category}, last_category_);
  }
  void name(std::uint32_t slot, StringId name) { slots_[slot].name = name; }

  // Ids without a name keep their number, so that two such domains stay apart. Domain 0 and category 0 are
  // unnamed.
  StringId resolved(std::uint32_t slot, StringTable& strings) {
    Slot& s = slots_[slot];
    const bool is_category = s.key.category != kNoCategory;
    const std::int64_t id = is_category ? s.key.category : s.key.domain;
    if (s.name.value == 0 && id != 0) {
      s.name = strings.intern((is_category ? "category " : "domain ") + std::to_string(id));
    }
    return s.name;
  }

 private:
  static constexpr std::int64_t kNoCategory = -1;
  struct Key {
    std::uint64_t process;
    std::int64_t domain, category;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      const std::hash<std::uint64_t> hash;
      return hash(key.process ^ static_cast<std::uint64_t>(key.domain) * 0x9E3779B97F4A7C15u ^
                  static_cast<std::uint64_t>(key.category) * 0xC2B2AE3D27D4EB4Fu);
    }
  };
  struct Slot {
    Key key;
    StringId name;
  };

  // Rows of one domain and category come in long runs: `last` is the slot that was found before.
  std::uint32_t slot(const Key& key, std::uint32_t& last) {
    if (last < slots_.size() && slots_[last].key == key) return last;
    const auto [entry, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(slots_.size()));
    if (is_new) slots_.push_back({key, {}});
    return last = entry->second;
  }

  std::unordered_map<Key, std::uint32_t, Hash> index_;
  std::vector<Slot> slots_;
  std::uint32_t last_domain_ = 0, last_category_ = 0;
};

class NvtxReader {
 public:
  explicit NvtxReader(NsysRead& read) : read_(read) {}

  void add(const TableCursor& cursor) {
    const RowValues row{cursor, problems_};
    const std::int64_t kind = row.integer(kType);
    switch (kind >= 0 && kind <= UINT8_MAX ? static_cast<NvtxKind>(kind) : NvtxKind{}) {
      case NvtxKind::mark:
      case NvtxKind::push_pop:
      case NvtxKind::start_end:
        return add_range(cursor, row);
      case NvtxKind::thread_name:
        return name_thread(cursor, row);
      case NvtxKind::category:
        return names_.name(names_.category_slot(tid(cursor), row.integer(kDomain), row.integer(kCategory)),
                           text(cursor, row));
      case NvtxKind::domain_create:
        return names_.name(names_.domain_slot(tid(cursor), row.integer(kDomain)), text(cursor, row));
      case NvtxKind::domain_destroy:
        return;
    }
    problems_.count(RowProblem::other_kind);
  }

  void finish() {
    NvtxRanges& ranges = read_.trace.nvtx;
    for (StringId& domain : ranges.domain) domain = names_.resolved(domain.value, read_.trace.strings);
    for (StringId& category : ranges.category)
      category = names_.resolved(category.value, read_.trace.strings);
    problems_.report(read_.trace.diagnostics);
  }

  static constexpr std::string_view kColumns[] = {"start",    "end",   "eventType", "globalTid", "domainId",
                                                  "category", "color", "text",      "textId"};

 private:
  enum { kStart, kEnd, kType, kThread, kDomain, kCategory, kColor, kText, kTextId };

  static std::uint64_t tid(const TableCursor& cursor) {
    return static_cast<std::uint64_t>(cursor.integer(kThread));
  }

  StringId text(const TableCursor& cursor, const RowValues& row) {
    if (cursor.is_null(kText)) return row.string(kTextId, read_.strings);
    return read_.trace.strings.intern(cursor.text(kText));
  }

  void name_thread(const TableCursor& cursor, const RowValues& row) {
    const ThreadIndex thread = thread_of(read_, cursor, kThread);
    if (thread.value < 0) return;
    read_.trace.threads[static_cast<std::size_t>(thread.value)].name = read_.trace.text(text(cursor, row));
  }

  std::optional<Span> range_span(const TableCursor& cursor, NvtxKind kind) {
    if (!cursor.is_null(kEnd) || !cursor.is_integer(kStart)) return row_span(cursor, kStart, problems_);
    const std::int64_t start_ns = cursor.integer(kStart);
    // A range open since time 0 is no row without a time stamp.
    if (start_ns != 0 && !is_usable_span(start_ns, start_ns, problems_)) return std::nullopt;
    if (kind == NvtxKind::mark) return Span{start_ns, start_ns};
    problems_.count(RowProblem::no_end);
    return Span{start_ns, kNoEnd};
  }

  void add_range(const TableCursor& cursor, const RowValues& row) {
    const auto kind = static_cast<NvtxKind>(row.integer(kType));
    const std::optional<Span> span = range_span(cursor, kind);
    if (!span) return;
    NvtxRanges& ranges = read_.trace.nvtx;
    const std::int64_t domain = row.integer(kDomain);
    ranges.start_ns.push_back(span->start_ns);
    ranges.end_ns.push_back(span->end_ns);
    ranges.kind.push_back(kind);
    ranges.thread.push_back(thread_of(read_, cursor, kThread));
    ranges.domain.push_back(StringId{names_.domain_slot(tid(cursor), domain)});
    ranges.category.push_back(StringId{names_.category_slot(tid(cursor), domain, row.integer(kCategory))});
    ranges.text.push_back(text(cursor, row));
    ranges.color_argb.push_back(static_cast<std::uint32_t>(row.integer(kColor)));
  }

  NsysRead& read_;
  NvtxNames names_;
  RowProblems problems_{"NVTX rows"};
};

}  // namespace

Result<void> read_nsys_api_tables(NsysRead& read) {
  if (auto done = read_api_calls(read); !done) return done;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"}) {
    if (auto done = read_overheads(read, table); !done) return done;
  }
  return {};
}

Result<void> read_nsys_nvtx(NsysRead& read) {
  if (!read.file.has_table("NVTX_EVENTS")) return {};
  mark_captured(read.trace, Table::nvtx);
  reserve_rows(read, "NVTX_EVENTS", read.trace.nvtx);
  NvtxReader reader{read};
  const auto done = for_each_row(read, "NVTX_EVENTS", NvtxReader::kColumns,
                                 [&reader](const TableCursor& cursor) { reader.add(cursor); });
  reader.finish();
  return done;
}

}  // namespace gputrace::trace
