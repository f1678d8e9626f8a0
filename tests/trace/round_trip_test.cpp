// Real traces of every format, to the formats of other tools and back: no kernel, copy, call or range is lost or changed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <random>

#include "tests/trace/exported.h"
#include "tests/trace/imported.h"
#include "tests/trace/sample_trace.h"
#include "tests/trace/sqlite_fixture.h"
#include "trace/native_threads.h"
#include "trace/save_trace.h"
#include "trace/timeline_rows.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;

void check_survives(const Trace& trace, const char* format) {
  INFO(trace.metadata.file << " to " << format);
  const Trace read = imported(exported(trace, format));
  // Compared apart from the check, which would print thousands of rows.
  const bool same_kernels = kernel_lines(read) == kernel_lines(trace), same_copies = copy_lines(read) == copy_lines(trace),
             same_fills = fill_lines(read) == fill_lines(trace),
             same_calls = call_lines(read, Threads::unsaid) == call_lines(trace, Threads::unsaid);
  CHECK(same_kernels);
  CHECK(same_copies);
  CHECK(same_fills);
  CHECK(same_calls);
  CHECK(read.nvtx.size() == trace.nvtx.size());
  CHECK(read.threads.size() == trace.threads.size());
}

TEST_CASE("real traces survive the journey to Chrome JSON, to Perfetto and back") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: no real traces here\n";
    return;
  }
  for (const char* file : {"nsys/nsysai_mfu_2gpu_after.sqlite", "nvprof/blinkplus_nccl_4gpu.nvvp", "kineto/gpupuzzlers_p2p_copy.json.gz", "kineto/hta_alexnet.json.gz",
                           "kineto/hta_mi250.json.gz", "tensorflow/xprof_gpu_multi_worker.xplane.pb"}) {
    const auto trace = read_trace(folder / file);
    if (!trace) FAIL(trace.error().line());
    for (const char* format : {"chrome", "perfetto"}) check_survives(*trace, format);
  }
}

// Rows as no program would make them: overlapping, of no length, before time 0, of no process, with any text.
class RandomTrace {
 public:
  enum class Owners { some_unknown, all_known };
  explicit RandomTrace(unsigned seed, Owners owners = Owners::some_unknown) : random_(seed), owners_(owners) {}

  Trace make() {
    const std::size_t rows = below(40);
    for (std::size_t i = 0; i < rows; ++i) add_row();
    threads_.give_names();
    rows_.finish();
    trace_.metadata.producer = "random 1.0";
    sort_by_start(trace_);
    return std::move(trace_);
  }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  std::int64_t time() { return static_cast<std::int64_t>(below(4'000)) - 1'000; }
  Span span() {
    const std::int64_t start = time();
    return {start, start + static_cast<std::int64_t>(below(3) == 0 ? 0 : 1 + below(500))};
  }
  std::string text() {
    static const char* const kTexts[] = {"conv", "void f<float>(int*)", "\"quoted\" \\ path", "tab\tand\nline", "\xc3\xa9\xf0\x9f\x98\x80", "kernel", "Memcpy HtoD", "x"};
    return kTexts[below(std::size(kTexts))] + std::string(below(4) == 0 ? "" : std::to_string(below(5)));
  }
  StringId word() { return trace_.strings.intern(text()); }
  std::int32_t number(std::size_t limit) { return static_cast<std::int32_t>(below(limit)); }
  // A thread's number is that of one process: viewers know no other, and an export would number it anew.
  ThreadIndex thread() {
    const std::int64_t pid = 100 + number(2);
    return threads_.thread(pid, 10 * pid + number(3));
  }
  DeviceEvent device_event() {
    const bool of_nobody = below(5) == 0 && owners_ == Owners::some_unknown;
    const std::int32_t device = number(3);  // a context is of one GPU
    return {span(), device, 2 * device + number(2), number(4), static_cast<std::int64_t>(below(30)), of_nobody ? ProcessIndex{-1} : threads_.process(100 + number(2))};
  }

  void add_row() {
    switch (below(7)) {
      case 0:
        return rows_.add_kernel(device_event(), text(),
                                {.grid = {1 + number(9), 1, 1 + number(3)}, .block = {32, 1 + number(2), 1}, .registers_per_thread = number(255), .static_shared_bytes = number(99),
                                 .dynamic_shared_bytes = number(9), .graph_node = number(2), .mangled = below(2) == 0 ? "" : "_Z1fv"});
      case 1:
        return rows_.add_copy(device_event(), {.bytes = 1 + number(1000), .kind = static_cast<CopyKind>(below(14)), .source = static_cast<MemoryKind>(below(8)),
                                               .destination = static_cast<MemoryKind>(below(8)), .source_device = number(3), .destination_device = number(3)});
      case 2:
        return rows_.add_fill(device_event(), number(1000), static_cast<MemoryKind>(below(8)));
      case 3:
        return rows_.add_synchronization(device_event(), static_cast<SyncKind>(below(5)));
      case 4:
        return rows_.add_call(span(), thread(), word(), static_cast<std::int64_t>(below(30)), below(2) == 0 ? ApiClass::runtime : ApiClass::driver);
      case 5:
        return rows_.add_range({.span = below(9) == 0 ? Span{time(), kNoEnd} : span(), .thread = thread(), .domain = below(2) == 0 ? StringId{} : word(), .text = word(),
                                .category = below(2) == 0 ? StringId{} : word(), .kind = below(3) == 0 ? NvtxKind::start_end : NvtxKind::push_pop, .color_argb = 7});
      default: {
        const std::int64_t at = time();
        return rows_.add_range({.span = {at, at}, .thread = thread(), .text = word(), .kind = NvtxKind::mark});
      }
    }
  }

  std::mt19937 random_;
  Owners owners_;
  Trace trace_;
  NativeThreads threads_{trace_};
  TimelineRows rows_{trace_};
};

TEST_CASE("random traces survive the journey to Chrome JSON, to Perfetto and back, row for row") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const Trace trace = RandomTrace(seed).make();
    for (const char* format : {"chrome", "perfetto"}) {
      INFO("seed " << seed << " to " << format);
      check_same_rows(trace, imported(exported(trace, format)));
    }
  }
}

// Whose a row is, where it is not known, is looked up by correlation when a file is opened: so all are known here.
TEST_CASE("random traces survive the journey to a file of gputrace's own and back, row for row") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    const Trace trace = RandomTrace(seed, RandomTrace::Owners::all_known).make();
    const TemporaryFolder folder;
    REQUIRE(save_trace(trace, folder.path() / "t", false));
    check_same_rows(trace, imported(file_bytes(folder.path() / "t")));
  }
}

}  // namespace
}  // namespace gputrace::trace
