#include <catch2/catch.hpp>
#include <limits>

#include "tests/trace/exported.h"
#include "tests/trace/imported.h"
#include "tests/trace/sample_trace.h"

namespace gputrace::trace {
namespace {

using namespace tests;

TEST_CASE("a trace that was exported as Chrome JSON reads back row for row") {
  const Trace trace = sample_trace();
  const Trace read = imported(exported(trace, "chrome"));
  check_same_rows(trace, read);
  CHECK(read.metadata.producer == "sample 1.0");
  CHECK(read.metadata.simulated);
  CHECK(read.metadata.machine == "model");
  CHECK_FALSE(read.metadata.complete);
  CHECK(read.metadata.incomplete_why == "killed");
  CHECK(read.metadata.dropped_records == 3);
  CHECK(read.gpus.at(0).memory_bandwidth_bytes_per_s == 900'000'000'000);
  CHECK(read.processes.at(0).name == "train \"one\"");
}

TEST_CASE("Chrome JSON has a flow from each launch to its kernel, and counters") {
  const std::string text = exported(sample_trace(), "chrome");
  CHECK(count_of(text, "\"ph\":\"s\",\"cat\":\"ac2g\"") == 2);
  CHECK(count_of(text, "\"ph\":\"f\",\"cat\":\"ac2g\"") == 2);
  for (const char* counter : {"kernels running", "compute utilization", "PCIe host to device"})
    CHECK(count_of(text, std::string("\"ph\":\"C\",\"cat\":\"gputrace counter\",\"name\":\"") + counter) > 0);
  CHECK(count_of(text, "PCIe device to host") == 0);  // no such copy
}

TEST_CASE("findings are marked in Chrome JSON, and are no ranges of the program when read back") {
  const Trace trace = sample_trace();
  const std::vector<Annotation> found{{.span = {1'010'000, 1'020'000}, .device = DeviceId{0}, .title = "idle", .text = "because"}};
  const std::string text = exported(trace, "chrome", found);
  CHECK(count_of(text, "\"cat\":\"gputrace finding\",\"name\":\"idle\"") == 1);
  check_same_rows(trace, imported(text));
}

TEST_CASE("bytes that are no UTF-8 and times at both ends of the axis survive as valid JSON") {
  Trace trace = sample_trace();
  trace.kernels.name[0] = trace.strings.intern("bad \xff\x01\" name \xc3\xa4");
  trace.kernels.start_ns[0] = -(std::int64_t{1} << 61);
  const std::string text = exported(trace, "chrome");
  CHECK(count_of(text, "bad \\ufffd\\u0001\\\" name \xc3\xa4") == 1);
  const Trace read = imported(text);
  CHECK(read.kernels.start_ns.at(0) == -(std::int64_t{1} << 61));
}

}  // namespace
}  // namespace gputrace::trace
