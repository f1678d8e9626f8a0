// A machine in round figures, so that a test can state every time by hand, and what happened on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainer/virtual_box/activity.h"
#include "trainer/virtual_box/machine_profile.h"
#include "trainer/virtual_box/virtual_backend.h"

namespace virtual_box_test {

using namespace trainer;
using namespace trainer::virtual_box;

constexpr std::int64_t operator""_us(unsigned long long us) { return static_cast<std::int64_t>(us) * 1000; }
constexpr std::int64_t operator""_ms(unsigned long long ms) { return static_cast<std::int64_t>(ms) * 1'000'000; }

// Two GPUs of 10 multiprocessors, 1,000 GFLOP/s, 100 GB/s; links of 8 GB/s; 4 cores of 10 GFLOP/s, host memory of 100 GB/s.
// All factors are 1, pageable copies run at 2 GB/s. A launch takes 5 us, a copy call 6, an event call 1, a synchronising
// call 2; commands reach the GPU 2 us later; a kernel starts in 2 us, a copy in 1; making things is free.
MachineProfile round_machine();

// Everything the machine told, with times from the start of the clock.
class Recorder final : public ActivitySink {
 public:
  struct Timed {
    std::int64_t start_ns, end_ns;
    Place place;
    std::uint32_t correlation;
    std::string what;  // a kernel's name, a call, a kind
  };
  std::vector<Timed> calls, kernels, copies, fills, waits, events, full_queues, contexts, streams, migrations;
  std::string log;  // one line per activity, in the order in which they were told

  void describe(const MachineProfile& machine) override;
  void add_context(const Place& place) override;
  void add(const StreamActivity& activity) override;
  void add(const ApiActivity& activity) override;
  void add(const KernelActivity& activity) override;
  void add(const CopyActivity& activity) override;
  void add(const FillActivity& activity) override;
  void add(const SynchronizationActivity& activity) override;
  void add(const EventActivity& activity) override;
  void add(const MigrationActivity& activity) override;
  void add(const QueueFullActivity& activity) override;

 private:
  void keep(std::vector<Timed>& list, const char* kind, Timed entry);
};

struct Rig {
  explicit Rig(const MachineProfile& machine = round_machine()) : backend(make_virtual_backend(machine, &recorder)) {}
  std::int64_t now() { return backend->now_ns() - kEpochNs; }
  Buffer device(int gpu, std::size_t bytes = 1 << 30) { return backend->allocate(Memory::device, gpu, bytes, false); }
  Buffer host(Memory memory, std::size_t bytes = 1 << 30) { return backend->allocate(memory, 0, bytes, false); }
  // blocks of 1,024 threads: two fit on a multiprocessor, so 20 fill the GPU.
  void launch(Stream stream, const char* name, unsigned blocks, Work work) {
    KernelLaunch kernel;
    kernel.mangled_name = name;
    kernel.grid.x = blocks;
    kernel.block.x = 1024;
    kernel.work = work;
    backend->launch(stream, kernel);
  }
  Recorder recorder;
  std::unique_ptr<Backend> backend;
};

inline Work flops(double count) { return {WorkKind::other, count, 0, 0}; }
inline Work bytes(double count) { return {WorkKind::other, 0, count, 0}; }

}  // namespace virtual_box_test
