// The parts of reading a Nsight Systems SQLite export, schema 2.9 to 3.30, or a file of our own: both have
// the same tables. Each part reads one group of tables into `NsysRead::trace`; a table that is absent stays
// "not captured".
#pragma once

#include <span>
#include <string_view>

#include "trace/file_strings.h"
#include "trace/read_progress.h"
#include "trace/result.h"
#include "trace/sqlite_table_cursor.h"
#include "trace/table_rows.h"
#include "trace/thread_registry.h"
#include "trace/trace.h"
#include "trace/trace_columns.h"

namespace gputrace::trace {

struct NsysRead {
  const SqliteFile& file;
  Trace& trace;
  ReadProgress& progress;
  ThreadRegistry threads{trace};
  FileStrings strings{};
  std::size_t reserve_limit = 0;  // rows that the file's size allows: rowids are not to be trusted
  bool is_own_file = false;       // written by TraceWriter
};

Result<void> read_nsys_strings(NsysRead& read);
Result<void> read_nsys_api_tables(NsysRead& read);  // API calls, overheads
Result<void> read_nsys_device_tables(
    NsysRead& read);                          // kernels, copies, fills, synchronizations, events, graphs
Result<void> read_nsys_nvtx(NsysRead& read);  // ranges and marks; also names of threads
Result<void> read_counters(NsysRead& read);   // GPUTRACE_COUNTER
Result<void> read_nsys_gpus(NsysRead& read);  // after the device tables, whose rows it may renumber
Result<void> read_nsys_process_names(NsysRead& read);
Result<void> read_nsys_metadata(NsysRead& read);
Result<void> read_gputrace_tables(
    NsysRead& read);  // GPUTRACE_*: links, op placements, capture state, diagnostics

// Makes room for the rows of a table: growing columns step by step would copy them, and touch new pages, twice.
template <class Columns>
void reserve_rows(const NsysRead& read, std::string_view table, Columns& columns) {
  const auto rows = static_cast<std::size_t>(read.file.rows_estimate(table));
  visit_columns(columns, [most = rows < read.reserve_limit ? rows : read.reserve_limit](auto& column) { column.reserve(most); });
}

// Calls `row(cursor)` for each row of the table; does nothing where the table is absent.
template <class Row>
Result<void> for_each_row(NsysRead& read, std::string_view table, std::span<const std::string_view> columns,
                          Row row) {
  return for_each_row(read.file, read.progress, table, columns, row);
}

}  // namespace gputrace::trace
