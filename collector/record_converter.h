// Turns the records of one spool, block by block, into rows of the trace.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/nvtx_pairing.h"
#include "collector/nvtx_payloads.h"
#include "collector/spool_layout.h"
#include "collector/trace_assembly.h"

namespace gputrace::collector {

// Onto the trace's axis: CUPTI's clock of this process, and CLOCK_REALTIME.
struct AxisOffsets {
  std::int64_t cupti_ns = 0, realtime_ns = 0;
};

// A time on another axis. A spool may hold any number: the sum of two that no clock has wraps instead of being undefined.
inline std::int64_t moved_by(std::int64_t ns, std::int64_t offset_ns) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(ns) + static_cast<std::uint64_t>(offset_ns));
}

class RecordConverter {
 public:
  RecordConverter(TraceAssembly& assembly, std::int64_t pid, AxisOffsets offsets);

  // False: a record's length does not fit in the block; what stands before it is converted.
  bool convert_block(std::uint32_t lane, std::span<const std::uint8_t> payload);
  // Once after the last block. The process is written here, with what its settings said. `begins_let_go`: segments that may
  // hold the begins of ranges were removed.
  void finish(bool begins_let_go);
  const std::string& process_name() const { return process_name_; }  // with its rank, where it has one, after finish()

 private:
  using Bytes = std::span<const std::uint8_t>;
  static constexpr std::uint32_t kMaxIds = 1 << 24;  // per lane; more is damage
  struct Text {
    std::string text;             // until first used as a string of the trace
    trace::FileStringId id = 0;
  };
  struct Lane {
    std::vector<Text> texts;
    std::vector<trace::KernelRow> shapes;
    std::uint64_t global_tid = 0;
    std::string payload;  // of the NVTX event that comes next, if it says this id
    std::uint64_t payload_id = 0;
  };
  using Convert = void (RecordConverter::*)(Lane&, Bytes);
  static const std::array<Convert, 256>& converters();

  void text(Lane& lane, Bytes bytes);
  void thread(Lane& lane, Bytes bytes);
  void thread_name(Lane& lane, Bytes bytes);
  void setting(Lane& lane, Bytes bytes);
  void captured(Lane& lane, Bytes bytes);
  void note(Lane& lane, Bytes bytes);
  void nothing(Lane&, Bytes) {}
  void shape(Lane& lane, Bytes bytes);
  void kernel(Lane& lane, Bytes bytes);
  void copy(Lane& lane, Bytes bytes);
  void fill(Lane& lane, Bytes bytes);
  void synchronization(Lane& lane, Bytes bytes);
  void cuda_event(Lane& lane, Bytes bytes);
  void graph_launch(Lane& lane, Bytes bytes);
  void api_call(Lane& lane, Bytes bytes);
  void overhead(Lane& lane, Bytes bytes);
  void device(Lane& lane, Bytes bytes);
  void context(Lane& lane, Bytes bytes);
  void stream(Lane& lane, Bytes bytes);
  void pcie(Lane& lane, Bytes bytes);
  void nvlink(Lane& lane, Bytes bytes);
  void nvtx_push(Lane& lane, Bytes bytes);
  void nvtx_pop(Lane& lane, Bytes bytes);
  void nvtx_mark(Lane& lane, Bytes bytes);
  void nvtx_start(Lane& lane, Bytes bytes);
  void nvtx_end(Lane& lane, Bytes bytes);
  void nvtx_domain(Lane& lane, Bytes bytes);
  void nvtx_category(Lane& lane, Bytes bytes);
  void nvtx_payload(Lane& lane, Bytes bytes);
  void nvtx_schema(Lane& lane, Bytes bytes);
  void nvtx_schema_entry(Lane& lane, Bytes bytes);
  void nvtx_enum(Lane& lane, Bytes bytes);
  void nvtx_enum_entry(Lane& lane, Bytes bytes);
  void own_time(Lane& lane, Bytes bytes);
  void memory_event(Lane& lane, Bytes bytes);
  void memory_pool_event(Lane& lane, Bytes bytes);
  void unified_memory(Lane& lane, Bytes bytes);
  void environment(Lane& lane, Bytes bytes);
  void jit(Lane& lane, Bytes bytes);
  void external_correlation(Lane& lane, Bytes bytes);

  trace::FileStringId string_of(Lane& lane, std::uint32_t id);
  std::string text_of(const Lane& lane, std::uint32_t id) const;
  trace::NvtxRow nvtx_row(Lane& lane, const spool::NvtxRecord& record, trace::NvtxKind kind);
  std::int64_t nvtx_time(const spool::NvtxRecord& record) const;
  std::string take_payload(Lane& lane, const spool::NvtxRecord& record);
  void add_nvtx(trace::NvtxRow row);
  void finish_payloads();
  void migration(const spool::UnifiedMemoryRecord& record);
  std::int64_t cupti_time(std::uint64_t ns) const { return static_cast<std::int64_t>(ns) + offsets_.cupti_ns; }
  std::uint64_t global_tid(std::uint32_t tid) const { return global_pid_ | (tid & 0xFFFFFF); }
  // False, and counted, where CUPTI could not take the time.
  bool set_queue(trace::DeviceRow& row, std::uint64_t start_ns, std::uint64_t end_ns, const spool::Queue& queue,
                 std::uint32_t correlation);
  // CUPTI names the context alone in some records.
  template <class Row>
  void add_when_device_known(std::vector<Row>& waiting, Row row);

  TraceAssembly& assembly_;
  trace::TraceWriter& writer_;
  std::int64_t pid_;
  std::uint64_t global_pid_;
  AxisOffsets offsets_;
  std::string process_name_;
  std::map<std::string, std::string> ranks_;  // the environment's, by variable
  std::unordered_map<std::uint32_t, Lane> lanes_;
  Lane* lane_ = nullptr;  // of the last block
  std::uint32_t lane_id_ = 0;
  NvtxPairing pairing_;
  NvtxPayloads payloads_;
  std::vector<trace::NvtxRow> waiting_for_schema_;
  std::unordered_map<std::int32_t, std::int32_t> device_of_context_;
  std::vector<trace::SynchronizationRow> waiting_synchronizations_;
  std::vector<trace::CudaEventRow> waiting_events_;
  std::unordered_map<std::uint32_t, trace::FileStringId> domains_;
};

}  // namespace gputrace::collector
