// Turns what the modelled machine did into NVIDIA's activity records, of the kinds that the profiler enabled.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "trainer/virtual_box/activity.h"
#include "trainer/virtual_box/cupti/record_buffers.h"

namespace trainer::virtual_box {

class RecordSink final : public ActivitySink {
 public:
  explicit RecordSink(RecordBuffers& buffers) : buffers_(buffers) {}

  // Enabling a kind that describes what there is (devices, links, contexts, streams) records what there is already.
  void enable(CUpti_ActivityKind kind, bool on);
  std::string metadata() const;  // "key=value\n" lines about the provider of the records

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

  // Of the calling thread; a call's record is preceded by the ids on top of its stacks.
  void push_external_id(CUpti_ExternalCorrelationKind kind, std::uint64_t id);
  bool pop_external_id(CUpti_ExternalCorrelationKind kind, std::uint64_t* id);  // false: none was pushed

  std::atomic<bool> event_timestamps{false};  // cuptiActivityEnableCudaEventDeviceTimestamps
  std::atomic<bool> system_thread_ids{false};

 private:
  bool enabled(CUpti_ActivityKind kind) const { return enabled_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed); }
  const char* interned(std::string_view name);
  void add_external_ids(std::uint32_t correlation);
  void add_peer_copy(const CopyActivity& activity);
  std::uint32_t thread_id() const;
  void record_existing(CUpti_ActivityKind kind);

  RecordBuffers& buffers_;
  std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> enabled_{};
  std::unordered_set<std::string> names_;  // records point into it; only the machine's running thread adds
  mutable std::mutex described_;           // guards what follows
  std::string machine_;
  std::vector<CUpti_ActivityDevice5> devices_;
  std::vector<CUpti_ActivityPcie> pcie_;
  std::vector<CUpti_ActivityNvLink4> nvlinks_;
  std::vector<CUpti_ActivityContext3> contexts_;
  std::vector<CUpti_ActivityStream> streams_;
};

}  // namespace trainer::virtual_box
