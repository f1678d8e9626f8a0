// A program for two GPUs or more that does a bit of everything, on the machine that its first argument names. With a second
// argument it sleeps at random between calls: that must not change anything that a profiler sees.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "trainer/virtual_box/virtual_backend.h"

namespace {

using namespace trainer;

bool g_sleeps = false;

void dawdle() {
  thread_local std::mt19937 random{std::random_device{}()};
  if (g_sleeps) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
}

void run_tower(Backend& box, int gpu) {
  box.set_device(gpu);
  const Stream compute = box.create_stream(gpu), copies = box.create_stream(gpu);
  const Event arrived = box.create_event(gpu);
  const Buffer pinned = box.allocate(Memory::pinned, gpu, 1 << 20, false), pageable = box.allocate(Memory::pageable, gpu, 1 << 20, false);
  const Buffer here = box.allocate(Memory::device, gpu, 1 << 20, false), there = box.allocate(Memory::device, 1 - gpu, 1 << 20, false);
  KernelLaunch kernel;
  kernel.mangled_name = "_Z6kernelPf";
  kernel.grid = {64, 2, 1};
  kernel.block = {128, 1, 1};
  kernel.static_shared_bytes = 512;
  kernel.work = {WorkKind::matmul, 1e9, 1e6, 0};
  for (int step = 0; step < 5; ++step) {
    box.framework_dispatch();
    box.copy_async(here, pinned, 1 << 20, copies);
    dawdle();
    box.record(arrived, copies);
    box.wait(compute, arrived);
    for (int i = 0; i < 10; ++i) box.launch(compute, kernel);
    dawdle();
    box.fill_async(here, 7, 4096, compute);
    box.copy_async(there, here, 1 << 19, compute);
    box.copy_async(pageable, here, 1 << 18, compute);
    dawdle();
    box.host_work({{WorkKind::other, 1e7, 1e6, 0}, 2, {}});
    box.synchronize(arrived);
    box.synchronize(compute);
  }
  box.synchronize_device(gpu);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  g_sleeps = count > 2;
  auto box = virtual_box::make_virtual_backend(arguments[1]);
  if (!box) {
    std::fprintf(stderr, "%s\n", box.error().c_str());
    return 1;
  }
  (*box)->run_threads({{"tower 0", [&] { run_tower(**box, 0); }}, {"tower 1", [&] { run_tower(**box, 1); }}});
  std::printf("%s, done at %lld\n", (*box)->description().c_str(), static_cast<long long>((*box)->now_ns() - virtual_box::kEpochNs));
  return 0;
}
