#include <catch2/catch.hpp>

#include "tests/trace/imported.h"

namespace gputrace::trace {
namespace {

using namespace tests;

std::string results(const std::string& events) {
  return R"({ "traceEvents":[{}
,{"args":{"name":"0 Markers and Ranges"},"ph":"M","pid":0,"name":"process_name","sort_index":0}
,{"args":{"name":"1 CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":1}
,{"args":{"name":"2 COPY"},"ph":"M","pid":1,"name":"process_name","sort_index":2}
,{"args":{"name":"3 GPU1"},"ph":"M","pid":7,"name":"process_name","sort_index":3}
)" + events +
         "]}";
}

TEST_CASE("rocprof's JSON gives kernels, copies, calls and ranges, with the times of their arguments") {
  const Trace trace = imported(results(
      R"(,{"ts":"1","dur":"3","ph":"X","name":"hipLaunchKernel","pid":2,"tid":4712,"args":{"BeginNs":"1001","EndNs":"4009","pid":"4711","tid":"4712","Name":"hipLaunchKernel"}}
,{"ts":"5","dur":"2","ph":"X","name":"_Z3addPf.kd","pid":7,"tid":0,"args":{"BeginNs":"5003","EndNs":"7007","dev-id":"1","queue-id":"2","stream-id":"3","pid":"4711","tid":"4711"}}
,{"ts":"9","dur":"1","ph":"X","name":"CopyHostToDevice","pid":1,"tid":0,"args":{"BeginNs":"9001","EndNs":"9999","pid":"4711","tid":"0"}}
,{"ts":"11","dur":"1","ph":"X","name":"FillBuffer","pid":7,"tid":0,"args":{"BeginNs":"11000","EndNs":"11500","pid":"4711"}}
,{"ts":"0","dur":"20","ph":"X","name":"step 1","pid":0,"tid":4711,"args":{"BeginNs":"500","EndNs":"20500","pid":"4711","tid":"4711"}}
)"));
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.text(trace.kernels.name[0]) == "add(float*)");
  CHECK(trace.kernels.span(0) == Span{5003, 7007});
  CHECK(trace.kernels.device[0] == DeviceId{1});
  CHECK(trace.kernels.stream[0] == StreamId{3});
  REQUIRE(trace.copies.size() == 1);
  CHECK(trace.copies.kind[0] == CopyKind::host_to_device);
  CHECK(trace.copies.device[0] == DeviceId{1});  // there is but one
  CHECK_FALSE(trace.copies.has_size(0));
  CHECK(counted(trace, "whose size was not recorded") == 1);
  CHECK(trace.fills.size() == 1);
  REQUIRE(trace.api_calls.size() == 1);
  CHECK(trace.api_calls.span(0) == Span{1001, 4009});
  CHECK(trace.threads.at(static_cast<std::size_t>(trace.api_calls.thread[0].value)).tid == 4712);
  REQUIRE(trace.nvtx.size() == 1);
  CHECK(trace.text(trace.nvtx.text[0]) == "step 1");
  CHECK(trace.metadata.producer == "rocprof");
}

TEST_CASE("rocprof's copies of no known GPU, and rows of another kind, are counted") {
  const Trace trace = imported(results(
      R"(,{"args":{"name":"4 GPU2"},"ph":"M","pid":8,"name":"process_name","sort_index":4}
,{"args":{"name":"5 GPU Barriers1"},"ph":"M","pid":519,"name":"process_name","sort_index":5}
,{"ts":"9","dur":"1","ph":"X","name":"CopyDeviceToHost","pid":1,"tid":0,"args":{"BeginNs":"9001","EndNs":"9999"}}
,{"ts":"9","dur":"1","ph":"X","name":"CopyDeviceToHost","pid":1,"tid":0,"args":{"BeginNs":"9001","EndNs":"9999","dev-id":"2"}}
,{"ts":"9","dur":"1","ph":"X","name":"<barrier packet>","pid":519,"tid":0,"args":{"BeginNs":"9001","EndNs":"9999"}}
,{"ts":"30","dur":"2","ph":"X","name":"mul","pid":8,"tid":5,"args":{}}
)"));
  CHECK(trace.copies.size() == 1);
  CHECK(counted(trace, "copy events without a device") == 1);
  CHECK(counted(trace, "rows that are not read") == 1);
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.kernels.span(0) == Span{30'000, 32'000});
  CHECK(trace.kernels.stream[0] == StreamId{5});
}

}  // namespace
}  // namespace gputrace::trace
