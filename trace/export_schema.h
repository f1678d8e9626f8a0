// Tables of a trace file: those of Nsight Systems' SQLite export, schema 3.27, so that scripts written for it
// run on our files, and GPUTRACE_* for what it has no place for.
#pragma once

#include <span>
#include <string_view>

#include "trace/recorder_rows.h"
#include "trace/trace.h"

namespace gputrace::trace {

inline constexpr char kExportSchemaVersion[] = "3.27.0";
inline constexpr char kFormatVersion[] = "1";  // of the GPUTRACE_* tables; GPUTRACE_FORMAT key "version"

struct TableDefinition {
  std::string_view name, columns;  // the text between the brackets of CREATE TABLE
};

struct EnumDefinition {
  std::string_view table;
  int id;
  std::string_view name, label;
};

// The tables that a trace has, whatever was captured.
std::span<const TableDefinition> tables_of_every_trace();
// The values of the ENUM_* tables, by table.
std::span<const EnumDefinition> enum_values();

const TableDefinition& definition(Table table);
const TableDefinition& definition(FileTable table);
extern const TableDefinition kCudaDeviceTable, kStreamTable, kContextTable, kGpuMetricNameTable, kClockTable;
std::span<const TableDefinition> nvtx_payload_tables();  // schemas, their entries, enumerations, theirs

}  // namespace gputrace::trace
