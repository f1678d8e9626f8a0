// The parts of reading an nvprof or nvvp database, version 9 to 22. nvprof makes every table, so an empty one
// means "not captured" here. Times are CUPTI's: nanoseconds since 1970.
#pragma once

#include <string>
#include <unordered_map>

#include "trace/table_rows.h"
#include "trace/thread_registry.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct NvprofRead {
  const SqliteFile& file;
  Trace& trace;
  ReadProgress& progress;
  ThreadRegistry threads{trace};
  FileStrings strings{};
  std::unordered_map<std::int64_t, DeviceId> device_of_context{};
  std::unordered_map<std::int64_t, ThreadIndex>
      thread_of_native_id{};  // by pid << 32 | the low half of the pthread_t
};

Result<void> read_nvprof_strings(NvprofRead& read);
Result<void> read_nvprof_machine(NvprofRead& read);        // GPUs, contexts, links, names
Result<void> read_nvprof_api_tables(NvprofRead& read);     // API calls, overheads
Result<void> read_nvprof_device_tables(NvprofRead& read);  // kernels, copies, fills, synchronizations, events
Result<void> read_nvprof_markers(NvprofRead& read);        // NVTX

// nvprof keeps the low half of the pthread_t, which does not fit a global id: threads are numbered as they
// come.
ThreadIndex nvprof_thread(NvprofRead& read, std::int64_t pid, std::int64_t native_id);

template <class Row>
Result<void> for_each_row(NvprofRead& read, std::string_view table, std::span<const std::string_view> columns,
                          Row row) {
  return for_each_row(read.file, read.progress, table, columns, row);
}

// A little-endian number inside a blob; 0 where the blob is too short.
std::uint32_t little_endian(std::string_view blob, std::size_t offset, std::size_t bytes);

}  // namespace gputrace::trace
