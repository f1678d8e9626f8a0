// A second, trivial collector: counts CUPTI's kernels, copies and fills and sums their times, so that a recording can be held against
// CUPTI itself. Loaded through CUDA_INJECTION64_PATH; prints one line on standard error at exit.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <cupti.h>

namespace {

struct Sum {
  std::atomic<unsigned long long> count{0}, ns{0};
  void add(unsigned long long start, unsigned long long end) {
    ++count;
    ns += end - start;
  }
};
Sum kernels, copies, fills;

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_size) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_size, &record) == CUPTI_SUCCESS) {
    // The first fields of these records have stayed where they are since CUDA 11.
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      kernels.add(kernel->start, kernel->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      copies.add(copy->start, copy->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      fills.add(fill->start, fill->end);
    }
  }
  std::free(buffer);
}

void print() {
  cuptiActivityFlushAll(1);
  std::fprintf(stderr, "cupti kernels %llu %llu copies %llu %llu fills %llu %llu\n", kernels.count.load(), kernels.ns.load(),
               copies.count.load(), copies.ns.load(), fills.count.load(), fills.ns.load());
}

}  // namespace

extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    cuptiActivityEnable(kind);
  }
  std::atexit(print);
  return 1;
}
