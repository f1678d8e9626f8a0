// The hardware of the modelled machine and what CUDA keeps about it: devices, contexts, streams, events, launch queues.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/virtual_box/activity.h"
#include "trainer/virtual_box/engines.h"
#include "trainer/virtual_box/streams.h"
#include "trainer/virtual_box/topology.h"

namespace trainer::virtual_box {

inline std::int64_t ns_from_us(double us) { return static_cast<std::int64_t>(us * 1000 + 0.5); }

struct Device {
  Device(Scheduler& clock, FluidNetwork& links, int copy_engines, std::int64_t copy_start_ns)
      : multiprocessors(clock), copies_in(clock, links, copy_engines, copy_start_ns), copies_out(clock, links, copy_engines, copy_start_ns) {}

  Multiprocessors multiprocessors;
  CopyEngines copies_in, copies_out;
  bool has_context = false;
  std::vector<int> streams;         // index in Streams, by Stream::id; the first is the default stream
  std::uint64_t allocated_bytes = 0;
};

struct EventState {
  int device = 0;
  StreamPoint point;            // of its latest record
  std::uint64_t record_id = 0;  // 0: never recorded
};

class VirtualMachine {
 public:
  VirtualMachine(MachineProfile machine, Scheduler& clock);

  Device& device(int index) {
    assert(index >= 0 && index < device_count());
    return *devices_[static_cast<std::size_t>(index)];
  }
  int device_count() const { return static_cast<int>(devices_.size()); }
  int add_stream(int device);  // its Stream::id
  int queue_of(Stream stream) {
    const std::vector<int>& all = device(stream.device).streams;
    assert(stream.id >= 0 && static_cast<std::size_t>(stream.id) < all.size());
    return all[static_cast<std::size_t>(stream.id)];
  }
  static std::uint32_t context_of(int device) { return static_cast<std::uint32_t>(device) + 1; }
  static Place place_of(Stream stream);

  // The calling host thread hands a command to the GPU, which sees it after the profile's delay.
  StreamPoint enqueue(Stream stream, std::vector<StreamPoint> after, Begin begin);
  // Executes a copy; the kind follows from the memories. The bytes themselves are moved when it is done.
  void run_copy(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream, Done done);
  void run_fill(const Buffer& buffer, int value, std::size_t bytes, Stream stream, Done done);
  void run_kernel(const KernelLaunch& kernel, Stream stream, Done done);

  const MachineProfile profile;
  Scheduler& clock;
  FluidNetwork links;
  Topology topology;
  HostProcessor processor;
  Streams streams;
  std::vector<EventState> events;

 private:
  std::vector<StreamPoint> default_stream_order(Stream stream);
  CopyEngines& engine_for(const Buffer& to, const Buffer& from, Stream stream);
  FlowDemand way(const Buffer& to, const Buffer& from) const;

  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace trainer::virtual_box
