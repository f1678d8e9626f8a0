// The spool: what the library inside a traced process writes, one file per process, and the converter reads.
//
//   file   := FileHeader (4096 bytes, rewritten in place) block*
//   block  := BlockHeader payload                       payload_bytes is a multiple of 8
//   payload:= record*                                   each starts with RecordHeader and is `words` * 8 bytes long
//
// Where only the newest part is kept (record --keep), events go to segments beside it, NAME.spool.N from N = 0, files of the
// same form; the oldest are removed. The spool itself then holds what events refer to, and is read first.
//
// Everything is little-endian and fixed-size. A record may be shorter than its struct (the rest is then 0) or longer
// (a newer writer: the rest is skipped). Ids of strings and shapes count up from 1 within a lane; 0 is none. A lane
// is one writer of records (a thread, or the callbacks of CUPTI); its blocks stand in the file in the order written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gputrace::spool {

inline constexpr std::uint64_t kFileMagic = 0x4C4F4F5053545047;  // "GPTSPOOL"
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::uint32_t kBlockMagic = 0x4B425447;         // "GTBK"
inline constexpr std::uint32_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kMaxPayloadBytes = 1 << 20;
inline constexpr std::uint32_t kMaxTextBytes = 512 << 10;        // longer names are cut
inline constexpr const char* kSuffix = ".spool";

enum class State : std::uint32_t { recording = 1, finished = 2, write_failed = 3 };

// Rewritten at each flush, so that a killed process leaves its counters too. Its checksum covers what stands before it.
struct FileHeader {
  std::uint64_t magic = kFileMagic;
  std::uint32_t version = kVersion;
  State state = State::recording;
  std::int32_t pid = 0, parent_pid = 0;
  std::int32_t write_errno = 0;        // state write_failed: why
  std::uint32_t capture_limited = 0;   // 1: only what lies in the capture windows is kept
  std::int64_t start_realtime_ns = 0;  // CLOCK_REALTIME when recording began
  std::int64_t flushed_realtime_ns = 0;  // what was handed over before is in the file
  std::uint64_t dropped_by_cupti = 0;  // records that CUPTI itself dropped
  std::uint64_t dropped_no_buffer = 0; // records that found no free block
  std::uint64_t dropped_write_failed = 0;  // records in blocks that could not be written
  std::uint64_t refused_cupti_buffers = 0;  // requests of CUPTI that found no free buffer
  std::uint64_t flush_period_ms = 0;
  std::uint64_t events = 0;              // written up to now, those let go included
  std::uint64_t capture_windows = 0;     // that opened
  std::uint64_t cut_events = 0;          // outside of them, so not kept
  std::uint64_t let_go_events = 0;       // in segments that were removed to keep the limit
  std::int64_t let_go_until_realtime_ns = 0;
  char switched_off_in[32] = {};       // the entry point whose internal error ended the recording, or ""
  std::uint64_t checksum = 0;
};

// A process that could not create its spool says so in a datagram to the socket that `record` has given it.
struct Notice {
  std::int32_t pid = 0, error = 0;  // errno
};

struct BlockHeader {
  std::uint32_t magic = kBlockMagic;
  std::uint32_t payload_bytes = 0;
  std::uint32_t lane = 0;
  std::uint32_t sequence = 0;  // counts all blocks of the file from 0
  std::uint64_t checksum = 0;  // of the 16 bytes before it, then of the payload: checksum.h
};

enum class RecordType : std::uint8_t {
  text = 1,
  thread = 2,
  thread_name = 3,
  clock = 4,
  setting = 5,
  captured = 6,
  note = 7,
  shape = 16,
  kernel = 17,
  copy = 18,
  fill = 19,
  synchronization = 20,
  cuda_event = 21,
  graph_launch = 22,
  api_call = 23,
  overhead = 24,
  device = 25,
  context = 26,
  stream = 27,
  pcie = 28,
  nvlink = 29,
  own_time = 30,
  memory_event = 31,
  memory_pool_event = 32,
  unified_memory = 33,
  environment = 34,
  jit = 35,
  external_correlation = 36,
  nvtx_push = 40,
  nvtx_pop = 41,
  nvtx_mark = 42,
  nvtx_start = 43,
  nvtx_end = 44,
  nvtx_domain = 45,
  nvtx_category = 46,
  nvtx_payload = 47,
  nvtx_schema = 48,
  nvtx_schema_entry = 49,
  nvtx_enum = 50,
  nvtx_enum_entry = 51,
};

// Not the names, settings and descriptions that come with the events.
constexpr bool is_event(RecordType type) {
  return (type >= RecordType::kernel && type <= RecordType::overhead) ||
         (type >= RecordType::own_time && type <= RecordType::external_correlation) ||
         (type >= RecordType::nvtx_push && type <= RecordType::nvtx_end) || type == RecordType::nvtx_payload;
}

struct RecordHeader {
  RecordType type{};
  std::uint8_t flags = 0;   // per type
  std::uint16_t words = 0;  // length of the record / 8
  std::uint32_t id = 0;     // per type
};

// A text comes in pieces: `offset` is where this piece stands in the whole. The text follows, padded with 0.
struct TextRecord {
  RecordHeader header;  // id: of the string, in this lane
  std::uint32_t offset = 0, piece_bytes = 0;
};
inline constexpr std::uint32_t kMaxPieceBytes = 8 << 10;

struct ThreadRecord { RecordHeader header; };      // id: the thread whose records follow in this lane
inline constexpr std::uint8_t kSameThread = 1;     // flags: the lane's thread is as before; said anew in a segment
struct ThreadNameRecord { RecordHeader header; std::uint32_t text = 0, tid = 0; };  // header.id unused

inline constexpr std::int64_t kSameClockNs = 1000;  // two readings in a row differ by less

// CUPTI's clock may be another than CLOCK_REALTIME. Records with kRealtime in their flags were taken on the latter.
struct ClockRecord { RecordHeader header; std::int64_t realtime_ns = 0, cupti_ns = 0; };
inline constexpr std::uint8_t kRealtime = 0x80;

struct SettingRecord { RecordHeader header; std::uint32_t key = 0, value = 0; };  // texts; header.flags: SettingKind
enum class SettingKind : std::uint8_t { process = 0, provider = 1 };              // provider: what CUPTI says of itself

// header.id: CUpti_ActivityKind, kNvtxKind or kPageFaultsKind; status: CUPTI's result of enabling it, 0 is enabled.
struct CapturedRecord { RecordHeader header; std::uint32_t status = 0, record_bytes = 0; };
inline constexpr std::uint32_t kNvtxKind = 0xFFFF;
inline constexpr std::uint32_t kPageFaultsKind = 0xFFFE;  // those of unified memory, which come with its counters

struct NoteRecord { RecordHeader header; };  // id: text, for people: why something could not be recorded

// What launches of one kernel have in common. header.id: the shape's id.
struct ShapeRecord {
  RecordHeader header;
  std::uint32_t name = 0;  // text, mangled
  std::uint32_t device = 0, context = 0, stream = 0;
  std::int32_t grid[3] = {}, block[3] = {};
  std::uint32_t registers_per_thread = 0;
  std::int32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0, shared_bytes_executed = 0, graph = 0;
  std::uint32_t cluster[3] = {};
  std::uint16_t launch_type = 0, cache_config = 0;
  std::uint64_t local_bytes_total = 0;
};

// 32 bytes; 40 in a CUDA graph; 48 where it took longer than 4.29 s. header.id: shape.
struct KernelRecord {
  RecordHeader header;
  std::uint64_t start_ns = 0;
  std::uint32_t duration_ns = 0, correlation = 0;
  std::int64_t grid_id = 0;
  std::uint64_t graph_node = 0;
  std::uint64_t end_ns = 0;  // 0: start_ns + duration_ns
};

struct Queue { std::uint32_t device = 0, context = 0, stream = 0; };

// header.id: correlation, in each of these.
struct CopyRecord {
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0, bytes = 0;
  Queue queue;
  std::uint8_t kind = 0, source_memory = 0, destination_memory = 0, peer = 0;  // numbered by CUPTI
  std::uint64_t graph_node = 0;
  std::uint32_t source_device = 0, source_context = 0, destination_device = 0, destination_context = 0;  // if peer
};
struct FillRecord {
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0, bytes = 0;
  Queue queue;
  std::uint32_t value = 0;
  std::uint64_t memory = 0, graph_node = 0;
};
struct SynchronizationRecord {
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t context = 0, stream = 0, type = 0, event = 0;
  std::uint64_t event_sync = 0;
};
struct CudaEventRecord {  // flags: kHasDevice
  RecordHeader header;
  std::uint64_t timestamp_ns = 0, event_sync = 0;
  Queue queue;
  std::uint32_t event = 0;
};
inline constexpr std::uint8_t kHasDevice = 1;
struct GraphLaunchRecord {
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0;
  Queue queue;
  std::uint32_t graph = 0;
};
struct ApiCallRecord {  // flags: kDriver
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t tid = 0, name = 0;  // name: text
  std::uint32_t return_value = 0, reserved = 0;
};
inline constexpr std::uint8_t kDriver = 1;
struct OverheadRecord {
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t kind = 0, tid = 0;
};

// What recording itself took of a thread; header.id: OwnWork. flags: kRealtime.
struct OwnTimeRecord {
  RecordHeader header;
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t tid = 0, reserved = 0;
};
enum class OwnWork : std::uint32_t { buffer = 1, flush = 2, writing = 3 };

struct MemoryEventRecord {  // header.id: correlation; flags: CUpti_ActivityMemoryOperationType
  RecordHeader header;
  std::uint64_t time_ns = 0, address = 0, bytes = 0, program_counter = 0;
  Queue queue;
  std::uint32_t memory = 0, name = 0, pool_type = 0;  // name: text
  std::uint64_t pool_address = 0, pool_release_threshold = 0, pool_utilized_bytes = 0;
  std::uint64_t pool_size_or_pid = 0;  // of a local pool its bytes, of an imported one the process it is from
};
struct MemoryPoolRecord {  // header.id: correlation; flags: CUpti_ActivityMemoryPoolOperationType
  RecordHeader header;
  std::uint64_t time_ns = 0, address = 0, bytes = 0, release_threshold = 0, utilized_bytes = 0, bytes_to_keep = 0;
  std::uint32_t device = 0, type = 0;
};
struct UnifiedMemoryRecord {  // flags: CUpti_ActivityUnifiedMemoryCounterKind
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0, value = 0, address = 0;
  std::uint32_t source = 0, destination = 0, stream = 0, detail = 0;  // detail: migration cause or access type, by kind
};
struct EnvironmentRecord {  // header.id: device; flags: CUpti_ActivityEnvironmentKind, which says what the values are
  RecordHeader header;
  std::uint64_t time_ns = 0;
  std::uint32_t values[6] = {};
};
struct JitRecord {  // header.id: correlation; flags: CUpti_ActivityJitOperationType
  RecordHeader header;
  std::uint64_t start_ns = 0, end_ns = 0, cache_bytes = 0;
  std::uint32_t entry = 0, device = 0, tid = 0, path = 0;  // path: text
};
struct ExternalCorrelationRecord {  // header.id: correlation; flags: CUpti_ExternalCorrelationKind
  RecordHeader header;
  std::uint64_t external_id = 0;
};

struct DeviceRecord {  // id: device
  RecordHeader header;
  std::uint64_t memory_bytes = 0, bandwidth_kb_per_s = 0;
  std::uint32_t name = 0, clock_khz = 0;
  std::uint32_t sm_count = 0, compute_major = 0, compute_minor = 0, max_warps_per_sm = 0, threads_per_warp = 0;
  std::uint32_t max_blocks_per_sm = 0, registers_per_sm = 0, shared_bytes_per_sm = 0, copy_engines = 0;
  std::uint32_t reserved = 0;
  std::uint8_t uuid[16] = {};
};
struct ContextRecord { RecordHeader header; std::uint32_t device = 0, null_stream = 0; };   // id: context
struct StreamRecord {  // id: stream
  RecordHeader header;
  std::uint32_t context = 0, priority = 0, flag = 0, reserved = 0;
};
struct PcieRecord {  // id: device or bridge
  RecordHeader header;
  std::uint32_t bridge = 0, domain = 0;
  std::uint16_t generation = 0, rate = 0, width = 0, upstream_bus = 0;
  std::uint32_t secondary_bus = 0, reserved = 0;
};
struct NvlinkRecord {
  RecordHeader header;
  std::uint32_t version = 0, count = 0;
  std::uint32_t type[2] = {};       // CUpti_DevType
  std::uint8_t end[2][16] = {};     // UUID of the GPU, or index and domain of an NPU
  std::uint64_t bandwidth_kb_per_s = 0;
};

// Events: id is the text. A pop and an end carry no text.
struct NvtxRecord {
  RecordHeader header;
  std::int64_t time_ns = 0;
  std::uint16_t domain = 0, level = 0;  // level: depth in this domain's stack of this thread, from 0
  std::uint32_t category = 0;
  std::uint64_t range = 0;              // start/end
  std::uint32_t color_argb = 0, payload_type = 0;  // nvtxPayloadType_t; 0: none. A colour is present where kHasColor
  std::uint64_t payload = 0;
};
inline constexpr std::uint8_t kHasColor = 1;
inline constexpr std::uint16_t kNoLevel = 0xFFFF;  // a pop without a push
struct NvtxDomainRecord { RecordHeader header; std::uint32_t text = 0, reserved = 0; };             // id: domain
struct NvtxCategoryRecord { RecordHeader header; std::uint32_t category = 0, text = 0; };           // id: domain

// Data that events refer to: payload_type kPayloadAttached, and the id of these records, which stand before the event in its
// lane, as its payload. The bytes follow, padded with 0.
struct NvtxPayloadRecord {
  RecordHeader header;
  std::uint64_t schema = 0;
  std::uint32_t domain = 0, payload_bytes = 0;
};
inline constexpr std::uint32_t kPayloadAttached = 0xDFBD0009;  // NVTX_PAYLOAD_TYPE_EXT
inline constexpr std::uint32_t kMaxPayloadDataBytes = 4096;

// As the program registered them, header.id: domain. Each entry names its schema or enumeration.
struct NvtxSchemaRecord {
  RecordHeader header;
  std::uint64_t schema = 0, type = 0, flags = 0, payload_bytes = 0, alignment = 0;
  std::uint32_t name = 0, entries = 0;  // name: text
};
struct NvtxSchemaEntryRecord {
  RecordHeader header;
  std::uint64_t schema = 0, type = 0, flags = 0, array_or_union_detail = 0, offset = 0;
  std::uint32_t index = 0, name = 0, description = 0, reserved = 0;  // texts
};
struct NvtxEnumRecord {
  RecordHeader header;
  std::uint64_t schema = 0, value_bytes = 0;
  std::uint32_t name = 0, entries = 0;
};
struct NvtxEnumEntryRecord {
  RecordHeader header;
  std::uint64_t schema = 0, value = 0;
  std::uint32_t index = 0, name = 0, is_flag = 0, reserved = 0;
};

static_assert(sizeof(OwnTimeRecord) == 32 && sizeof(MemoryEventRecord) == 96 && sizeof(MemoryPoolRecord) == 64);
static_assert(sizeof(UnifiedMemoryRecord) == 56 && sizeof(EnvironmentRecord) == 40 && sizeof(JitRecord) == 48);
static_assert(sizeof(ExternalCorrelationRecord) == 16 && sizeof(NvtxPayloadRecord) == 24 && sizeof(NvtxSchemaRecord) == 56);
static_assert(sizeof(NvtxSchemaEntryRecord) == 64 && sizeof(NvtxEnumRecord) == 32 && sizeof(NvtxEnumEntryRecord) == 40);
static_assert(sizeof(FileHeader) % 8 == 0 && sizeof(BlockHeader) == 24 && sizeof(RecordHeader) == 8);
static_assert(sizeof(TextRecord) == 16 && sizeof(ShapeRecord) == 96 && sizeof(KernelRecord) == 48);
static_assert(sizeof(CopyRecord) == 72 && sizeof(FillRecord) == 64 && sizeof(ApiCallRecord) == 40);
static_assert(sizeof(SynchronizationRecord) == 48 && sizeof(CudaEventRecord) == 40 && sizeof(GraphLaunchRecord) == 40);
static_assert(sizeof(DeviceRecord) == 88 && sizeof(PcieRecord) == 32 && sizeof(NvlinkRecord) == 64);
static_assert(sizeof(NvtxRecord) == 48 && sizeof(OverheadRecord) == 32 && offsetof(NvtxRecord, range) == 24);

}  // namespace gputrace::spool
