// Writes a trace file: Nsight Systems' table and column names plus GPUTRACE_*. The file appears under its final name only
// when finish() succeeds; until then, and after a failure, the name is untouched.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "trace/result.h"
#include "trace/recorder_rows.h"
#include "trace/rows.h"

namespace gputrace::trace {

class TraceWriter {
 public:
  // Fails where the folder cannot be written, or the file exists and `overwrite` is false.
  static Result<TraceWriter> create(const std::filesystem::path& path, bool overwrite);
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();  // removes the unfinished file

  FileStringId intern(std::string_view text);

  // Declares a table captured: it is created even if no row follows. Adding a row declares its table.
  void declare(Table table);
  void declare(FileTable table);

  // Rows in any order; a full batch is written in bulk. A failure (disk full) is kept and returned by finish().
  void add(const KernelRow& row);
  void add(const CopyRow& row);
  void add(const FillRow& row);
  void add(const SynchronizationRow& row);
  void add(const CudaEventRow& row);
  void add(const GraphLaunchRow& row);
  void add(const ApiCallRow& row);
  void add(const OverheadRow& row);
  void add(const NvtxRow& row);
  void add(const GpuRow& row);
  void add(const StreamRow& row);
  void add(const ContextRow& row);
  void add(const Link& row);
  void add(const Process& row);
  void add(const Thread& row);  // ThreadNames
  void add(const OpPlacement& row);
  void add(const ClockAlignment& row, std::uint64_t global_pid);
  void add(const Diagnostic& row);  // GPUTRACE_DIAGNOSTIC
  void add(const MemoryUsageRow& row);
  void add(const MemoryPoolRow& row);
  void add(const CpuPageFaultRow& row);
  void add(const GpuPageFaultRow& row);
  void add(const GpuMetricRow& row);
  void add(const JitRow& row);
  void add(const ExternalCorrelationRow& row);
  void add(const CounterRow& row);
  void add(const NvtxSchema& schema);
  void add(const NvtxEnum& enumeration);

  // META_DATA_CAPTURE name and value, besides what `metadata` gives.
  void capture_setting(std::string_view name, std::string_view value);

  // Another writer of the same file, for another thread; at most eight. Its rows are in the file after its finish_part(), which must
  // come before the whole's finish(). Ids of strings are the same for all.
  TraceWriter part();
  void finish_part();

  [[nodiscard]] Result<void> finish(const Metadata& metadata);

 private:
  void add_recorder_time(const OverheadRow& row);

  struct Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gputrace::trace
