// What a training program asks of GPUs: streams, events, buffers, copies, kernels, and work on the host. The trainer is
// written against this; a backend is the modelled machine (virtual_box) or CUDA itself. Calls act on the calling host
// thread, in its program order, as CUDA's do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/kernel_operands.h"

namespace trainer {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

// What a kernel has to do, from which a modelled machine derives its time. A real GPU ignores it.
enum class WorkKind : std::uint8_t { other, matmul, convolution };
struct Work {
  WorkKind kind = WorkKind::other;
  double flops = 0;      // multiply and add count as two
  double bytes = 0;      // DRAM traffic: read once + written once
  double index_ops = 0;  // output elements x rank, for kernels that find each coefficient by 64-bit division per dimension
  double serial_loads = 0;  // that one thread makes one after the other: few threads wait for memory, whatever its bandwidth
};

struct KernelLaunch {
  std::string_view mangled_name;  // of the GPU kernel; must outlive the program (a literal or an interned string)
  Dim3 grid, block;
  bool grid_ends_at_full_gpu = false;  // grid.x is cut to the blocks that the GPU holds at once: threads stride over the rest
  std::uint32_t registers_per_thread = 32, static_shared_bytes = 0, dynamic_shared_bytes = 0;
  Work work;
  std::function<void()> arithmetic;  // what the kernel computes; empty when arithmetic is off
  std::shared_ptr<const KernelOperands> operands{};  // shared by the copies of a launch that wait in queues
};

// Work on the host's processor. threads: how many cores it can use (an op of a framework uses its whole pool).
struct HostWork {
  Work work;
  int threads = 1;
  std::function<void()> arithmetic;
};

struct Stream { int device = 0; int id = 0; };
struct Event { int id = 0; };
struct Counter { int id = 0; };  // a number that host threads wait for: how one hands work to another

enum class Memory : std::uint8_t {
  device, pageable, pinned,
  managed  // one address for host and GPUs: pages move to who touches them
};
struct Buffer {
  Memory memory = Memory::device;
  int device = 0;              // of device memory
  std::size_t size_bytes = 0;
  std::uint64_t address = 0;   // modelled; unique
  void* data = nullptr;        // real storage; nullptr where arithmetic is off
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string description() const = 0;  // "virtual machine 4x-titan-x: times are modelled"
  virtual int device_count() const = 0;
  // Kernels run on GPUs and leave their results there: `arithmetic` is not called, and device memory is not the host's to touch.
  virtual bool computes_itself() const = 0;

  // Runs each function on a host thread of its own and waits for all. A modelled machine gives each thread a clock.
  virtual void run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads) = 0;
  virtual std::int64_t now_ns() = 0;  // the calling host thread's clock

  virtual void set_device(int device) = 0;
  virtual Stream create_stream(int device) = 0;
  virtual Event create_event(int device) = 0;
  virtual Counter create_counter() = 0;  // at zero
  virtual Buffer allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) = 0;
  virtual void release(const Buffer& buffer) = 0;  // of a whole allocation; device memory waits for its device, as cudaFree does

  // Before the first step: blocks, takes no modelled time, and no profiler of a modelled machine sees it.
  virtual void upload(const Buffer& to, const void* from, std::size_t bytes) = 0;
  // Copies the first `bytes`; the kind follows from the two memories. Pageable copies block the host as CUDA's do.
  virtual void copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) = 0;
  // Managed memory moves when it is touched; a real GPU does it by itself. The host is about to write this: it waits for pages
  // that lie on a GPU. The next kernel of the stream reads this: it waits for pages that lie on the host.
  virtual void touch_on_host(const Buffer& /*managed*/, std::size_t /*bytes*/) {}
  virtual void touch_on_device(const Buffer& /*managed*/, std::size_t /*bytes*/, Stream /*stream*/) {}
  virtual void fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) = 0;
  virtual void launch(Stream stream, const KernelLaunch& kernel) = 0;
  // The mean of the buffers, each on the GPU of its stream, left in each of them: by a collective library, where the backend has one.
  // False where it has none for these: the caller does it with copies and kernels.
  virtual bool average_over_gpus(const std::vector<Buffer>& /*buffers*/, const std::vector<Stream>& /*streams*/) { return false; }
  virtual void record(Event event, Stream stream) = 0;
  virtual void wait(Stream stream, Event event) = 0;  // the stream waits, not the host
  virtual void synchronize(Stream stream) = 0;
  virtual void synchronize(Event event) = 0;
  virtual void synchronize_device(int device) = 0;

  virtual void advance(Counter counter) = 0;  // by one
  virtual void wait_until_reached(Counter counter, std::int64_t value) = 0;  // the calling host thread

  // Takes the host's cores for as long as the work needs; other host threads share them.
  virtual void host_work(const HostWork& work) = 0;
  virtual void pause(std::int64_t duration_ns) = 0;  // the calling host thread does something else, on a core of its own
  // What a framework spends on the host to hand out one op (scheduling, shape checks, allocation): one at a time per process.
  virtual void framework_dispatch() = 0;
};

}  // namespace trainer
