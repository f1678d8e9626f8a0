// The calls of a backend: what each costs the host thread, what it hands to the GPU, what it tells the profiler.
#include "trainer/virtual_box/virtual_backend.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "trainer/virtual_box/injection.h"
#include "trainer/virtual_box/virtual_machine.h"

namespace trainer::virtual_box {
namespace {

constexpr std::size_t kStagedBytes = 64 * 1024;  // pageable copies to a device up to this return once staged (CUDA API sync behavior)
constexpr std::uint64_t kDeviceAddress = 0x7f00'0000'0000, kHostAddress = 0x6000'0000'0000, kDeviceRange = 1ULL << 40;
constexpr std::uint64_t kAllocationUnit = 512;

// Pages that are touched on the other side move in groups, one after the other: the fault is handled, then the group is copied.
// Sizes and costs together give the 5.4 GB/s that NVIDIA measured over PCIe 3.0 x16 ("Maximizing Unified Memory Performance
// in CUDA", 2017).
constexpr std::uint64_t kFaultGroupBytes = 256 * 1024;
constexpr double kFaultGroupUs = 26;

Api allocation_of(Memory memory) {
  if (memory == Memory::managed) return Api::allocate_managed;
  return memory == Memory::device ? Api::allocate_device : Api::allocate_pinned;
}

class VirtualBackend final : public Backend, private MachineClock {
 public:
  VirtualBackend(const MachineProfile& profile, ActivitySink* sink) : clock_(kEpochNs), machine_(profile, clock_), sink_(sink) {}
  ~VirtualBackend() override;

  void connect() {
    sink_ = connect_profiler(*this, machine_.profile);
    injected_ = sink_ != nullptr;
  }

  std::string description() const override { return "virtual machine " + machine_.profile.name + ": times are modelled"; }
  int device_count() const override { return machine_.device_count(); }
  bool computes_itself() const override { return false; }
  void run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads) override {
    clock_.run_threads(named_threads);
  }
  std::int64_t now_ns() override { return clock_.now_ns(); }
  void set_device(int device) override;
  Stream create_stream(int device) override;
  Event create_event(int device) override;
  Buffer allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) override;
  Counter create_counter() override;
  void release(const Buffer& buffer) override;
  void advance(Counter counter) override;
  void wait_until_reached(Counter counter, std::int64_t value) override;
  void pause(std::int64_t duration_ns) override { clock_.wait_until(clock_.now_ns() + duration_ns); }
  void upload(const Buffer& to, const void* from, std::size_t bytes) override { std::memcpy(to.data, from, bytes); }
  void copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) override;
  void fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) override;
  void touch_on_host(const Buffer& managed, std::size_t bytes) override;
  void touch_on_device(const Buffer& managed, std::size_t bytes, Stream stream) override;
  void launch(Stream stream, const KernelLaunch& kernel) override;
  void record(Event event, Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize(Stream stream) override;
  void synchronize(Event event) override;
  void synchronize_device(int device) override;
  void host_work(const HostWork& work) override;
  void framework_dispatch() override { hold_driver(machine_.profile.efficiency.framework_op_us); }

 private:
  std::int64_t now_ns() const override { return clock_.now_ns(); }
  const DriverCosts& costs() const { return machine_.profile.driver; }
  EventState& state(Event event) {
    assert(event.id >= 0 && static_cast<std::size_t>(event.id) < machine_.events.size());
    return machine_.events[static_cast<std::size_t>(event.id)];
  }

  void hold_driver(double us);
  template <class Action>
  void call(Api api, int device, double cost_us, Action action);
  template <class Action>
  void call_on_stream(Api api, Stream stream, double cost_us, Action action);
  void ensure_context(int device);
  void wait_for_device(int device);
  void wait_for_queue_space(Stream stream, std::uint32_t correlation);
  struct Pages {
    std::uint64_t address = 0, bytes = 0;  // to move
    Place place;
    bool to_device = true;
  };
  void migrate(std::vector<Pages> pages, std::function<void()> done);  // one after the other
  void wait_like_cuda(const Buffer& to, const Buffer& from, std::size_t bytes, const StreamPoint& end);
  template <class Activity>
  void tell(const Activity& activity) {
    if (sink_) sink_->add(activity);
  }

  Scheduler clock_;
  VirtualMachine machine_;
  ActivitySink* sink_;
  bool injected_ = false;
  std::int64_t driver_free_ns_ = kEpochNs;  // when the driver's lock is free
  std::uint32_t next_correlation_ = 1;
  std::int64_t next_grid_id_ = 1;
  std::uint64_t next_record_id_ = 1, next_host_address_ = kHostAddress;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> storage_;
  struct HostCounter {
    std::int64_t value = 0;
    std::vector<std::pair<Scheduler::HostThread*, std::int64_t>> waiting;  // and for which value
  };
  std::vector<HostCounter> counters_;
  std::map<std::uint64_t, int> resident_on_;  // managed memory by address: the GPU that has it
  std::map<int, std::vector<Pages>> touched_by_next_kernel_;  // by queue
};

VirtualBackend::~VirtualBackend() {
  clock_.run_until_idle();
  if (injected_) disconnect_profiler();
}

// One call at a time in the process; who came first (in modelled time) goes first.
void VirtualBackend::hold_driver(double us) {
  driver_free_ns_ = std::max(driver_free_ns_, clock_.now_ns()) + ns_from_us(us);
  clock_.wait_until(driver_free_ns_);
}

template <class Action>
void VirtualBackend::call(Api api, int device, double cost_us, Action action) {
  const std::uint32_t correlation = next_correlation_++;
  const std::int64_t start_ns = clock_.now_ns();
  ensure_context(device);
  hold_driver(cost_us);
  action(correlation);
  tell(ApiActivity{api, start_ns, clock_.now_ns(), correlation});
}

template <class Action>
void VirtualBackend::call_on_stream(Api api, Stream stream, double cost_us, Action action) {
  call(api, stream.device, cost_us, [&](std::uint32_t correlation) {
    wait_for_queue_space(stream, correlation);
    action(correlation);
  });
}

void VirtualBackend::ensure_context(int device) {
  Device& owner = machine_.device(device);
  if (owner.has_context) return;
  owner.has_context = true;
  hold_driver(costs().context_us);
  if (sink_) sink_->add_context(VirtualMachine::place_of({device, 0}));
}

void VirtualBackend::wait_for_queue_space(Stream stream, std::uint32_t correlation) {
  const int queue = machine_.queue_of(stream);
  if (!machine_.streams.full(queue)) return;
  const std::int64_t start_ns = clock_.now_ns();
  machine_.streams.park_while_full(queue);
  tell(QueueFullActivity{start_ns, clock_.now_ns(), VirtualMachine::place_of(stream), correlation});
}

void VirtualBackend::set_device(int device) {
  call(Api::set_device, device, costs().event_us, [](std::uint32_t) {});
}

Stream VirtualBackend::create_stream(int device) {
  Stream stream{device, 0};
  call(Api::create_stream, device, costs().create_us, [&](std::uint32_t correlation) {
    stream.id = machine_.add_stream(device);
    tell(StreamActivity{VirtualMachine::place_of(stream), correlation});
  });
  return stream;
}

Event VirtualBackend::create_event(int device) {
  Event event;
  call(Api::create_event, device, costs().create_us, [&](std::uint32_t) {
    event.id = static_cast<int>(machine_.events.size());
    machine_.events.push_back({device, {}, 0});
  });
  return event;
}

Buffer VirtualBackend::allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) {
  Buffer buffer{memory, device, size_bytes, 0, nullptr};
  const std::uint64_t taken = (size_bytes + kAllocationUnit - 1) / kAllocationUnit * kAllocationUnit;
  const auto place = [&](std::uint32_t) {
    std::uint64_t& used = memory == Memory::device ? machine_.device(device).allocated_bytes : next_host_address_;
    buffer.address = used + (memory == Memory::device ? kDeviceAddress + static_cast<std::uint64_t>(device) * kDeviceRange : 0);
    used += taken;
  };
  if (memory == Memory::pageable) place(0);  // no call of CUDA's
  else call(allocation_of(memory), device, costs().allocate_us, place);
  if (with_storage) {
    buffer.data = std::calloc(1, size_bytes ? size_bytes : 1);
    storage_.emplace_back(buffer.data, &std::free);
  }
  return buffer;
}

void VirtualBackend::release(const Buffer& buffer) {
  if (buffer.memory != Memory::pageable) {
    call(buffer.memory == Memory::pinned ? Api::free_pinned : Api::free_device, buffer.device, costs().allocate_us,
         [&](std::uint32_t) { wait_for_device(buffer.device); });
  }
  std::erase_if(storage_, [&](const auto& stored) { return buffer.data && stored.get() == buffer.data; });
}

Counter VirtualBackend::create_counter() {
  counters_.emplace_back();
  return {static_cast<int>(counters_.size()) - 1};
}

void VirtualBackend::advance(Counter counter) {
  HostCounter& state = counters_[static_cast<std::size_t>(counter.id)];
  ++state.value;
  for (const auto& [thread, value] : state.waiting)
    if (value <= state.value) clock_.release(*thread, clock_.now_ns());
  std::erase_if(state.waiting, [&](const auto& waiter) { return waiter.second <= state.value; });
}

void VirtualBackend::wait_until_reached(Counter counter, std::int64_t value) {
  HostCounter& state = counters_[static_cast<std::size_t>(counter.id)];
  if (state.value >= value) return;
  state.waiting.emplace_back(&clock_.current(), value);
  clock_.park();
}

void VirtualBackend::copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) {
  const bool peer = to.memory == Memory::device && from.memory == Memory::device && to.device != from.device;
  call_on_stream(peer ? Api::copy_peer : Api::copy, stream, costs().copy_us, [&](std::uint32_t correlation) {
    const auto end = machine_.enqueue(stream, {}, [=, this](std::function<void()> finished) {
      machine_.run_copy(to, from, bytes, stream, [=, this](Span span) {
        tell(CopyActivity{span.start_ns, span.end_ns, VirtualMachine::place_of(stream), correlation, bytes, from.memory, to.memory,
                          from.device, to.device});
        finished();
      });
    });
    wait_like_cuda(to, from, bytes, end);
  });
}

// What cudaMemcpyAsync does with pageable memory ("API synchronization behavior" in CUDA's reference).
void VirtualBackend::wait_like_cuda(const Buffer& to, const Buffer& from, std::size_t bytes, const StreamPoint& end) {
  if (to.memory != Memory::pageable && from.memory != Memory::pageable) return;
  if (to.memory == Memory::device && bytes <= kStagedBytes) {
    const double staged_us = static_cast<double>(bytes) / machine_.profile.host.pageable_gbps / 1000;
    clock_.wait_until(clock_.now_ns() + ns_from_us(staged_us));
  } else {
    machine_.streams.park_until(end);
  }
}

void VirtualBackend::fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) {
  call_on_stream(Api::fill, stream, costs().copy_us, [&](std::uint32_t correlation) {
    machine_.enqueue(stream, {}, [=, this](std::function<void()> finished) {
      machine_.run_fill(buffer, value, bytes, stream, [=, this](Span span) {
        tell(FillActivity{span.start_ns, span.end_ns, VirtualMachine::place_of(stream), correlation, bytes,
                          static_cast<std::uint32_t>(value), buffer.memory});
        finished();
      });
    });
  });
}

void VirtualBackend::migrate(std::vector<Pages> pages, std::function<void()> done) {
  while (!pages.empty() && pages.back().bytes == 0) pages.pop_back();
  if (pages.empty()) return done();
  const Pages group = pages.back();
  const std::uint64_t bytes = std::min(group.bytes, kFaultGroupBytes);
  pages.back().address += bytes;
  pages.back().bytes -= bytes;
  const std::int64_t start_ns = clock_.now_ns();
  clock_.at(start_ns + ns_from_us(kFaultGroupUs), [=, this, pages = std::move(pages), done = std::move(done)] {
    const Buffer host{Memory::pinned, 0, bytes, 0, nullptr}, gpu{Memory::device, group.place.device, bytes, 0, nullptr};
    machine_.run_copy(group.to_device ? gpu : host, group.to_device ? host : gpu, bytes, {group.place.device, 0}, [=, this](Span span) {
      tell(MigrationActivity{start_ns, span.end_ns, group.place, group.address, bytes, group.to_device});
      migrate(pages, done);
    });
  });
}

void VirtualBackend::touch_on_host(const Buffer& managed, std::size_t bytes) {
  const auto resident = resident_on_.find(managed.address);
  if (resident == resident_on_.end()) return;
  const int device = resident->second;
  resident_on_.erase(resident);
  auto& self = clock_.current();
  clock_.at(clock_.now_ns(), [=, this, &self] {
    migrate({{managed.address, bytes, VirtualMachine::place_of({device, 0}), false}}, [this, &self] { clock_.release(self, clock_.now_ns()); });
  });
  clock_.park();
}

void VirtualBackend::touch_on_device(const Buffer& managed, std::size_t bytes, Stream stream) {
  const auto [resident, moves] = resident_on_.insert_or_assign(managed.address, stream.device);
  if (!moves) return;
  touched_by_next_kernel_[machine_.queue_of(stream)].push_back({managed.address, bytes, VirtualMachine::place_of(stream), true});
}

// A kernel runs, and holds its place in the stream, while the pages that it touches move.
void VirtualBackend::launch(Stream stream, const KernelLaunch& asked) {
  KernelLaunch kernel = asked;
  if (asked.grid_ends_at_full_gpu) {
    const GpuModel& gpu = machine_.profile.gpu;
    const auto held = static_cast<std::uint32_t>(gpu.sm_count * std::max(1, gpu.max_threads_per_sm / static_cast<int>(asked.block.x)));
    kernel.grid.x = std::min(kernel.grid.x, held);
  }
  call_on_stream(Api::launch_kernel, stream, costs().launch_us, [&](std::uint32_t correlation) {
    const std::int64_t grid_id = next_grid_id_++;
    const std::vector<Pages> pages = std::exchange(touched_by_next_kernel_[machine_.queue_of(stream)], {});
    machine_.enqueue(stream, {}, [=, this](std::function<void()> finished) {
      const std::int64_t begun_ns = clock_.now_ns();
      const auto run = [=, this] {
        machine_.run_kernel(kernel, stream, [=, this](Span span) {
          const std::int64_t start_ns = pages.empty() ? span.start_ns : begun_ns;
          tell(KernelActivity{start_ns, span.end_ns, VirtualMachine::place_of(stream), correlation, grid_id, kernel});
          finished();
        });
      };
      migrate(pages, run);
    });
  });
}

void VirtualBackend::record(Event event, Stream stream) {
  call_on_stream(Api::record_event, stream, costs().event_us, [&](std::uint32_t correlation) {
    const std::uint64_t record_id = next_record_id_++;
    const auto point = machine_.enqueue(stream, {}, [=, this](std::function<void()> finished) {
      tell(EventActivity{clock_.now_ns(), VirtualMachine::place_of(stream), correlation, static_cast<std::uint32_t>(event.id), record_id});
      finished();
    });
    state(event).point = point;
    state(event).record_id = record_id;
  });
}

void VirtualBackend::wait(Stream stream, Event event) {
  const std::int64_t start_ns = clock_.now_ns();
  call_on_stream(Api::wait_event, stream, costs().event_us, [&](std::uint32_t correlation) {
    const EventState& recorded = state(event);
    if (recorded.record_id != 0)
      machine_.enqueue(stream, {recorded.point}, [](const std::function<void()>& finished) { finished(); });
    tell(SynchronizationActivity{Waited::stream_for_event, start_ns, clock_.now_ns(), VirtualMachine::place_of(stream), correlation,
                                 static_cast<std::uint32_t>(event.id), recorded.record_id});
  });
}

void VirtualBackend::synchronize(Stream stream) {
  const std::int64_t start_ns = clock_.now_ns();
  call(Api::synchronize_stream, stream.device, costs().synchronize_us, [&](std::uint32_t correlation) {
    machine_.streams.park_until(machine_.streams.last(machine_.queue_of(stream)));
    tell(SynchronizationActivity{Waited::stream, start_ns, clock_.now_ns(), VirtualMachine::place_of(stream), correlation, 0, 0});
  });
}

void VirtualBackend::synchronize(Event event) {
  const std::int64_t start_ns = clock_.now_ns();
  const EventState recorded = state(event);
  call(Api::synchronize_event, recorded.device, costs().synchronize_us, [&](std::uint32_t correlation) {
    if (recorded.record_id != 0) machine_.streams.park_until(recorded.point);
    tell(SynchronizationActivity{Waited::event, start_ns, clock_.now_ns(), VirtualMachine::place_of({recorded.device, 0}), correlation,
                                 static_cast<std::uint32_t>(event.id), recorded.record_id});
  });
}

void VirtualBackend::synchronize_device(int device) {
  const std::int64_t start_ns = clock_.now_ns();
  call(Api::synchronize_device, device, costs().synchronize_us, [&](std::uint32_t correlation) {
    wait_for_device(device);
    tell(SynchronizationActivity{Waited::device, start_ns, clock_.now_ns(), VirtualMachine::place_of({device, 0}), correlation, 0, 0});
  });
}

void VirtualBackend::wait_for_device(int device) {
  std::vector<StreamPoint> ends;
  for (int queue : machine_.device(device).streams) ends.push_back(machine_.streams.last(queue));
  for (const StreamPoint& end : ends) machine_.streams.park_until(end);
}

void VirtualBackend::host_work(const HostWork& work) {
  if (work.arithmetic) work.arithmetic();
  auto& self = clock_.current();
  machine_.processor.run(work.work, work.threads, [this, &self] { clock_.release(self, clock_.now_ns()); });
  clock_.park();
}

}  // namespace

tl::expected<std::unique_ptr<Backend>, std::string> make_virtual_backend(const std::string& profile_name_or_path) {
  auto profile = read_profile(profile_name_or_path);
  if (!profile) return tl::unexpected(profile.error());
  return make_virtual_backend(*profile);
}

std::unique_ptr<Backend> make_virtual_backend(const MachineProfile& machine) {
  auto backend = std::make_unique<VirtualBackend>(machine, nullptr);
  backend->connect();
  return backend;
}

std::unique_ptr<Backend> make_virtual_backend(const MachineProfile& machine, ActivitySink* sink) {
  if (sink) sink->describe(machine);
  return std::make_unique<VirtualBackend>(machine, sink);
}

}  // namespace trainer::virtual_box
