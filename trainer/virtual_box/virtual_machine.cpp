#include "trainer/virtual_box/virtual_machine.h"

#include <cstring>
#include <utility>

#include "trainer/virtual_box/virtual_backend.h"

namespace trainer::virtual_box {
namespace {

constexpr std::uint32_t kDefaultStreamId = 7, kFirstStreamId = 13;  // as NVIDIA's tools show them

bool on_device(const Buffer& buffer) { return buffer.memory == Memory::device; }

}  // namespace

VirtualMachine::VirtualMachine(MachineProfile machine, Scheduler& scheduler)
    : profile(std::move(machine)), clock(scheduler), links(scheduler), topology(profile, links),
      processor(links, topology.host_memory_link(), profile), streams(scheduler, kLaunchQueueCommands) {
  const int engines = profile.gpu.copy_engines_per_direction;
  const std::int64_t start_ns = ns_from_us(profile.driver.copy_start_us);
  for (int i = 0; i < profile.gpu.count; ++i) {
    devices_.push_back(std::make_unique<Device>(clock, links, engines, start_ns));
    add_stream(i);
  }
}

int VirtualMachine::add_stream(int index) {
  Device& owner = device(index);
  owner.streams.push_back(streams.add());
  return static_cast<int>(owner.streams.size()) - 1;
}

Place VirtualMachine::place_of(Stream stream) {
  const auto id = static_cast<std::uint32_t>(stream.id);
  return {stream.device, context_of(stream.device), id == 0 ? kDefaultStreamId : kFirstStreamId + id - 1};
}

// The legacy default stream waits for the device's other streams, and they for it.
std::vector<StreamPoint> VirtualMachine::default_stream_order(Stream stream) {
  const std::vector<int>& all = device(stream.device).streams;
  if (stream.id != 0) return {streams.last(all.front())};
  std::vector<StreamPoint> points;
  for (std::size_t i = 1; i < all.size(); ++i) points.push_back(streams.last(all[i]));
  return points;
}

StreamPoint VirtualMachine::enqueue(Stream stream, std::vector<StreamPoint> after, Begin begin) {
  for (const StreamPoint& point : default_stream_order(stream)) after.push_back(point);
  return streams.submit(queue_of(stream), clock.now_ns() + ns_from_us(profile.driver.submit_us), std::move(after), std::move(begin));
}

FlowDemand VirtualMachine::way(const Buffer& to, const Buffer& from) const {
  if (on_device(from) && on_device(to)) return topology.peer(from.device, to.device);
  if (on_device(to)) return topology.host_to_device(to.device, from.memory);
  if (on_device(from)) return topology.device_to_host(from.device, to.memory);
  return topology.host_to_host();
}

CopyEngines& VirtualMachine::engine_for(const Buffer& to, const Buffer& from, Stream stream) {
  if (on_device(from)) return device(from.device).copies_out;
  return device(on_device(to) ? to.device : stream.device).copies_in;
}

void VirtualMachine::run_copy(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream, Done done) {
  Done moved = [to, from, bytes, done = std::move(done)](Span span) {
    if (to.data && from.data && bytes > 0) std::memmove(to.data, from.data, bytes);
    done(span);
  };
  const auto size = static_cast<double>(bytes);
  if (on_device(to) && on_device(from) && to.device == from.device)
    device(to.device).multiprocessors.run(memory_pass_demand(profile, 2 * size), std::move(moved));  // read and written
  else
    engine_for(to, from, stream).run(size, way(to, from), std::move(moved));
}

void VirtualMachine::run_fill(const Buffer& buffer, int value, std::size_t bytes, Stream stream, Done done) {
  Done filled = [buffer, value, bytes, done = std::move(done)](Span span) {
    if (buffer.data && bytes > 0) std::memset(buffer.data, value, bytes);
    done(span);
  };
  const auto size = static_cast<double>(bytes);
  if (on_device(buffer))
    device(buffer.device).multiprocessors.run(memory_pass_demand(profile, size), std::move(filled));
  else
    device(stream.device).copies_out.run(size, topology.device_to_host(stream.device, Memory::pinned), std::move(filled));
}

void VirtualMachine::run_kernel(const KernelLaunch& kernel, Stream stream, Done done) {
  device(stream.device).multiprocessors.run(kernel_demand(profile, kernel, profile.clock_share(stream.device)), [kernel, done = std::move(done)](Span span) {
    if (kernel.arithmetic) kernel.arithmetic();
    done(span);
  });
}

}  // namespace trainer::virtual_box
