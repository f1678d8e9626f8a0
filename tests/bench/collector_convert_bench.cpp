// LINKS: gputrace_collector gputrace_guest_code CudaHeaders::cupti Threads::Threads
// How fast spools become a trace: records per second against 2 M.
//   collector_convert_bench [launches] [processes]
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "collector/guest/activity_encoder.h"
#include "collector/guest/session.h"
#include "collector/spool_convert.h"
#include "tests/bench/collector_records.h"

using namespace gputrace;

namespace {

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool write_spool(const std::string& folder, bench::Buffers& made) {
  guest::Options options;
  options.spool_directory = folder;
  options.buffer_bytes = std::size_t{1024} << 20;
  guest::Session* session = guest::Session::begin(options);
  guest::Lane* lane = session != nullptr ? session->new_lane(65536, 16 << 20) : nullptr;
  if (lane == nullptr) return false;
  const guest::CuptiLibrary cupti = bench::record_provider();
  std::array<std::uint32_t, guest::kMaxActivityKinds> bytes{};
  bytes[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = sizeof(CUpti_ActivityKernel10);
  bytes[CUPTI_ACTIVITY_KIND_RUNTIME] = sizeof(CUpti_ActivityAPI);
  guest::ActivityEncoder encoder(cupti, *lane, bytes);
  for (auto& buffer : made.buffers) encoder.encode_buffer(buffer.data(), buffer.size());
  return session->end(120'000);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t launches = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 1'000'000;
  std::string folder = (std::filesystem::temp_directory_path() / "gputrace-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  {
    bench::Buffers made = bench::make_buffers(launches);
    if (!write_spool(folder, made)) return 1;
  }
  const unsigned processes = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  for (unsigned i = 1; i < processes; ++i) {  // as if other processes had recorded the same
    const auto first = std::filesystem::directory_iterator(folder)->path();
    std::filesystem::copy_file(first, folder + "/copy" + std::to_string(i) + ".spool");
  }
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const auto summary = collector::convert_spools(folder, {folder + "/trace.sqlite", false, {}, {}, processes == 1 ? 1U : 0U});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu = cpu_seconds() - cpu_begin;
  if (!summary) {
    std::printf("%s\n", summary.error().line().c_str());
    return 1;
  }
  const double millions = static_cast<double>(summary->records) / seconds * 1e-6;
  std::printf("%lld records in %.2f s: %.2f M records/s, limit 2: %s\n",
              static_cast<long long>(summary->records), seconds, millions, millions >= 2 ? "ok" : "UNDER");
  std::printf("%.2f CPU seconds: %.2f M records/s where the machine is free\n", cpu,
              static_cast<double>(summary->records) / cpu * 1e-6);
  if (summary->dropped_records != 0)
    std::printf("%lld records were dropped\n", static_cast<long long>(summary->dropped_records));
  std::filesystem::remove_all(folder);
  return 0;
}
