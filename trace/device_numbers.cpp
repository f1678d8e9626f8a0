#include "trace/device_numbers.h"

#include <map>
#include <set>
#include <vector>

namespace gputrace::trace {
namespace {

struct OwnDevice {  // a CUDA number, in its process
  ProcessIndex process;
  DeviceId device;
  friend auto operator<=>(const OwnDevice&, const OwnDevice&) = default;
};
constexpr ProcessIndex kNoSuchProcess{-2};
using NumberOfDevice = std::map<OwnDevice, DeviceId>;

class Renumbering {
 public:
  explicit Renumbering(const NumberOfDevice& numbers) : numbers_(numbers) {}

  void apply(DeviceColumns& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows.device[i] = number_of({rows.process[i], rows.device[i]});
  }

  void apply_to_peers(Copies& copies) {
    for (std::size_t i = 0; i < copies.size(); ++i) {
      copies.source_device[i] = number_of({copies.process[i], copies.source_device[i]});
      copies.destination_device[i] = number_of({copies.process[i], copies.destination_device[i]});
    }
  }

  std::int64_t unknown_rows() const { return unknown_rows_; }

 private:
  DeviceId number_of(const OwnDevice& own) {
    if (last_ == own) return last_number_;
    const auto found = numbers_.find(own);
    if (found == numbers_.end()) return ++unknown_rows_, own.device;
    last_ = own;
    return last_number_ = found->second;
  }

  const NumberOfDevice& numbers_;
  OwnDevice last_{kNoSuchProcess, {}};  // rows of one process come in runs
  DeviceId last_number_{};
  std::int64_t unknown_rows_ = 0;
};

void renumber(Trace& trace, const NumberOfDevice& numbers) {
  Renumbering renumbering{numbers};
  renumbering.apply_to_peers(trace.copies);
  for (DeviceColumns* rows :
       {static_cast<DeviceColumns*>(&trace.kernels), static_cast<DeviceColumns*>(&trace.copies),
        static_cast<DeviceColumns*>(&trace.fills), static_cast<DeviceColumns*>(&trace.synchronizations),
        static_cast<DeviceColumns*>(&trace.cuda_events),
        static_cast<DeviceColumns*>(&trace.graph_launches)}) {
    renumbering.apply(*rows);
  }
  if (renumbering.unknown_rows() > 0) {
    trace.diagnostics.push_back(
        {"device rows whose GPU is not known: they keep their process's number", renumbering.unknown_rows()});
  }
}

bool is_nccl_kernel(std::string_view name) { return name.starts_with("nccl"); }

// CUDA numbers on which NCCL kernels of two processes ran.
bool have_shared_number(const std::set<OwnDevice>& devices) {
  std::set<DeviceId> seen;
  for (const OwnDevice& own : devices) {
    if (!seen.insert(own.device).second) return true;
  }
  return false;
}

template <class Use>
void for_each_device_row(const Trace& trace, Use use) {
  for (const DeviceColumns* rows :
       {static_cast<const DeviceColumns*>(&trace.kernels), static_cast<const DeviceColumns*>(&trace.copies),
        static_cast<const DeviceColumns*>(&trace.fills),
        static_cast<const DeviceColumns*>(&trace.synchronizations),
        static_cast<const DeviceColumns*>(&trace.cuda_events),
        static_cast<const DeviceColumns*>(&trace.graph_launches)}) {
    OwnDevice last{kNoSuchProcess, {}};
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const OwnDevice own{rows->process[i], rows->device[i]};
      if (own != last) use(own);
      last = own;
    }
  }
}

using ContextOfProcess = std::pair<ProcessIndex, ContextId>;
using DeviceOfContext = std::map<ContextOfProcess, DeviceId>;

void add_contexts(const DeviceColumns& rows, DeviceOfContext& devices) {
  ContextOfProcess last{kNoSuchProcess, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ContextOfProcess context{rows.process[i], rows.context[i]};
    if (context != last) devices.try_emplace(context, rows.device[i]);
    last = context;
  }
}

void take_devices(DeviceColumns& rows, const DeviceOfContext& devices) {
  ContextOfProcess last{kNoSuchProcess, {}};
  auto found = devices.end();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ContextOfProcess context{rows.process[i], rows.context[i]};
    if (context != last) found = devices.find(context);
    last = context;
    if (found != devices.end()) rows.device[i] = found->second;
  }
}

}  // namespace

void take_devices_from_contexts(Trace& trace) {
  DeviceOfContext devices;
  add_contexts(trace.kernels, devices);
  add_contexts(trace.copies, devices);
  add_contexts(trace.fills, devices);
  take_devices(trace.synchronizations, devices);
  take_devices(trace.cuda_events, devices);
}

bool is_ambiguous(std::span<const CudaDevice> devices) {
  std::map<std::int32_t, std::int32_t> gpu_of_device;
  for (const CudaDevice& device : devices) {
    const auto [entry, is_new] = gpu_of_device.try_emplace(device.cuda_device, device.gpu);
    if (!is_new && entry->second != device.gpu) return true;
  }
  return false;
}

void number_devices_by_gpu(Trace& trace, std::span<const CudaDevice> devices) {
  NumberOfDevice numbers;
  for (std::size_t i = 0; i < trace.processes.size(); ++i) {
    for (const CudaDevice& device : devices) {
      if (device.pid != trace.processes[i].pid) continue;
      numbers[{ProcessIndex{static_cast<std::int32_t>(i)}, DeviceId{device.cuda_device}}] =
          DeviceId{device.gpu};
    }
  }
  renumber(trace, numbers);
}

void separate_devices_of_nccl_ranks(Trace& trace) {
  std::vector<bool> is_nccl(trace.strings.size());
  for (std::uint32_t name = 0; name < is_nccl.size(); ++name) is_nccl[name] = is_nccl_kernel(trace.text(StringId{name}));
  std::set<OwnDevice> nccl_devices;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    if (is_nccl[trace.kernels.short_name[i].value] && trace.kernels.process[i].value >= 0)
      nccl_devices.insert({trace.kernels.process[i], trace.kernels.device[i]});
  }
  if (!have_shared_number(nccl_devices)) return;

  std::map<std::pair<std::int64_t, DeviceId>, OwnDevice> in_order;  // by pid
  for_each_device_row(trace, [&](const OwnDevice& own) {
    if (own.process.value < 0) return;
    in_order[{trace.processes[static_cast<std::size_t>(own.process.value)].pid, own.device}] = own;
  });
  NumberOfDevice numbers;
  for (const auto& [key, own] : in_order)
    numbers.try_emplace(own, DeviceId{static_cast<std::int32_t>(numbers.size())});
  renumber(trace, numbers);
  trace.diagnostics.push_back(
      {"GPUs numbered by rank: processes name them alike, and NCCL needs a GPU for each",
       static_cast<std::int64_t>(numbers.size())});
}

}  // namespace gputrace::trace
