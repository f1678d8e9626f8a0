#include "trace/trace_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <utility>

#include "trace/batch_database.h"
#include "trace/bulk_tables.h"

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

}  // namespace

void TraceDatabase::FinalizeStatement::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void TraceDatabase::CloseDatabase::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }

TraceDatabase::TraceDatabase(UnfinishedFile file) : file_(std::move(file)) {
  open();
  for (const TableDefinition& table : tables_of_every_trace()) create_table_locked(table);
  write_enums();
  insert_string_ = prepare("INSERT INTO StringIds(id, value) VALUES(?,?)");
  write_row(insert_string_.get(), {std::int64_t{0}, std::string_view()});
}

TraceDatabase::~TraceDatabase() = default;

std::optional<Error> TraceDatabase::failure() const {
  const std::lock_guard held(lock_);
  return failure_;
}

std::int64_t TraceDatabase::intern(std::string_view text) {
  const std::lock_guard held(lock_);
  const std::size_t known = strings_.size();
  const StringId id = strings_.intern(text);
  if (id.value >= known) write_row(insert_string_.get(), {std::int64_t{id.value}, strings_[id]});
  return id.value;
}

void TraceDatabase::create_table(const TableDefinition& table) {
  const std::lock_guard held(lock_);
  create_table_locked(table);
}

void TraceDatabase::create_table_locked(const TableDefinition& table) {
  execute(fmt::format("CREATE TABLE IF NOT EXISTS {}({})", table.name, table.columns), "create a table");
}

void TraceDatabase::insert(const std::string& sql, SqlValues values) {
  const std::lock_guard held(lock_);
  insert_locked(sql, values);
}

void TraceDatabase::insert_locked(const std::string& sql, SqlValues values) {
  if (const Statement statement = prepare(sql)) write_row(statement.get(), values);
}

bool TraceDatabase::is_declared(Table table) const {
  const std::lock_guard held(lock_);
  return declared_[static_cast<std::size_t>(table)];
}

bool TraceDatabase::is_declared(FileTable table) const {
  const std::lock_guard held(lock_);
  return file_declared_[static_cast<std::size_t>(table)];
}

void TraceDatabase::declare(Table table) { declare(definition(table), declared_[static_cast<std::size_t>(table)]); }

void TraceDatabase::declare(FileTable table) { declare(definition(table), file_declared_[static_cast<std::size_t>(table)]); }

void TraceDatabase::declare(const TableDefinition& table, bool& is_declared) {
  const std::lock_guard held(lock_);
  if (!is_declared) create_table_locked(table);
  is_declared = true;
}

void TraceDatabase::attach(BatchDatabase& batches) {
  const std::lock_guard held(lock_);
  execute("COMMIT", "write");
  if (failure_) return;
  if (auto attached = batches.attach(database_.get(), bulk_tables()); !attached) failure_ = std::move(attached.error());
  execute("BEGIN", "write");
}

std::optional<BulkInsert> TraceDatabase::bulk_insert(BatchDatabase& batches, std::size_t index, const TableDefinition& table,
                                                     std::span<const std::string_view> columns) {
  const std::lock_guard held(lock_);
  if (failure_) return std::nullopt;
  auto created = BulkInsert::create(database_.get(), batches, index, table.name, columns);
  if (created) return std::move(*created);
  failure_ = std::move(created.error());
  return std::nullopt;
}

void TraceDatabase::write(BulkInsert& insert) {
  const std::lock_guard held(lock_);
  if (!failure_ && !insert.write()) keep_failure("write");
}

void TraceDatabase::release(std::span<std::optional<BulkInsert>> inserts, BatchDatabase& batches) {
  const std::lock_guard held(lock_);
  for (auto& insert : inserts) insert.reset();
  execute("COMMIT", "write");
  execute("DETACH " + batches.schema(), "write");
  execute("BEGIN", "write");
}

void TraceDatabase::close() {
  const std::lock_guard held(lock_);
  execute("COMMIT", "write");
  insert_string_.reset();
  database_.reset();
}

Result<void> TraceDatabase::finish() {
  close();
  const std::lock_guard held(lock_);
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
  execute("BEGIN", "start the file");
}

void TraceDatabase::write_enums() {
  std::string_view table;
  for (const EnumDefinition& value : enum_values()) {
    if (value.table != table) {
      table = value.table;
      create_table_locked({table, "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT"});
    }
    insert_locked(fmt::format("INSERT INTO {} VALUES(?,?,?)", table),
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
