// The SQLite file under TraceWriters: its tables, its strings, and the first failure, after which every call does nothing.
// Thread-safe: the parts of a writer share it.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "trace/bulk_insert.h"
#include "trace/export_schema.h"
#include "trace/result.h"
#include "trace/string_table.h"
#include "trace/unfinished_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gputrace::trace {

class BatchDatabase;

using SqlValue = std::variant<std::monostate, std::int64_t, std::string_view>;
using SqlValues = std::initializer_list<SqlValue>;

class TraceDatabase {
 public:
  // Makes the tables of every trace and begins the one transaction. Failures: failure().
  explicit TraceDatabase(UnfinishedFile file);
  ~TraceDatabase();
  TraceDatabase(const TraceDatabase&) = delete;
  TraceDatabase& operator=(const TraceDatabase&) = delete;

  std::optional<Error> failure() const;

  std::int64_t intern(std::string_view text);  // StringIds.id
  void create_table(const TableDefinition& table);
  void insert(const std::string& sql, SqlValues values);

  // Makes the table where it is not there yet.
  void declare(Table table);
  void declare(FileTable table);
  bool is_declared(Table table) const;
  bool is_declared(FileTable table) const;

  // Rows in bulk, by a writer's own batches: attached once, then an insert for each table that was declared. None after a failure.
  void attach(BatchDatabase& batches);
  std::optional<BulkInsert> bulk_insert(BatchDatabase& batches, std::size_t index, const TableDefinition& table,
                                        std::span<const std::string_view> columns);
  void write(BulkInsert& insert);
  void release(std::span<std::optional<BulkInsert>> inserts, BatchDatabase& batches);  // all of those batches

  // Commits.
  void close();
  Result<void> finish();

 private:
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  struct CloseDatabase {
    void operator()(sqlite3* database) const noexcept;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

  void open();
  void write_enums();
  void declare(const TableDefinition& table, bool& is_declared);
  void create_table_locked(const TableDefinition& table);
  void insert_locked(const std::string& sql, SqlValues values);
  void execute(const std::string& sql, std::string_view doing);
  Statement prepare(const std::string& sql);
  void write_row(sqlite3_stmt* statement, SqlValues values);
  void keep_failure(std::string_view doing);

  mutable std::mutex lock_;  // of all that follows
  UnfinishedFile file_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;  // closed before the file is removed
  std::optional<Error> failure_;                      // the first; later ones follow from it
  StringTable strings_;
  std::array<bool, static_cast<std::size_t>(Table::count)> declared_{};
  std::array<bool, static_cast<std::size_t>(FileTable::count)> file_declared_{};
  Statement insert_string_;
};

}  // namespace gputrace::trace
