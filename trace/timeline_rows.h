// Rows of a trace from formats that have events on tracks and no tables of their own (timelines, logs, protobuf): checks each
// event, counts what is wrong by kind, and knows in the end what was captured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/row_problems.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct DeviceEvent {
  Span span{};
  std::int32_t device = 0, context = 0, stream = 0;
  std::int64_t correlation = 0;  // 0: unknown
  ProcessIndex process{-1};
};

struct KernelShape {
  Dim3 grid{}, block{};
  std::int32_t registers_per_thread = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::int64_t graph_node = 0;
  std::string_view mangled{};
};

struct CopyFacts {
  std::optional<std::int64_t> bytes{};  // none: the format does not say; counted
  CopyKind kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::unknown, destination = MemoryKind::unknown;
  std::optional<std::int32_t> source_device{}, destination_device{};
};

struct RangeFacts {
  Span span{};  // end kNoEnd: still open
  ThreadIndex thread{-1};
  StringId domain{}, text{}, category{};
  NvtxKind kind = NvtxKind::push_pop;
  std::uint32_t color_argb = 0;
};

// A diagnostic: such copies are 0 bytes in the rows (Copies::has_size()).
inline constexpr const char* kCopiesWithoutSize = "copies whose size was not recorded (in no rate and no sum of bytes)";

class TimelineRows {
 public:
  explicit TimelineRows(Trace& trace) : trace_(trace) {}

  // Each leaves out, and counts, an event whose times or device cannot be used.
  void add_kernel(const DeviceEvent& event, std::string_view name, const KernelShape& shape = {});
  // Names that are strings of the trace already; the shape's own is not looked at.
  void add_kernel(const DeviceEvent& event, StringId name, const KernelShape& shape, StringId mangled);
  void add_copy(const DeviceEvent& event, const CopyFacts& copy);
  void add_fill(const DeviceEvent& event, std::int64_t bytes, MemoryKind memory);
  void add_graph_launch(const DeviceEvent& event, std::int64_t graph, std::int64_t graph_exec);
  void add_synchronization(const DeviceEvent& event, SyncKind kind);
  void add_call(Span span, ThreadIndex thread, StringId name, std::int64_t correlation, ApiClass api);
  void add_overhead(Span span, ThreadIndex thread, StringId name, OverheadKind kind);
  void add_range(const RangeFacts& range);

  RowProblems& kernel_problems() { return kernel_problems_; }
  RowProblems& copy_problems() { return copy_problems_; }
  RowProblems& range_problems() { return range_problems_; }

  // Once, after the last event: what was captured, and what was wrong. Rows are not sorted yet.
  void finish();

 private:
  bool add_device_columns(const DeviceEvent& event, DeviceColumns& columns, RowProblems& problems);

  Trace& trace_;
  std::unordered_map<StringId, StringId> short_names_;
  std::int64_t copies_without_size_ = 0;
  RowProblems kernel_problems_{"kernel events"}, copy_problems_{"copy events"}, fill_problems_{"memset events"}, graph_problems_{"graph launch events"},
      sync_problems_{"synchronization events"}, call_problems_{"API call events"}, overhead_problems_{"overhead events"},
      range_problems_{"range events"};
};

}  // namespace gputrace::trace
