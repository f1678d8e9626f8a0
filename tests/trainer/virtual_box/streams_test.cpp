#include "trainer/virtual_box/streams.h"

#include <catch2/catch.hpp>

#include "tests/trainer/virtual_box/test_machine.h"

using namespace virtual_box_test;

TEST_CASE("a stream's commands run one after another") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(0);
  rig.launch(stream, "a", 1, flops(10e6));  // a tenth of the multiprocessors: 100 us
  rig.launch(stream, "b", 1, flops(0));
  rig.backend->synchronize(stream);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].end_ns == 109_us);
  CHECK(kernels[1].start_ns == 109_us);
  CHECK(rig.now() == 111_us);
}

TEST_CASE("a stream waits for the record that an event had when wait was called") {
  Rig rig;
  const Stream first = rig.backend->create_stream(0), second = rig.backend->create_stream(1);
  const Event event = rig.backend->create_event(0);
  rig.backend->wait(second, event);                      // never recorded: nothing to wait for
  rig.launch(second, "free", 1, flops(0));
  rig.launch(first, "a", 1, flops(10e6));
  rig.backend->record(event, first);
  rig.backend->wait(second, event);
  rig.launch(second, "bound", 1, flops(0));
  rig.launch(first, "later", 1, flops(10e6));            // after the record: does not hold the other stream up
  rig.backend->record(event, first);
  rig.backend->synchronize_device(1);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].what == "free");
  CHECK(kernels[0].end_ns < kernels[1].end_ns);
  CHECK(kernels[1].what == "a");
  CHECK(kernels[2].what == "bound");
  CHECK(kernels[2].start_ns == kernels[1].end_ns);
}

TEST_CASE("a launch into a full queue waits for the first command to end") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(0);
  rig.launch(stream, "long", 1, flops(1e9));             // 10 ms, until 10,009 us; the rest is launched in 5 us each
  for (int i = 1; i < 1024; ++i) rig.launch(stream, "short", 1, flops(0));
  CHECK(rig.now() == 1024 * 5_us);
  CHECK(rig.recorder.full_queues.empty());
  rig.launch(stream, "one more", 1, flops(0));
  CHECK(rig.now() == 10'009_us);
  REQUIRE(rig.recorder.full_queues.size() == 1);
  CHECK(rig.recorder.full_queues[0].start_ns == 1025 * 5_us);
  CHECK(rig.recorder.full_queues[0].end_ns == 10'009_us);
  CHECK(rig.recorder.calls.back().end_ns == 10'009_us);  // the call is what takes so long
}

TEST_CASE("the default stream waits for the device's other streams and holds them up") {
  Rig rig;
  const Stream other = rig.backend->create_stream(0), far = rig.backend->create_stream(1), standard{0, 0};
  rig.launch(other, "before", 1, flops(10e6));
  rig.launch(standard, "default", 1, flops(10e6));
  rig.launch(other, "after", 1, flops(0));
  rig.launch(far, "elsewhere", 1, flops(0));
  rig.backend->synchronize_device(0);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 4);
  CHECK(kernels[0].what == "elsewhere");
  CHECK(kernels[1].what == "before");
  CHECK(kernels[2].what == "default");
  CHECK(kernels[2].start_ns == kernels[1].end_ns);
  CHECK(kernels[2].place.stream == 7);
  CHECK(kernels[3].start_ns == kernels[2].end_ns);
}

TEST_CASE("a command does not start before the GPU has seen it, nor does an empty stream make anyone wait") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(0);
  rig.backend->synchronize(stream);
  CHECK(rig.now() == 2_us);
  rig.backend->synchronize_device(0);
  CHECK(rig.now() == 4_us);
  rig.launch(stream, "a", 1, flops(0));
  rig.backend->synchronize(stream);
  CHECK(rig.recorder.kernels.at(0).start_ns == 11_us);  // 4, call 5, hand-over 2
}
