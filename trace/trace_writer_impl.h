// What the parts of TraceWriter share.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace_database.h"
#include "trace/trace_writer.h"

namespace gputrace::trace {

struct TraceWriter::Impl {
  explicit Impl(UnfinishedFile file) : database(std::move(file)) {}

  TraceDatabase database;
  std::vector<std::string> gpu_keys;  // of the GPUs written, by TARGET_INFO_GPU.id
  std::set<std::int32_t> metric_devices;  // whose metrics have their names

  RowBatch* batch(Table table) {
    if (!database.is_declared(table)) declare(table);
    return database.batch(table);
  }
  RowBatch* batch(FileTable table) {
    if (!database.is_declared(table)) declare(table);
    return database.batch(table);
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
