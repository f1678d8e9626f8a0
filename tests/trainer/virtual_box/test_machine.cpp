#include "tests/trainer/virtual_box/test_machine.h"

namespace virtual_box_test {

MachineProfile round_machine() {
  MachineProfile machine;
  machine.name = "round";
  machine.gpu = {"Round GPU", 2, 6, 1, 10, 100, 500.0, 100.0, 8192, 1024, 2048, 32, 65536, 96, 1};
  machine.host = {"Round processor", 4, 1.0, 10, 100.0, 2.0};
  machine.pcie = {2, 16, PeerAccess::all, {}};
  machine.efficiency = {1, 1, 1, 100, 1, 1, 28, 14};
  machine.driver = {5, 6, 1, 2, 0, 0, 0, 2, 2, 1};
  return machine;
}

void Recorder::keep(std::vector<Timed>& list, const char* kind, Timed entry) {
  entry.start_ns -= kEpochNs;
  entry.end_ns -= kEpochNs;
  log += std::string(kind) + ' ' + entry.what + ' ' + std::to_string(entry.start_ns) + ' ' + std::to_string(entry.end_ns) + " device " +
         std::to_string(entry.place.device) + " stream " + std::to_string(entry.place.stream) + " correlation " +
         std::to_string(entry.correlation) + '\n';
  list.push_back(std::move(entry));
}

void Recorder::describe(const MachineProfile& machine) { log += "machine " + machine.name + '\n'; }
void Recorder::add_context(const Place& place) { keep(contexts, "context", {kEpochNs, kEpochNs, place, 0, ""}); }
void Recorder::add(const StreamActivity& a) { keep(streams, "stream", {kEpochNs, kEpochNs, a.place, a.correlation, ""}); }
void Recorder::add(const ApiActivity& a) {
  keep(calls, "call", {a.start_ns, a.end_ns, {}, a.correlation, std::to_string(static_cast<int>(a.api))});
}
void Recorder::add(const KernelActivity& a) {
  keep(kernels, "kernel", {a.start_ns, a.end_ns, a.place, a.correlation, std::string(a.launch.mangled_name)});
}
void Recorder::add(const CopyActivity& a) { keep(copies, "copy", {a.start_ns, a.end_ns, a.place, a.correlation, std::to_string(a.bytes)}); }
void Recorder::add(const FillActivity& a) { keep(fills, "fill", {a.start_ns, a.end_ns, a.place, a.correlation, std::to_string(a.value)}); }
void Recorder::add(const SynchronizationActivity& a) {
  keep(waits, "wait", {a.start_ns, a.end_ns, a.place, a.correlation, std::to_string(static_cast<int>(a.type))});
}
void Recorder::add(const EventActivity& a) {
  keep(events, "event", {a.device_ns, a.device_ns, a.place, a.correlation, std::to_string(a.event)});
}
void Recorder::add(const MigrationActivity& a) {
  keep(migrations, "migration", {a.start_ns, a.end_ns, a.place, 0, std::to_string(a.bytes) + (a.to_device ? " in" : " out")});
}
void Recorder::add(const QueueFullActivity& a) { keep(full_queues, "queue full", {a.start_ns, a.end_ns, a.place, a.correlation, ""}); }

}  // namespace virtual_box_test
