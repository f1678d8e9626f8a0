#include "trainer/virtual_box/engines.h"

#include <catch2/catch.hpp>

#include "tests/trainer/virtual_box/test_machine.h"

using namespace virtual_box_test;

TEST_CASE("a kernel takes its start cost and what the slowest of its resources needs") {
  Rig rig;
  const Stream stream = rig.backend->create_stream(0);
  rig.launch(stream, "arithmetic", 20, {WorkKind::other, 1e6, 50e3, 0});  // 1 us of arithmetic, 0.5 us of memory
  rig.launch(stream, "memory", 20, {WorkKind::other, 1e6, 200e3, 0});     // 1 us, 2 us
  rig.launch(stream, "index", 20, {WorkKind::other, 0, 0, 50e3});         // 100 cycles each on 500 lane-cycles/ns: 10 us
  rig.launch(stream, "few blocks", 5, {WorkKind::other, 1e6, 0, 0});      // half the multiprocessors: 2 us
  rig.backend->synchronize(stream);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 4);
  CHECK(kernels[0].start_ns == 7_us);  // call 5, hand-over 2
  CHECK(kernels[0].end_ns - kernels[0].start_ns == 3_us);
  CHECK(kernels[1].end_ns - kernels[1].start_ns == 4_us);
  CHECK(kernels[2].end_ns - kernels[2].start_ns == 12_us);
  CHECK(kernels[3].end_ns - kernels[3].start_ns == 4_us);
}

TEST_CASE("efficiency depends on the kind of work") {
  MachineProfile machine = round_machine();
  machine.efficiency.matmul = 0.5;
  machine.efficiency.convolution = 0.25;
  KernelLaunch kernel;
  kernel.grid.x = 20;
  kernel.work = {WorkKind::matmul, 1e6, 0, 0};
  CHECK(kernel_demand(machine, kernel).alone_ns == Approx(4000));
  kernel.work.kind = WorkKind::convolution;
  CHECK(kernel_demand(machine, kernel).alone_ns == Approx(6000));
  kernel.work.kind = WorkKind::other;
  CHECK(kernel_demand(machine, kernel).alone_ns == Approx(3000));
}

TEST_CASE("blocks on a multiprocessor are limited by threads, blocks, registers and shared memory") {
  const GpuModel gpu = round_machine().gpu;
  const auto blocks = [&](unsigned threads, unsigned registers, unsigned shared_bytes) {
    KernelLaunch kernel;
    kernel.block.x = threads;
    kernel.registers_per_thread = registers;
    kernel.dynamic_shared_bytes = shared_bytes;
    return resident_blocks_per_sm(gpu, kernel);
  };
  CHECK(blocks(1024, 32, 0) == 2);             // 2,048 threads
  CHECK(blocks(1025, 32, 0) == 1);             // 33 warps
  CHECK(blocks(32, 32, 0) == 32);              // the limit of blocks
  CHECK(blocks(256, 64, 0) == 4);              // 2,048 registers a warp, 8 warps
  CHECK(blocks(256, 65, 0) == 3);              // allocated by 256: 2,304 a warp
  CHECK(blocks(64, 32, 32 * 1024) == 3);       // 96 KiB
  CHECK(blocks(64, 32, 32 * 1024 + 1) == 2);
  CHECK(blocks(1024, 255, 200 * 1024) == 1);   // impossible on the hardware: never none
}

TEST_CASE("a kernel that fills the GPU runs alone") {
  Rig rig;
  const Stream first = rig.backend->create_stream(0), second = rig.backend->create_stream(0);
  rig.launch(first, "a", 20, flops(100e6));   // 100 us
  rig.launch(second, "b", 1, flops(0));
  rig.backend->synchronize_device(0);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].what == "a");
  CHECK(kernels[0].end_ns == 109_us);
  CHECK(kernels[1].start_ns == kernels[0].end_ns);
}

TEST_CASE("kernels of two streams overlap while their blocks fit") {
  Rig rig;
  const Stream first = rig.backend->create_stream(0), second = rig.backend->create_stream(0);
  // 10 blocks: half the slots. 5 would be half the multiprocessors; here memory is used by a quarter each.
  rig.launch(first, "a", 10, {WorkKind::other, 25e6, 0, 0});
  rig.launch(second, "b", 10, {WorkKind::other, 25e6, 0, 0});
  rig.backend->synchronize_device(0);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].start_ns == 7_us);
  CHECK(kernels[1].start_ns == 12_us);  // together with the first
  CHECK(kernels[1].start_ns < kernels[0].end_ns);

  Rig fuller;
  const Stream third = fuller.backend->create_stream(0), fourth = fuller.backend->create_stream(0);
  fuller.launch(third, "a", 10, flops(25e6));
  fuller.launch(fourth, "b", 11, flops(25e6));  // one block too many
  fuller.backend->synchronize_device(0);
  CHECK(fuller.recorder.kernels[1].start_ns == fuller.recorder.kernels[0].end_ns);
}

TEST_CASE("three kernels of a third each run together") {
  MachineProfile machine = round_machine();
  machine.gpu.sm_count = 9;  // 18 blocks
  Rig rig(machine);
  for (int i = 0; i < 4; ++i) rig.launch(rig.backend->create_stream(0), "third", 6, flops(100e6));
  rig.backend->synchronize_device(0);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 4);
  CHECK(kernels[2].start_ns == 17_us);                 // its call's end and 2
  CHECK(kernels[3].start_ns == kernels[0].end_ns);     // the fourth waits for a place
}

TEST_CASE("a small kernel does not overtake one that became ready before it") {
  Rig rig;
  for (const unsigned blocks : {10u, 20u, 1u}) rig.launch(rig.backend->create_stream(0), "k", blocks, flops(100e6));
  rig.backend->synchronize_device(0);
  const auto& kernels = rig.recorder.kernels;
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[1].start_ns == kernels[0].end_ns);
  CHECK(kernels[2].start_ns == kernels[1].end_ns);
}

TEST_CASE("kernels that overlap share what both need, and not what one needs") {
  const auto ends = [](Work a, Work b) {
    MachineProfile machine = round_machine();
    machine.driver.launch_us = 0;  // both start at once
    machine.driver.kernel_start_us = 0;
    Rig rig(machine);
    const Stream first = rig.backend->create_stream(0), second = rig.backend->create_stream(0);
    rig.launch(first, "a", 10, a);
    rig.launch(second, "b", 10, b);
    rig.backend->synchronize_device(0);
    return std::pair(rig.recorder.kernels.at(0).end_ns - 2_us, rig.recorder.kernels.at(1).end_ns - 2_us);
  };
  CHECK(ends(flops(100e6), flops(100e6)) == std::pair(200_us, 200_us));
  CHECK(ends(flops(100e6), bytes(10e6)) == std::pair(100_us, 100_us));
  CHECK(ends(flops(100e6), flops(50e6)) == std::pair(100_us, 150_us));  // the shorter one ends first, and is told first
}

TEST_CASE("a pinned copy runs at the link's rate and leaves the host free") {
  Rig rig;
  const Buffer host = rig.host(Memory::pinned), device = rig.device(0);
  const Stream stream = rig.backend->create_stream(0);
  rig.backend->copy_async(device, host, 8'000'000, stream);
  CHECK(rig.now() == 6_us);
  rig.backend->synchronize(stream);
  REQUIRE(rig.recorder.copies.size() == 1);
  CHECK(rig.recorder.copies[0].start_ns == 8_us);
  CHECK(rig.recorder.copies[0].end_ns == 1009_us);  // 1 us to start, 8 MB at 8 GB/s
  CHECK(rig.now() == 1009_us);
}

TEST_CASE("pageable copies run at the staging rate and hold the host thread") {
  Rig rig;
  const Buffer host = rig.host(Memory::pageable), device = rig.device(0);
  const Stream stream = rig.backend->create_stream(0);
  rig.backend->copy_async(device, host, 2'000'000, stream);
  CHECK(rig.now() == 1009_us);  // 2 MB at 2 GB/s
  rig.backend->copy_async(host, device, 2'000'000, stream);
  CHECK(rig.now() == 2018_us);
  rig.backend->copy_async(host, device, 64 * 1024, stream);
  CHECK(rig.now() == 2018_us + 9_us + 32768);  // to the host always until done
}

TEST_CASE("a pageable copy to a device returns once staged, up to 64 KiB") {
  const auto host_ns = [](std::size_t size) {
    Rig rig;
    const Buffer host = rig.host(Memory::pageable), device = rig.device(0);
    rig.backend->copy_async(device, host, size, rig.backend->create_stream(0));
    return rig.now();
  };
  CHECK(host_ns(64 * 1024) == 6_us + 32768);          // the processor's part
  CHECK(host_ns(64 * 1024 + 2) == 9_us + 32769);      // all of it
}

TEST_CASE("a pageable copy passes three times over host memory") {
  MachineProfile machine = round_machine();
  machine.host.memory_gbps = 3;
  Rig rig(machine);
  const Buffer host = rig.host(Memory::pageable), device = rig.device(0);
  rig.backend->copy_async(device, host, 1'000'000, rig.backend->create_stream(0));
  CHECK(rig.now() == 1009_us);  // 1 GB/s, below the 2 of staging
}

TEST_CASE("a second engine lets two copies of one direction share the link") {
  MachineProfile machine = round_machine();
  machine.gpu.copy_engines_per_direction = 2;
  machine.driver.copy_us = 0;
  Rig rig(machine);
  const Buffer host = rig.host(Memory::pinned), device = rig.device(0);
  for (int i = 0; i < 2; ++i) rig.backend->copy_async(device, host, 8'000'000, rig.backend->create_stream(0));
  rig.backend->synchronize_device(0);
  for (const auto& copy : rig.recorder.copies) CHECK(copy.end_ns == 2003_us);
  CHECK(rig.recorder.copies.size() == 2);
}

TEST_CASE("fills and copies within a device run at its memory's rate") {
  Rig rig;
  const Buffer device = rig.device(0);
  const Stream stream = rig.backend->create_stream(0);
  rig.backend->fill_async(device, 1, 100'000'000, stream);
  rig.backend->copy_async(device, device, 100'000'000, stream);
  rig.backend->synchronize(stream);
  CHECK(rig.recorder.fills.at(0).end_ns - rig.recorder.fills.at(0).start_ns == 1001_us);
  CHECK(rig.recorder.copies.at(0).end_ns - rig.recorder.copies.at(0).start_ns == 2001_us);  // read and written
}

TEST_CASE("copies of one direction queue for the GPU's engine, opposite directions run together") {
  Rig rig;
  const Buffer host = rig.host(Memory::pinned), device = rig.device(0);
  const Stream a = rig.backend->create_stream(0), b = rig.backend->create_stream(0), c = rig.backend->create_stream(0);
  rig.backend->copy_async(device, host, 8'000'000, a);
  rig.backend->copy_async(device, host, 8'000'000, b);
  rig.backend->copy_async(host, device, 8'000'000, c);
  rig.backend->synchronize_device(0);
  const auto& copies = rig.recorder.copies;
  REQUIRE(copies.size() == 3);
  CHECK(copies[0].end_ns == 1009_us);
  CHECK(copies[1].start_ns == 20_us);     // the third call's, in full speed
  CHECK(copies[1].end_ns == 1021_us);
  CHECK(copies[2].start_ns == 1009_us);   // when the engine is free
  CHECK(copies[2].end_ns == 2010_us);
}

TEST_CASE("host work takes the cores it can use, and shares them") {
  const auto ends = [](int first_threads, int second_threads) {
    Rig rig;
    std::int64_t first_ns = 0, second_ns = 0;
    rig.backend->run_threads({{"first", [&] { rig.backend->host_work({flops(40e6), first_threads, {}}); first_ns = rig.now(); }},
                              {"second", [&] { rig.backend->host_work({flops(40e6), second_threads, {}}); second_ns = rig.now(); }}});
    return std::pair(first_ns, second_ns);
  };
  // A core does 10 GFLOP/s.
  CHECK(ends(2, 2) == std::pair(2_ms, 2_ms));          // all 4 in use
  CHECK(ends(4, 4) == std::pair(2_ms, 2_ms));          // 2 each
  CHECK(ends(8, 1) == std::pair(1'333'333L, 4_ms));    // 3 and 1; more threads than cores do not help
}

TEST_CASE("host work that streams is bound by host memory, and shares it") {
  Rig rig;
  rig.backend->host_work({bytes(100e6), 4, {}});
  CHECK(rig.now() == 1_ms);
  std::vector<std::int64_t> ends;
  const auto stream = [&] { rig.backend->host_work({bytes(100e6), 1, {}}); ends.push_back(rig.now()); };
  rig.backend->run_threads({{"a", stream}, {"b", stream}});
  CHECK(ends == std::vector<std::int64_t>{3_ms, 3_ms});
}
