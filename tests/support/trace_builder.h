// Builds a Trace in a test, one readable call per event:
//   auto trace = TraceBuilder{}.gpu(0).kernel({.start = 0_ms, .end = 10_ms, .name = "conv"}).step(0_ms, 20_ms).build();
// Adding an event marks its table captured; captured(Table) marks one that stays empty.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::tests {

constexpr std::int64_t operator""_ns(unsigned long long n) { return static_cast<std::int64_t>(n); }
constexpr std::int64_t operator""_us(unsigned long long n) { return static_cast<std::int64_t>(n) * 1'000; }
constexpr std::int64_t operator""_ms(unsigned long long n) { return static_cast<std::int64_t>(n) * 1'000'000; }
constexpr std::int64_t operator""_s(unsigned long long n) { return static_cast<std::int64_t>(n) * 1'000'000'000; }

struct KernelEvent {
  std::int64_t start = 0, end = 0;
  std::string_view name = "kernel";
  int device = 0, stream = 7;
  trace::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  int registers = 32;
  int shared_bytes = 0;
  std::int64_t correlation = 0;
  int process = 0;
};

struct CopyEvent {
  std::int64_t start = 0, end = 0;
  std::int64_t bytes = 0;
  trace::CopyKind kind = trace::CopyKind::host_to_device;
  trace::MemoryKind source = trace::MemoryKind::pageable, destination = trace::MemoryKind::device;
  int device = 0, stream = 7;
  std::int64_t correlation = 0;
  int process = 0;
  int from = -1, to = -1;  // of a copy between GPUs; -1: `device`
};

struct ApiEvent {
  std::int64_t start = 0, end = 0;
  std::string_view name = "cudaLaunchKernel";
  std::int64_t correlation = 0;
  int thread = 0;
};

struct SyncEvent {  // what a waiting call waited for; the call itself is an ApiEvent of the same correlation
  std::int64_t start = 0, end = 0;
  trace::SyncKind kind = trace::SyncKind::stream;
  int device = 0, stream = 7;
  std::int64_t correlation = 0;
  int process = 0;
};

struct RangeEvent {
  std::int64_t start = 0, end = 0;
  std::string_view text;
  std::string_view domain = "";
  int thread = 0;
};

struct GraphEvent {  // a CUDA graph recorded as a whole
  std::int64_t start = 0, end = 0;
  int device = 0, stream = 7;
  std::int64_t correlation = 0;
  int process = 0;
};

struct OverheadEvent {
  std::int64_t start = 0, end = 0;
  trace::OverheadKind kind = trace::OverheadKind::buffer_flush;
  int thread = 0;
};

class TraceBuilder {
 public:
  TraceBuilder();  // one process (pid 1000), one thread (tid 1000)

  TraceBuilder& gpu(const trace::Gpu& gpu);
  TraceBuilder& link(const trace::Link& link);
  TraceBuilder& kernel(const KernelEvent& event);
  TraceBuilder& copy(const CopyEvent& event);
  TraceBuilder& api(const ApiEvent& event);
  TraceBuilder& range(const RangeEvent& event);
  TraceBuilder& sync(const SyncEvent& event);
  TraceBuilder& graph(const GraphEvent& event);
  TraceBuilder& overhead(const OverheadEvent& event);
  TraceBuilder& step(std::int64_t start, std::int64_t end);  // an NVTX range "step N" in the domain "step"
  TraceBuilder& captured(trace::Table table);
  TraceBuilder& simulated(std::string_view machine);

  trace::Trace build();  // sorted; the builder is empty afterwards

 private:
  trace::Trace trace_;
  int steps_ = 0;
  void mark(trace::Table table);
  trace::ThreadIndex thread(int index);
};

}  // namespace gputrace::tests
