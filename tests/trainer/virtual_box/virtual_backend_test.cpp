#include "trainer/virtual_box/virtual_backend.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <random>
#include <thread>

#include "tests/trainer/virtual_box/test_machine.h"

using namespace virtual_box_test;

TEST_CASE("calls of several threads go through the driver one at a time") {
  Rig rig;
  const Stream first = rig.backend->create_stream(0), second = rig.backend->create_stream(1);
  const auto launch_three = [&](Stream stream) {
    return [&rig, stream] {
      for (int i = 0; i < 3; ++i) rig.launch(stream, "k", 1, flops(0));
    };
  };
  rig.backend->run_threads({{"a", launch_three(first)}, {"b", launch_three(second)}});
  CHECK(rig.now() == 30_us);
  std::int64_t last_end_ns = 0;
  for (const auto& call : rig.recorder.calls) {
    if (call.what != std::to_string(static_cast<int>(Api::launch_kernel))) continue;
    CHECK(call.end_ns == last_end_ns + 5_us);
    last_end_ns = call.end_ns;
  }
}

TEST_CASE("a framework hands out ops one at a time per process") {
  Rig rig;
  const auto dispatch = [&] { rig.backend->framework_dispatch(); };
  rig.backend->run_threads({{"a", dispatch}, {"b", dispatch}, {"c", dispatch}, {"d", dispatch}});
  CHECK(rig.now() == 4 * 28_us);
}

TEST_CASE("a thread that waits for its GPU does not hold the driver") {
  Rig rig;
  const Stream first = rig.backend->create_stream(0), second = rig.backend->create_stream(1);
  std::int64_t other_ns = 0;
  rig.launch(first, "long", 1, flops(1e9));
  rig.backend->run_threads({{"waits", [&] { rig.backend->synchronize(first); }}, {"works", [&] {
                               rig.launch(second, "k", 1, flops(0));
                               other_ns = rig.now();
                             }}});
  CHECK(other_ns == 12_us);  // 5 for the long one, 2 for the waiting call, 5
  CHECK(rig.now() == 10'009_us);
}

TEST_CASE("synchronising an event waits for its record, not for what follows") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(0);
  const Event event = rig.backend->create_event(0), unrecorded = rig.backend->create_event(0);
  rig.launch(stream, "a", 1, flops(10e6));
  rig.backend->record(event, stream);
  rig.launch(stream, "b", 1, flops(10e6));
  rig.backend->synchronize(unrecorded);
  CHECK(rig.now() == 13_us);
  rig.backend->synchronize(event);
  CHECK(rig.now() == 109_us);
  rig.backend->synchronize(event);  // again: it is reached
  CHECK(rig.now() == 111_us);
  REQUIRE(rig.recorder.waits.size() == 3);
  CHECK(rig.recorder.waits[1].end_ns == 109_us);
}

TEST_CASE("arithmetic, copies and fills happen in the order of modelled time") {
  Rig rig;
  Backend& box = *rig.backend;
  Buffer host = box.allocate(Memory::pinned, 0, 4, true), back = box.allocate(Memory::pinned, 0, 4, true);
  Buffer device = box.allocate(Memory::device, 0, 4, true), peer = box.allocate(Memory::device, 1, 4, true);
  const auto first_byte = [](const Buffer& buffer) { return static_cast<unsigned char*>(buffer.data)[0]; };
  static_cast<unsigned char*>(host.data)[0] = 5;
  const Stream stream = box.create_stream(0);
  box.copy_async(device, host, 4, stream);
  CHECK(first_byte(device) == 0);  // the call is over, but the GPU has not seen it
  KernelLaunch twice;
  twice.mangled_name = "twice";
  twice.arithmetic = [&] { static_cast<unsigned char*>(device.data)[0] *= 2; };
  box.launch(stream, twice);
  box.copy_async(peer, device, 4, stream);
  box.copy_async(back, peer, 4, stream);
  box.fill_async(device, 9, 4, stream);
  box.synchronize(stream);
  CHECK(first_byte(peer) == 10);
  CHECK(first_byte(back) == 10);
  CHECK(first_byte(device) == 9);
  REQUIRE(rig.recorder.fills.size() == 1);
  CHECK(rig.recorder.fills[0].what == "9");
  int host_result = 0;
  box.host_work({flops(10e6), 1, [&] { host_result = first_byte(back) + 1; }});
  CHECK(host_result == 11);
}

TEST_CASE("buffers have addresses of their own, and no storage unless asked for") {
  Rig rig;
  const Buffer a = rig.device(0, 1000), b = rig.device(0, 1000), other = rig.device(1, 1000), host = rig.host(Memory::pinned, 1000);
  CHECK(a.address != 0);
  CHECK(b.address >= a.address + 1000);
  CHECK(other.address != a.address);
  CHECK(host.address != a.address);
  CHECK(a.data == nullptr);
  CHECK(rig.backend->allocate(Memory::pageable, 0, 0, true).data != nullptr);
}

TEST_CASE("the first use of a device makes its context") {
  MachineProfile machine = round_machine();
  machine.driver.context_us = 1000;
  Rig rig(machine);
  rig.backend->set_device(1);
  CHECK(rig.now() == 1001_us);
  rig.backend->set_device(1);
  CHECK(rig.now() == 1002_us);
  REQUIRE(rig.recorder.contexts.size() == 1);
  CHECK(rig.recorder.contexts[0].place.device == 1);
  CHECK(rig.recorder.contexts[0].place.context == 2);
}

TEST_CASE("destroying the backend lets the GPU finish") {
  Recorder recorder;
  {
    auto backend = make_virtual_backend(round_machine(), &recorder);
    KernelLaunch kernel;
    kernel.mangled_name = "k";
    backend->launch(backend->create_stream(0), kernel);
    CHECK(recorder.kernels.empty());
  }
  CHECK(recorder.kernels.size() == 1);
}

TEST_CASE("the same program gives the same log, whatever the real threads do") {
  const auto run = [](bool sleeps) {
    Rig rig;
    Backend& box = *rig.backend;
    const auto dawdle = [sleeps] {
      thread_local std::mt19937 random{std::random_device{}()};
      if (sleeps) std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
    };
    const auto tower = [&](int gpu) {
      return [&box, &rig, &dawdle, gpu] {
        const Stream compute = box.create_stream(gpu), copies = box.create_stream(gpu);
        const Event arrived = box.create_event(gpu);
        const Buffer host = rig.host(Memory::pinned), pageable = rig.host(Memory::pageable), device = rig.device(gpu);
        for (int step = 0; step < 10; ++step) {
          box.framework_dispatch();
          dawdle();
          box.copy_async(device, host, 100'003, copies);
          box.record(arrived, copies);
          box.wait(compute, arrived);
          dawdle();
          rig.launch(compute, "k", 13, {WorkKind::matmul, 1.7e6, 33e3, 0});
          rig.launch(copies, "l", 3, {WorkKind::other, 0.3e6, 70e3, 11});
          box.copy_async(pageable, device, 70'001, compute);
          box.host_work({{WorkKind::other, 1e5, 2e5, 0}, 3, {}});
        }
        box.synchronize_device(gpu);
      };
    };
    box.run_threads({{"a", tower(0)}, {"b", tower(1)}, {"c", tower(0)}});
    return rig.recorder.log;
  };
  const std::string calm = run(false);
  CHECK(calm.size() > 10'000);
  for (int i = 0; i < 20; ++i) REQUIRE(run(true) == calm);
}

TEST_CASE("the backend says that its times are modelled") {
  auto backend = make_virtual_backend("2x-gtx-1060");
  REQUIRE(backend);
  CHECK((*backend)->description() == "virtual machine 2x-gtx-1060: times are modelled");
  CHECK((*backend)->device_count() == 2);
  CHECK((*backend)->now_ns() == kEpochNs);
  const auto none = make_virtual_backend("9x-nothing");
  REQUIRE_FALSE(none);
  CHECK(none.error().starts_with("no machine profile '9x-nothing'; known: "));
  CHECK(none.error().find("2x-gtx-1060") != std::string::npos);
}

TEST_CASE("a host thread waits for a counter until another one has advanced it far enough") {
  Rig rig;
  const Counter counter = rig.backend->create_counter();
  std::int64_t woken = 0;
  rig.backend->run_threads({{"waits",
                             [&] {
                               rig.backend->wait_until_reached(counter, 2);
                               woken = rig.now();
                               rig.backend->wait_until_reached(counter, 1);  // there already
                             }},
                            {"advances", [&] {
                               for (int i = 0; i < 2; ++i) {
                                 rig.backend->pause(3_ms);
                                 rig.backend->advance(counter);
                               }
                             }}});
  CHECK(woken == 6_ms);
  CHECK(rig.now() == 6_ms);
}

TEST_CASE("freeing device memory waits for the device") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(0);
  const Buffer buffer = rig.device(0, 1024);
  rig.launch(stream, "long", 20, flops(1e9));  // 1 ms
  rig.backend->release(buffer);
  CHECK(rig.now() == 5_us + 2_us + 2_us + 1_ms);
  CHECK(rig.recorder.calls.back().what == std::to_string(static_cast<int>(Api::free_device)));
}

TEST_CASE("a kernel of few threads takes as long as their loads one after the other") {
  MachineProfile machine = round_machine();
  machine.gpu.load_latency_cycles = 100;  // 200 ns at 500 MHz
  Rig rig(machine);
  const Stream stream = rig.backend->create_stream(0);
  Work work = bytes(1000);
  work.serial_loads = 10'000;
  rig.launch(stream, "walk", 1, work);
  rig.backend->synchronize(stream);
  REQUIRE(rig.recorder.kernels.size() == 1);
  CHECK(rig.recorder.kernels[0].end_ns - rig.recorder.kernels[0].start_ns == 2_us + 2_ms);
}

TEST_CASE("pages of managed memory move to the kernel that touches them, and back to the host before it writes") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(1);
  const std::size_t bytes = 600 * 1024;  // two groups of 256 KiB and a rest
  const Buffer managed = rig.backend->allocate(Memory::managed, 0, bytes, false);
  const auto one_step = [&] {
    rig.backend->touch_on_host(managed, bytes);
    rig.backend->touch_on_device(managed, bytes, stream);
    rig.launch(stream, "reads", 1, flops(0));
    rig.launch(stream, "reads again", 1, flops(0));
    rig.backend->touch_on_device(managed, bytes, stream);  // it is there
    rig.launch(stream, "and again", 1, flops(0));
    rig.backend->synchronize(stream);
  };
  one_step();
  const auto& moves = rig.recorder.migrations;
  REQUIRE(moves.size() == 3);
  CHECK(moves[0].what == "262144 in");
  CHECK(moves[2].what == "90112 in");
  CHECK(moves[0].place.device == 1);
  const auto& first = rig.recorder.kernels.at(0);
  CHECK(first.start_ns <= moves[0].start_ns);
  CHECK(first.end_ns > moves[2].end_ns);
  CHECK(rig.recorder.kernels.at(1).end_ns - rig.recorder.kernels.at(1).start_ns == 2_us);
  one_step();
  REQUIRE(moves.size() == 9);
  CHECK(moves[3].what == "262144 out");
  CHECK(moves[6].what == "262144 in");
}

TEST_CASE("managed memory that nobody touches elsewhere does not move") {
  Rig rig;
  const Buffer managed = rig.backend->allocate(Memory::managed, 0, 1 << 20, false);
  rig.backend->touch_on_host(managed, 1 << 20);
  rig.launch({}, "k", 1, flops(0));
  rig.backend->synchronize_device(0);
  CHECK(rig.recorder.migrations.empty());
}

TEST_CASE("a grid that ends where the GPU is full has as many blocks as the GPU holds") {
  Rig rig;  // ten multiprocessors of 2048 threads
  KernelLaunch kernel;
  kernel.mangled_name = "k";
  kernel.grid.x = 1000;
  kernel.block.x = 1024;
  kernel.grid_ends_at_full_gpu = true;
  kernel.work = flops(1e9);
  rig.backend->launch({}, kernel);
  kernel.grid.x = 20;
  kernel.grid_ends_at_full_gpu = false;
  rig.backend->launch({}, kernel);
  rig.backend->synchronize_device(0);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].end_ns - kernels[0].start_ns == kernels[1].end_ns - kernels[1].start_ns);
}
