#include "trace/trace_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <utility>
#include <vector>

namespace gputrace::trace {
namespace {

void bind(sqlite3_stmt* statement, int parameter, const SqlValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, parameter, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    const char* data = text->data() ? text->data() : "";  // a null pointer would bind NULL
    sqlite3_bind_text64(statement, parameter, data, text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    sqlite3_bind_null(statement, parameter);
  }
}

std::vector<TableDefinition> bulk_tables() {
  std::vector<TableDefinition> tables;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Table::count); ++i) tables.push_back(definition(static_cast<Table>(i)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(FileTable::count); ++i) tables.push_back(definition(static_cast<FileTable>(i)));
  return tables;
}

}  // namespace

void TraceDatabase::FinalizeStatement::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void TraceDatabase::CloseDatabase::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }

TraceDatabase::TraceDatabase(UnfinishedFile file) : file_(std::move(file)) {
  open();
  for (const TableDefinition& table : tables_of_every_trace()) create_table(table);
  write_enums();
  insert_string_ = prepare("INSERT INTO StringIds(id, value) VALUES(?,?)");
  write_row(insert_string_.get(), {std::int64_t{0}, std::string_view()});
}

TraceDatabase::~TraceDatabase() = default;

std::int64_t TraceDatabase::intern(std::string_view text) {
  const std::size_t known = strings_.size();
  const StringId id = strings_.intern(text);
  if (id.value >= known) write_row(insert_string_.get(), {std::int64_t{id.value}, strings_[id]});
  return id.value;
}

void TraceDatabase::create_table(const TableDefinition& table) {
  execute(fmt::format("CREATE TABLE IF NOT EXISTS {}({})", table.name, table.columns), "create a table");
}

void TraceDatabase::insert(const std::string& sql, SqlValues values) {
  if (const Statement statement = prepare(sql)) write_row(statement.get(), values);
}

void TraceDatabase::declare(Table table, std::span<const std::string_view> batch_columns) {
  const auto index = static_cast<std::size_t>(table);
  declare(definition(table), index, declared_[index], bulk_[index], batch_columns);
}

void TraceDatabase::declare(FileTable table, std::span<const std::string_view> batch_columns) {
  const auto index = static_cast<std::size_t>(table);
  declare(definition(table), static_cast<std::size_t>(Table::count) + index, file_declared_[index], file_bulk_[index], batch_columns);
}

void TraceDatabase::declare(const TableDefinition& table, std::size_t index, bool& is_declared,
                            std::optional<BulkInsert>& bulk, std::span<const std::string_view> batch_columns) {
  if (is_declared || failure_) return;
  is_declared = true;
  create_table(table);
  if (batch_columns.empty() || failure_) return;
  auto created = BulkInsert::create(database_.get(), batches_, index, table.name, batch_columns);
  if (created) {
    bulk = std::move(*created);
  } else {
    failure_ = std::move(created.error());
  }
}

void TraceDatabase::close() {
  const auto write_out = [this](std::optional<BulkInsert>& insert) {
    if (insert && !failure_) flush(*insert);
    insert.reset();
  };
  for (auto& insert : bulk_) write_out(insert);
  for (auto& insert : file_bulk_) write_out(insert);
  execute("COMMIT", "write");
  insert_string_.reset();
  database_.reset();
}

Result<void> TraceDatabase::finish() {
  close();
  if (failure_) return tl::unexpected(*failure_);
  return file_.finish();
}

void TraceDatabase::open() {
  sqlite3* opened = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  const int status = sqlite3_open_v2(file_.path().c_str(), &opened, kFlags, nullptr);
  database_.reset(opened);
  if (status != SQLITE_OK) return keep_failure("open the file");
  // No journal and no sync: until the file is whole it has no name that anyone would open.
  execute(
      "PRAGMA page_size=32768; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA main.locking_mode=EXCLUSIVE;"
      "PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY",
      "start the file");
  if (failure_) return;
  if (auto attached = batches_.attach(database_.get(), bulk_tables()); !attached) failure_ = std::move(attached.error());
  execute("BEGIN", "start the file");
}

void TraceDatabase::write_enums() {
  std::string_view table;
  for (const EnumDefinition& value : enum_values()) {
    if (value.table != table) {
      table = value.table;
      create_table({table, "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT"});
    }
    insert(fmt::format("INSERT INTO {} VALUES(?,?,?)", table),
           {std::int64_t{value.id}, value.name, value.label});
  }
}

void TraceDatabase::execute(const std::string& sql, std::string_view doing) {
  if (failure_) return;
  const int status = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) keep_failure(doing);
}

TraceDatabase::Statement TraceDatabase::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (failure_) return nullptr;
  const int status = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
  if (status != SQLITE_OK) keep_failure("prepare a table");
  return Statement(statement);
}

void TraceDatabase::write_row(sqlite3_stmt* statement, SqlValues values) {
  if (failure_) return;
  int parameter = 0;
  for (const SqlValue& value : values) bind(statement, ++parameter, value);
  if (sqlite3_step(statement) != SQLITE_DONE) keep_failure("write");
  sqlite3_reset(statement);
}

bool TraceDatabase::flush(BulkInsert& insert) {
  if (insert.flush()) return true;
  keep_failure("write");
  return false;
}

void TraceDatabase::keep_failure(std::string_view doing) {
  if (failure_) return;
  const std::string where = file_.target().string();
  if ((sqlite3_extended_errcode(database_.get()) & 0xFF) == SQLITE_FULL) {
    failure_ = Error{"the disk is full", where, "free some space, or write to another disk"};
    return;
  }
  int system_error = sqlite3_system_errno(database_.get());
  // A commit that fails does not set it.
  if (system_error == 0) sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_LAST_ERRNO, &system_error);
  const std::string reason = system_error ? fmt::format(": {}", std::strerror(system_error)) : "";
  failure_ =
      Error{fmt::format("cannot {} ({}{})", doing, sqlite3_errmsg(database_.get()), reason), where, {}};
}

}  // namespace gputrace::trace
