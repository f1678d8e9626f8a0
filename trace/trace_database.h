// The SQLite file under a TraceWriter: its tables, its batches, and the first failure, after which every call
// does nothing.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "trace/batch_database.h"
#include "trace/bulk_insert.h"
#include "trace/export_schema.h"
#include "trace/result.h"
#include "trace/string_table.h"
#include "trace/unfinished_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gputrace::trace {

using SqlValue = std::variant<std::monostate, std::int64_t, std::string_view>;
using SqlValues = std::initializer_list<SqlValue>;

class TraceDatabase {
 public:
  // Makes the tables of every trace and begins the one transaction. Failures: failure().
  explicit TraceDatabase(UnfinishedFile file);
  ~TraceDatabase();
  TraceDatabase(const TraceDatabase&) = delete;
  TraceDatabase& operator=(const TraceDatabase&) = delete;

  const std::optional<Error>& failure() const { return failure_; }

  std::int64_t intern(std::string_view text);  // StringIds.id
  void create_table(const TableDefinition& table);
  void insert(const std::string& sql, SqlValues values);

  // Makes the table where it is not there yet; `batch_columns` are those that its batches fill, none for
  // tables of few rows.
  void declare(Table table, std::span<const std::string_view> batch_columns);
  bool is_declared(Table table) const { return declared_[static_cast<std::size_t>(table)]; }

  void declare(FileTable table, std::span<const std::string_view> batch_columns);
  bool is_declared(FileTable table) const { return file_declared_[static_cast<std::size_t>(table)]; }

  // The batch that takes a row of a table that was declared with columns; a full one is written first. Null
  // after a failure.
  RowBatch* batch(Table table) { return batch(bulk_[static_cast<std::size_t>(table)]); }
  RowBatch* batch(FileTable table) { return batch(file_bulk_[static_cast<std::size_t>(table)]); }

  // Writes what is left and commits.
  void close();
  Result<void> finish();

 private:
  static constexpr std::size_t kBatchRows = 4096;  // about the size of a second-level cache
  static constexpr std::size_t kBatchBytes = 1 << 20;  // of text besides

  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  struct CloseDatabase {
    void operator()(sqlite3* database) const noexcept;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

  RowBatch* batch(std::optional<BulkInsert>& insert) {
    if (failure_ || !insert) return nullptr;
    RowBatch& rows = insert->batch();
    if ((rows.rows() >= kBatchRows || rows.held_bytes() >= kBatchBytes) && !flush(*insert)) return nullptr;
    return &insert->batch();
  }
  void declare(const TableDefinition& table, std::size_t index, bool& is_declared, std::optional<BulkInsert>& bulk,
               std::span<const std::string_view> batch_columns);
  void open();
  void write_enums();
  void execute(const std::string& sql, std::string_view doing);
  Statement prepare(const std::string& sql);
  void write_row(sqlite3_stmt* statement, SqlValues values);
  bool flush(BulkInsert& insert);
  void keep_failure(std::string_view doing);

  UnfinishedFile file_;
  BatchDatabase batches_;  // tables: those of Table, then those of FileTable
  std::unique_ptr<sqlite3, CloseDatabase> database_;  // closed before the file is removed
  std::optional<Error> failure_;                      // the first; later ones follow from it
  StringTable strings_;
  std::array<std::optional<BulkInsert>, static_cast<std::size_t>(Table::count)> bulk_;
  std::array<bool, static_cast<std::size_t>(Table::count)> declared_{};
  std::array<std::optional<BulkInsert>, static_cast<std::size_t>(FileTable::count)> file_bulk_;
  std::array<bool, static_cast<std::size_t>(FileTable::count)> file_declared_{};
  Statement insert_string_;
};

}  // namespace gputrace::trace
