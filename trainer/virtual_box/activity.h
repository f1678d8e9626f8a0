// What the modelled machine tells a profiler, in its own terms: virtual_cupti turns it into NVIDIA's records. Times are
// nanoseconds on the modelled clock; ids are those of CUDA (contexts from 1, streams per context, one correlation id per call).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/backend.h"
#include "trainer/virtual_box/machine_profile.h"

namespace trainer::virtual_box {

// Runtime calls that the machine plays.
enum class Api : std::uint8_t {
  set_device, allocate_device, allocate_pinned, create_stream, create_event, launch_kernel, copy, copy_peer, fill,
  record_event, wait_event, synchronize_stream, synchronize_event, synchronize_device, free_device, free_pinned, allocate_managed
};

struct Place {
  int device = 0;
  std::uint32_t context = 0, stream = 0;
};

struct ApiActivity {
  Api api;
  std::int64_t start_ns, end_ns;
  std::uint32_t correlation;
};
struct KernelActivity {
  std::int64_t start_ns, end_ns;
  Place place;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const KernelLaunch& launch;
};
struct CopyActivity {
  std::int64_t start_ns, end_ns;
  Place place;
  std::uint32_t correlation;
  std::uint64_t bytes;
  Memory from, to;
  int from_device, to_device;  // of device memory
};
struct FillActivity {
  std::int64_t start_ns, end_ns;
  Place place;
  std::uint32_t correlation;
  std::uint64_t bytes;
  std::uint32_t value;
  Memory memory;
};
enum class Waited : std::uint8_t { event, stream_for_event, stream, device };
struct SynchronizationActivity {
  Waited type;
  std::int64_t start_ns, end_ns;
  Place place;              // stream: of Waited::stream and stream_for_event
  std::uint32_t correlation;
  std::uint32_t event;      // of Waited::event and stream_for_event
  std::uint64_t record_id;  // which record of that event
};
struct EventActivity {
  std::int64_t device_ns;
  Place place;
  std::uint32_t correlation;
  std::uint32_t event;
  std::uint64_t record_id;
};
// Pages of managed memory that moved because they were touched.
struct MigrationActivity {
  std::int64_t start_ns, end_ns;
  Place place;  // stream: of the kernel that waited
  std::uint64_t address, bytes;
  bool to_device;
};
// A call that waited because the stream's launch queue was full.
struct QueueFullActivity {
  std::int64_t start_ns, end_ns;
  Place place;
  std::uint32_t correlation;
};
struct StreamActivity {
  Place place;
  std::uint32_t correlation;
};

class ActivitySink {
 public:
  virtual ~ActivitySink() = default;
  virtual void describe(const MachineProfile& machine) = 0;  // first of all
  virtual void add_context(const Place& place) = 0;          // stream: the default one's id
  virtual void add(const StreamActivity& activity) = 0;
  virtual void add(const ApiActivity& activity) = 0;         // on the calling thread, at the call's end
  virtual void add(const KernelActivity& activity) = 0;
  virtual void add(const CopyActivity& activity) = 0;
  virtual void add(const FillActivity& activity) = 0;
  virtual void add(const SynchronizationActivity& activity) = 0;
  virtual void add(const EventActivity& activity) = 0;
  virtual void add(const MigrationActivity& activity) = 0;
  virtual void add(const QueueFullActivity& activity) = 0;
};

// The machine's clock, for cuptiGetTimestamp.
class MachineClock {
 public:
  virtual ~MachineClock() = default;
  virtual std::int64_t now_ns() const = 0;  // from any thread
};

// Exported by virtual_cupti, whose library both sides load by name. nullptr disconnects.
using ConnectFunction = ActivitySink* (*)(const MachineClock* clock);
inline constexpr char kConnectSymbol[] = "virtual_cupti_connect";

}  // namespace trainer::virtual_box
