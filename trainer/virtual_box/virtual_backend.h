// A multi-GPU machine in software, as a Backend. A deterministic discrete-event simulation: the same program gives the same
// events at the same nanoseconds on any machine under any load.
//
// Modelled: host threads with clocks of their own; the driver's process-wide lock, which every call and every
// framework_dispatch holds for its cost; launch queues of 1,024 commands; streams, events, the legacy default stream (id 0,
// which waits for and holds up the device's other streams); kernels as a roofline (arithmetic, memory traffic, index
// arithmetic) with occupancy, which share a GPU when they fit; copy engines per direction; the PCIe tree with shared
// links, NVLink, host memory, pageable and peer copies; host cores. The clock starts at 2024-01-01T00:00:00Z.
// Not modelled: caches, clock changes, instruction mix, kernel tails (blocks beyond whole waves), memory that runs out,
// NUMA, several processes on one GPU, managed memory, graphs, the time that a profiler itself takes.
//
// Rules for the program: only run_threads' threads and the one that made the backend may call it; such a thread must not
// wait for another through anything but the backend (a mutex held across calls, a condition variable): only one runs at
// a time, so it would wait forever. `arithmetic` must not call the backend.
//
// Profiling: where CUDA_INJECTION64_PATH is set, making the backend loads the modelled libcupti.so.13 and the injected library
// (see injection.h). Destroy the backend before the process exits: that lets the GPUs finish, so that all records are in the
// profiler's buffers when its own atexit handler flushes them. The modelled CUPTI stays loaded until the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "trainer/backend.h"

namespace trainer::virtual_box {

class ActivitySink;
struct MachineProfile;

inline constexpr std::int64_t kEpochNs = 1'704'067'200'000'000'000;  // where the modelled clock starts
inline constexpr std::uint64_t kLaunchQueueCommands = 1024;

// profile: a name such as "4x-titan-x", or the path of a .toml file. The error is one line, for the user.
tl::expected<std::unique_ptr<Backend>, std::string> make_virtual_backend(const std::string& profile_name_or_path);
std::unique_ptr<Backend> make_virtual_backend(const MachineProfile& machine);

// The machine itself, told to `sink` (or to nobody): for tests that look at what happens without CUPTI.
std::unique_ptr<Backend> make_virtual_backend(const MachineProfile& machine, ActivitySink* sink);

}  // namespace trainer::virtual_box
