// What the parts of TraceWriter share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/bulk_tables.h"
#include "trace/trace_database.h"
#include "trace/trace_writer.h"

namespace gputrace::trace {

// Columns that a batch fills, in the order of the table and of add(); none for tables of few rows.
std::span<const std::string_view> batch_columns(Table table);
std::span<const std::string_view> batch_columns(FileTable table);

struct TraceWriter::Impl {
  Impl(std::shared_ptr<TraceDatabase> its_database, std::string schema)
      : shared(std::move(its_database)), database(*shared), bulk(database, std::move(schema)) {}

  std::shared_ptr<TraceDatabase> shared;  // by a writer and its parts
  TraceDatabase& database;
  BulkTables bulk;
  std::atomic<int> parts{0};  // that were made
  std::vector<std::string> gpu_keys;  // of the GPUs written, by TARGET_INFO_GPU.id
  std::set<std::int32_t> metric_devices;  // whose metrics have their names
  std::array<bool, static_cast<std::size_t>(Table::count)> declared{};  // by this writer
  std::array<bool, static_cast<std::size_t>(FileTable::count)> file_declared{};

  RowBatch* batch(Table table) {
    if (!std::exchange(declared[static_cast<std::size_t>(table)], true)) declare(table);
    return bulk.batch(table, batch_columns(table));
  }
  RowBatch* batch(FileTable table) {
    if (!std::exchange(file_declared[static_cast<std::size_t>(table)], true)) declare(table);
    return bulk.batch(table, batch_columns(table));
  }

  void declare(Table table);
  void declare(FileTable table);

  // The id in TARGET_INFO_GPU; the row is written when the GPU is new. Its CUDA ordinal is taken where it is
  // free, since many scripts join a kernel's deviceId with it.
  std::int64_t gpu_id(const Gpu& gpu);
  void write_gpu(std::int64_t id, const Gpu& gpu);
  void write_metadata(const Metadata& metadata);
  std::string captured_tables() const;
};

template <class Number>
void add_optional(RowBatch& batch, const std::optional<Number>& value) {
  if (value)
    batch.add(static_cast<std::int64_t>(*value));
  else
    batch.add_null();
}

// 0 means "none" in our rows, and NULL does in the file: a 0 there would join with other zeros.
inline void add_or_null(RowBatch& batch, std::int64_t value) {
  if (value != 0)
    batch.add(value);
  else
    batch.add_null();
}

}  // namespace gputrace::trace
