// Real traces of every format, to the formats of other tools and back: no kernel, copy, call or range is lost or changed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>

#include "tests/trace/exported.h"
#include "tests/trace/imported.h"
#include "tests/trace/sample_trace.h"
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

}  // namespace
}  // namespace gputrace::trace
