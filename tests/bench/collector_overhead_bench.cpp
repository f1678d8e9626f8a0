// LINKS: gputrace_guest_code CudaHeaders::cupti CudaHeaders::nvtx Threads::Threads
// What recording costs the traced process: ns per CUPTI record (limit 100), ns per NVTX push and pop, bytes per
// kernel record (limit 40).
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <nvtx3/nvToolsExt.h>

#include "collector/guest/activity_encoder.h"
#include "collector/guest/session.h"
#include "tests/bench/collector_records.h"

using namespace gputrace;

namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Encodes all buffers in the session's lane; ns of this thread's CPU per record.
double encode_ns(guest::ActivityEncoder& encoder, bench::Buffers& made) {
  const double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (auto& buffer : made.buffers) encoder.encode_buffer(buffer.data(), buffer.size());
  return (seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / static_cast<double>(made.records);
}

double spool_bytes(const std::filesystem::path& folder) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += static_cast<double>(entry.file_size());
  return bytes;
}

double nvtx_ns() {
  constexpr int kPairs = 200'000;
  const double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < kPairs; ++i) {
    nvtxRangePushA("forward pass of a layer");
    nvtxRangePop();
  }
  return (seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / kPairs;
}

void print(const char* what, double value, double limit) {
  std::printf("%-46s %8.1f  limit %6.1f  %s\n", what, value, limit, value <= limit ? "ok" : "OVER");
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t launches = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 500'000;
  std::string folder = (std::filesystem::temp_directory_path() / "gputrace-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  bench::Buffers made = bench::make_buffers(launches);

  guest::Options options;
  options.spool_directory = folder;
  options.buffer_bytes = std::size_t{512} << 20;  // nothing is dropped, however slow this machine's disk
  guest::Session* session = guest::Session::begin(options);
  guest::Lane* lane = session != nullptr ? session->new_lane(65536, 16 << 20) : nullptr;
  if (lane == nullptr) return 1;
  const guest::CuptiLibrary cupti = bench::record_provider();
  std::array<std::uint32_t, guest::kMaxActivityKinds> bytes{};
  bytes[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = sizeof(CUpti_ActivityKernel10);
  bytes[CUPTI_ACTIVITY_KIND_RUNTIME] = sizeof(CUpti_ActivityAPI);
  guest::ActivityEncoder encoder(cupti, *lane, bytes);

  const double record_ns = encode_ns(encoder, made);
  print("ns per CUPTI record (encode, host's CPU)", record_ns, 100);
  constexpr double kLaunches = 100'000, kRecordsPerLaunch = 2;  // the kernel and its API call
  print("% of one thread at 100,000 launches/s", record_ns * kRecordsPerLaunch * kLaunches * 1e-9 * 100, 2);
  if (!session->end(60'000)) std::printf("the spool was not written in time\n");
  const double kernel_bytes =
      (spool_bytes(folder) - static_cast<double>(made.kernels * sizeof(spool::ApiCallRecord))) /
      static_cast<double>(made.kernels);
  print("bytes per kernel record, all overheads in", kernel_bytes, 40);
  std::filesystem::remove_all(folder);

  // The real library, as NVTX loads it; a spool of its own.
  std::filesystem::create_directory(folder);
  setenv("NVTX_INJECTION64_PATH", GPUTRACE_BINARY_DIR "/lib/libgputrace_collector.so", 1);
  setenv("GPUTRACE_SPOOL_DIR", folder.c_str(), 1);
  nvtx_ns();  // warms up
  print("ns per NVTX push and pop, two clock readings in", nvtx_ns(), 200);
  std::filesystem::remove_all(folder);
  return 0;
}
