// Records made by hand, through the encoder and the lane, into a spool and back as a trace.
#include <array>
#include <cstring>
#include <string>

#include <catch2/catch.hpp>
#include <cupti.h>

#include "collector/guest/activity_encoder.h"
#include "collector/guest/buffer_pool.h"
#include "collector/spool_reader.h"

using namespace gputrace;
using guest::ActivityEncoder;
using guest::CuptiLibrary;
using spool::RecordType;

namespace {

struct Encoding {
  guest::BufferPool pool;
  guest::LaneServices services;
  CuptiLibrary cupti;
  guest::Lane lane{services, 1, 100, 100'000};
  ActivityEncoder encoder{cupti, lane, {}};

  explicit Encoding(std::size_t pool_bytes = 1 << 20) {
    REQUIRE(pool.create(pool_bytes, guest::kBlockBytes));
    services.blocks = &pool;
    services.recording = true;
    services.block_is_full = [](void*) noexcept {};
    cupti.callback_name = [](std::uint32_t domain, std::uint32_t id, const char** name) -> std::uint32_t {
      *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaRuntime" : "cuDriver";
      return id == 1000 ? 1U : 0U;
    };
  }

  // All records of a type, each as long as R.
  template <class R>
  std::vector<R> take(RecordType type) {
    lane.drain(true, [&](const std::uint8_t* data, std::uint32_t bytes) {
      CHECK(collector::for_each_record(
          {data, bytes}, [&](const spool::RecordHeader& header, std::span<const std::uint8_t> record) {
            taken.emplace_back(header, std::vector<std::uint8_t>(record.begin(), record.end()));
          }));
    });
    std::vector<R> found;
    for (const auto& [header, record] : taken) {
      if (header.type == type) found.push_back(collector::record_as<R>(record));
    }
    return found;
  }
  std::vector<std::pair<spool::RecordHeader, std::vector<std::uint8_t>>> taken;
};

CUpti_ActivityKernel10 kernel(const char* name, std::uint64_t start, std::uint64_t end) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.start = start;
  record.end = end;
  record.deviceId = 1;
  record.streamId = 7;
  record.gridX = 10;
  record.correlationId = 99;
  record.clusterX = 2;
  return record;
}

template <class R>
void encode(Encoding& encoding, const R& record, std::uint32_t bytes = sizeof(R)) {
  encoding.encoder.encode(reinterpret_cast<const std::uint8_t*>(&record), bytes);
}

}  // namespace

TEST_CASE("Launches of one shape share it, and a kernel takes 32 bytes") {
  Encoding e;
  encode(e, kernel("a", 100, 150));
  encode(e, kernel("a", 200, 260));
  encode(e, kernel("b", 300, 310));
  const auto kernels = e.take<spool::KernelRecord>(RecordType::kernel);
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].header.id == kernels[1].header.id);
  CHECK(kernels[0].header.id != kernels[2].header.id);
  CHECK(kernels[1].start_ns == 200);
  CHECK(kernels[1].duration_ns == 60);
  CHECK(kernels[1].correlation == 99);
  for (const auto& k : kernels) CHECK(k.header.words * 8 == 32);
  const auto shapes = e.take<spool::ShapeRecord>(RecordType::shape);
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].device == 1);
  CHECK(shapes[0].grid[0] == 10);
  CHECK(shapes[0].cluster[0] == 2);
}

TEST_CASE("A kernel in a graph takes 40 bytes; one of more than 4.29 s keeps its end") {
  Encoding e;
  auto in_graph = kernel("a", 100, 150);
  in_graph.graphNodeId = 5;
  in_graph.graphId = 2;
  encode(e, in_graph);
  encode(e, kernel("a", 100, 100 + std::uint64_t{UINT32_MAX}));
  encode(e, kernel("a", 100, 101 + std::uint64_t{UINT32_MAX}));
  const auto kernels = e.take<spool::KernelRecord>(RecordType::kernel);
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].header.words * 8 == 40);
  CHECK(kernels[0].graph_node == 5);
  CHECK(kernels[1].header.words * 8 == 32);
  CHECK(kernels[1].duration_ns == UINT32_MAX);
  CHECK(kernels[2].end_ns == 101 + std::uint64_t{UINT32_MAX});
}

TEST_CASE("A record of an older CUPTI is read only as far as it goes") {
  Encoding e;
  // Bytes beyond the old record's end belong to the next record: they must not leak into this one.
  std::array<std::uint8_t, 2 * sizeof(CUpti_ActivityKernel10)> buffer;
  buffer.fill(0xEE);
  const auto record = kernel("a", 100, 150);
  constexpr std::uint32_t kOldBytes = offsetof(CUpti_ActivityKernel10, clusterX);
  std::memcpy(buffer.data(), &record, kOldBytes);
  e.encoder.encode(buffer.data(), kOldBytes);
  const auto shapes = e.take<spool::ShapeRecord>(RecordType::shape);
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].cluster[0] == 0);
  CHECK(shapes[0].local_bytes_total == 0);

  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.start = 5, wait.end = 6;
  wait.cudaEventSyncId = 77;
  encode(e, wait, 40);  // as it was up to CUDA 12.8
  CHECK(e.take<spool::SynchronizationRecord>(RecordType::synchronization).at(0).event_sync == 0);
}

TEST_CASE("A kernel's name is copied, and checked when its address comes again") {
  Encoding e;
  std::string name = "first";
  encode(e, kernel(name.c_str(), 100, 150));
  name.replace(0, 5, "other");  // a module went, another came to the same place
  encode(e, kernel(name.c_str(), 200, 250));
  const auto shapes = e.take<spool::ShapeRecord>(RecordType::shape);
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].name != shapes[1].name);
}

TEST_CASE("A kernel name of half a megabyte passes in pieces") {
  Encoding e(4 << 20);
  const std::string name(spool::kMaxTextBytes + 10, 'x');
  encode(e, kernel(name.c_str(), 100, 150));
  std::size_t bytes = 0;
  for (const auto& piece : e.take<spool::TextRecord>(RecordType::text)) {
    CHECK(piece.offset == bytes);
    bytes += piece.piece_bytes;
  }
  CHECK(bytes == spool::kMaxTextBytes);
}

TEST_CASE("API calls carry their function's name once") {
  Encoding e;
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = 211;
  call.threadId = 42;
  encode(e, call), encode(e, call);
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  encode(e, call);
  call.cbid = 1000;  // CUPTI has no name for it
  encode(e, call);
  const auto calls = e.take<spool::ApiCallRecord>(RecordType::api_call);
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].name == calls[1].name);
  CHECK(calls[0].name != calls[2].name);
  CHECK(calls[2].header.flags == spool::kDriver);
  CHECK(calls[3].name == 0);
  CHECK(calls[0].tid == 42);
  CHECK(e.take<spool::TextRecord>(RecordType::text).size() == 2);
}

TEST_CASE("Without a free block records are counted, and later ones are whole again") {
  Encoding e(guest::kBlockBytes);  // one block
  for (int i = 0; i < 2000; ++i) encode(e, kernel("a", 100, 150));
  const std::uint64_t dropped = e.services.dropped_no_buffer;
  const auto kept = e.take<spool::KernelRecord>(RecordType::kernel).size();
  CHECK(dropped > 0);
  CHECK(kept + dropped == 2000);
}

TEST_CASE("A shape that found no room is written with the next launch") {
  Encoding e(2 * guest::kBlockBytes);
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  while (e.services.dropped_no_buffer == 0) encode(e, fill);  // both blocks are full
  encode(e, kernel("a", 1, 2));
  CHECK(e.take<spool::KernelRecord>(RecordType::kernel).empty());  // and gives the first block back
  encode(e, kernel("a", 3, 4));
  const auto kernels = e.take<spool::KernelRecord>(RecordType::kernel);
  REQUIRE(kernels.size() == 1);
  const auto shapes = e.take<spool::ShapeRecord>(RecordType::shape);
  REQUIRE(shapes.size() == 1);
  CHECK(kernels[0].header.id == shapes[0].header.id);
  CHECK(shapes[0].name == e.take<spool::TextRecord>(RecordType::text).at(0).header.id);
}

TEST_CASE("A program whose every launch differs does not fill memory") {
  Encoding e(64 << 20);
  std::uint32_t last_id = 0;
  for (int i = 0; i < 70'000; ++i) {
    auto record = kernel("a", 100, 150);
    record.gridX = i;
    encode(e, record);
    if (i % 1000 == 0) last_id = e.take<spool::ShapeRecord>(RecordType::shape).back().header.id, e.taken.clear();
  }
  CHECK(last_id == 69'001);  // ids count on when the dictionary starts anew
  CHECK(e.services.dropped_no_buffer == 0);
}

TEST_CASE("Records of unknown kinds and null names do no harm") {
  Encoding e;
  CUpti_Activity unknown{};
  for (const std::uint32_t kind : {0U, 63U, 64U, 1'000'000U}) {
    unknown.kind = static_cast<CUpti_ActivityKind>(kind);
    encode(e, unknown);
  }
  encode(e, kernel(nullptr, 1, 2));
  encode(e, kernel("", 1, 2));
  CHECK(e.take<spool::KernelRecord>(RecordType::kernel).size() == 2);
}

TEST_CASE("Memory, unified memory, clocks, compilations and external ids are read as CUPTI lays them out") {
  Encoding e;
  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.correlationId = 7, memory.address = 1, memory.bytes = 2, memory.timestamp = 3, memory.PC = 4;
  memory.deviceId = 5, memory.contextId = 6, memory.streamId = 8, memory.name = "w";
  memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED;
  memory.memoryPoolConfig.pool.processId = 99;
  encode(e, memory);
  const auto event = e.take<spool::MemoryEventRecord>(RecordType::memory_event).at(0);
  CHECK(event.header.id == 7);
  CHECK(event.header.flags == 2);
  CHECK(std::array{event.address, event.bytes, event.time_ns, event.program_counter} == std::array<std::uint64_t, 4>{1, 2, 3, 4});
  CHECK(event.queue.stream == 8);
  CHECK(event.name != 0);
  CHECK(event.pool_size_or_pid == 99);

  CUpti_ActivityMemoryPool3 pool{};
  pool.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  pool.minBytesToKeep = 11, pool.utilizedSize = 12, pool.timestamp = 13;
  encode(e, pool);
  CHECK(e.take<spool::MemoryPoolRecord>(RecordType::memory_pool_event).at(0).bytes_to_keep == 11);
  CHECK(e.take<spool::MemoryPoolRecord>(RecordType::memory_pool_event).at(0).utilized_bytes == 12);

  CUpti_ActivityUnifiedMemoryCounter3 unified{};
  unified.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
  unified.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  unified.value = 21, unified.srcId = 22, unified.flags = 4, unified.processors[0] = 1;
  encode(e, unified);
  const auto moved = e.take<spool::UnifiedMemoryRecord>(RecordType::unified_memory).at(0);
  CHECK(moved.value == 21);
  CHECK(moved.source == 22);
  CHECK(moved.detail == 4);

  CUpti_ActivityEnvironment sample{};
  sample.kind = CUPTI_ACTIVITY_KIND_ENVIRONMENT;
  sample.deviceId = 3;
  sample.environmentKind = CUPTI_ACTIVITY_ENVIRONMENT_POWER;
  sample.data.power.power = 31, sample.data.power.powerLimit = 32;
  encode(e, sample);
  const auto power = e.take<spool::EnvironmentRecord>(RecordType::environment).at(0);
  CHECK(power.header.id == 3);
  CHECK(power.values[1] == 32);

  CUpti_ActivityJit2 jit{};
  jit.kind = CUPTI_ACTIVITY_KIND_JIT;
  jit.jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD;
  jit.threadId = 41, jit.cacheSize = 42;
  encode(e, jit);
  CHECK(e.take<spool::JitRecord>(RecordType::jit).at(0).tid == 41);

  CUpti_ActivityExternalCorrelation external{};
  external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  external.externalId = std::uint64_t{1} << 40, external.correlationId = 51;
  encode(e, external);
  CHECK(e.take<spool::ExternalCorrelationRecord>(RecordType::external_correlation).at(0).external_id == std::uint64_t{1} << 40);
}

TEST_CASE("Shorter records of older CUPTIs leave what they lack at 0, for the newer kinds too") {
  Encoding e;
  // CUDA 11's Jit, UnifiedMemoryCounter2 and Memory3 end before these members; what follows belongs to the next record.
  CUpti_ActivityJit2 jit;
  std::memset(&jit, 0xFF, sizeof jit);
  jit.kind = CUPTI_ACTIVITY_KIND_JIT;
  jit.cachePath = nullptr;
  jit.end = jit.start = 1;
  encode(e, jit, offsetof(CUpti_ActivityJit2, processId));
  CHECK(e.take<spool::JitRecord>(RecordType::jit).at(0).tid == 0);
  CUpti_ActivityMemory4 memory;
  std::memset(&memory, 0xFF, sizeof memory);
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  encode(e, memory, offsetof(CUpti_ActivityMemory4, name));
  const auto event = e.take<spool::MemoryEventRecord>(RecordType::memory_event).at(0);
  CHECK(event.name == 0);
  CHECK(event.pool_type == 0);
  CHECK(event.queue.device == UINT32_MAX);
}
