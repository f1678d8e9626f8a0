#include "trace/bulk_insert.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>

namespace gputrace::trace {
namespace {

// The virtual table and its cursor, as https://www.sqlite.org/vtab.html asks for: SQLite's struct comes
// first.
struct BatchTable {
  sqlite3_vtab base{};
  const RowBatch* batch = nullptr;
};

struct BatchCursor {
  sqlite3_vtab_cursor base{};
  const RowBatch* batch = nullptr;
  const std::int64_t* cells = nullptr;  // of the row
  std::size_t row = 0;
};

BatchCursor* cursor_of(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<BatchCursor*>(cursor); }

int connect(sqlite3* database, void* batch, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto* rows = static_cast<const RowBatch*>(batch);
  std::string declaration = "CREATE TABLE batch(";
  for (std::size_t i = 0; i < rows->columns(); ++i) declaration += fmt::format("{}c{}", i ? "," : "", i);
  if (const int status = sqlite3_declare_vtab(database, (declaration + ")").c_str()); status != SQLITE_OK)
    return status;
  auto* table = new (std::nothrow) BatchTable;
  if (table == nullptr) return SQLITE_NOMEM;
  table->batch = rows;
  *out = &table->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<BatchTable*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* plan) {
  plan->estimatedRows = static_cast<sqlite3_int64>(reinterpret_cast<BatchTable*>(table)->batch->rows());
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) BatchCursor;
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->batch = reinterpret_cast<BatchTable*>(table)->batch;
  *out = &cursor->base;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete cursor_of(cursor);
  return SQLITE_OK;
}

int rewind(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value**) {
  BatchCursor* cursor = cursor_of(base);
  cursor->row = 0;
  cursor->cells = cursor->batch->row(0);
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* base) {
  BatchCursor* cursor = cursor_of(base);
  ++cursor->row;
  cursor->cells += cursor->batch->columns();
  return SQLITE_OK;
}

int is_past_end(sqlite3_vtab_cursor* base) { return cursor_of(base)->row >= cursor_of(base)->batch->rows(); }

int give_cell(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const BatchCursor* cursor = cursor_of(base);
  const auto index = static_cast<std::size_t>(column);
  if (cursor->batch->is_null(cursor->row, index)) return SQLITE_OK;  // the result is NULL unless set
  if (cursor->batch->is_number(cursor->row, index)) {
    sqlite3_result_int64(context, cursor->cells[index]);
  } else if (cursor->batch->holds_bytes(index)) {
    const std::string& bytes = cursor->batch->bytes(cursor->cells[index]);
    if (cursor->batch->holds_text(index))
      sqlite3_result_text64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else
      sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  } else {
    sqlite3_result_double(context, std::bit_cast<double>(cursor->cells[index]));
  }
  return SQLITE_OK;
}

int give_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(cursor_of(base)->row);
  return SQLITE_OK;
}

// No xCreate: the table exists by its module's name alone, and nothing of it is written to the file.
constexpr sqlite3_module batch_module() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = rewind;
  module.xNext = next_row;
  module.xEof = is_past_end;
  module.xColumn = give_cell;
  module.xRowid = give_rowid;
  return module;
}
constexpr sqlite3_module kBatchModule = batch_module();

}  // namespace

void RowBatch::add_real(double value) {
  reals_.back() |= std::uint64_t{1} << next_;
  add(std::bit_cast<std::int64_t>(value));
}

void RowBatch::add_bytes(std::string_view bytes) {
  reals_.back() |= std::uint64_t{1} << next_;
  bytes_columns_ |= std::uint64_t{1} << next_;
  add(static_cast<std::int64_t>(bytes_.size()));
  bytes_.emplace_back(bytes);
}

void RowBatch::add_text(std::string_view text) {
  text_columns_ |= std::uint64_t{1} << next_;
  add_bytes(text);
}

void RowBatch::clear() {
  bytes_.clear();
  cells_.clear();
  nulls_.clear();
  reals_.clear();
}

void BulkInsert::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Result<BulkInsert> BulkInsert::create(sqlite3* database, std::string_view table,
                                      std::span<const std::string_view> columns) {
  if (columns.size() > RowBatch::kMostColumns)
    return fail("too many columns for a bulk insert", std::string(table));
  BulkInsert bulk;
  bulk.batch_ = std::make_unique<RowBatch>(columns.size());
  const std::string source = fmt::format("batch_{}", table);
  std::string list;
  for (const std::string_view column : columns)
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ",", column);
  const std::string sql = fmt::format("INSERT INTO \"{}\"({}) SELECT * FROM \"{}\"", table, list, source);
  sqlite3_stmt* insert = nullptr;
  if (sqlite3_create_module_v2(database, source.c_str(), &kBatchModule, bulk.batch_.get(), nullptr) !=
          SQLITE_OK ||
      sqlite3_prepare_v3(database, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &insert, nullptr) !=
          SQLITE_OK) {
    return fail(fmt::format("cannot write rows ({})", sqlite3_errmsg(database)), std::string(table));
  }
  bulk.insert_.reset(insert);
  return bulk;
}

bool BulkInsert::flush() {
  if (batch_->rows() == 0) return true;
  const int step = sqlite3_step(insert_.get());
  const int reset = sqlite3_reset(insert_.get());
  if (step != SQLITE_DONE || reset != SQLITE_OK) return false;
  batch_->clear();
  return true;
}

}  // namespace gputrace::trace
