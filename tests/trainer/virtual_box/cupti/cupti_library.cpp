#include "tests/trainer/virtual_box/cupti/cupti_library.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <utility>

namespace virtual_box_test {
namespace {

constexpr std::size_t kLargestRecordBytes = 400;

std::mutex g_lock;
std::condition_variable g_arrived;
std::vector<std::vector<std::uint8_t>> g_records;  // that came in completed buffers; under g_lock
std::size_t g_completed = 0;                       // buffers, under g_lock
decltype(&cuptiActivityGetNextRecord) g_next_record = nullptr;  // found once: Catch's assertions are for the main thread
std::atomic<std::size_t> g_buffer_bytes{1024}, g_max_records{0};

void CUPTIAPI request_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = g_buffer_bytes;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, 4096));
  *max_records = g_max_records;
}

void CUPTIAPI keep_records(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  const std::lock_guard lock(g_lock);
  while (g_next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(record);
    g_records.emplace_back(begin, std::min(begin + kLargestRecordBytes, static_cast<const std::uint8_t*>(buffer) + valid));
  }
  ++g_completed;
  std::free(buffer);
  g_arrived.notify_all();
}

ConnectFunction connect_function(const Library& cupti) {
  const auto connect = reinterpret_cast<ConnectFunction>(dlsym(cupti.handle, kConnectSymbol));
  REQUIRE(connect);
  return connect;
}

}  // namespace

Profiler::Profiler() : cupti(modelled_cupti()) {
  machine.nvlinks = {{{0, 1}, 2, 20.0}};
  machine.pcie.switches = {{8, {1}}};
  sink = connect_function(cupti)(&clock);
  sink->describe(machine);
  g_next_record = OF(cupti, cuptiActivityGetNextRecord);
  give_buffers_of(1024, 0);
  take_records();
  REQUIRE(OF(cupti, cuptiActivityRegisterCallbacks)(request_buffer, keep_records) == CUPTI_SUCCESS);
}

Profiler::~Profiler() {
  OF(cupti, cuptiFinalize)();
  connect_function(cupti)(nullptr);
}

void Profiler::give_buffers_of(std::size_t size_bytes, std::size_t max_records) {
  OF(cupti, cuptiActivityFlushAll)(0);
  g_buffer_bytes = size_bytes;
  g_max_records = max_records;
}

std::size_t Profiler::completed_buffers() const {
  const std::lock_guard lock(g_lock);
  return g_completed;
}

bool Profiler::wait_for_records() {
  std::unique_lock lock(g_lock);
  return g_arrived.wait_for(lock, std::chrono::minutes(2), [] { return !g_records.empty(); });
}

std::vector<std::vector<std::uint8_t>> Profiler::take_records() {
  const std::lock_guard lock(g_lock);
  return std::exchange(g_records, {});
}

}  // namespace virtual_box_test
