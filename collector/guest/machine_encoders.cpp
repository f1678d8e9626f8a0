// Devices, contexts, streams, links, and how the devices fare.
#include "collector/guest/kind_encoders.h"

#include <cstring>

#include <cupti.h>

#include "collector/guest/activity_encoder.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

void encode_device(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityDevice5 scratch;
  const auto& in = view(data, bytes, scratch);
  spool::DeviceRecord out;
  out.header.id = in.id;
  out.name = in.name != nullptr ? encoder.lane().text(in.name) : 0;
  out.memory_bytes = in.globalMemorySize;
  out.bandwidth_kb_per_s = in.globalMemoryBandwidth;
  out.clock_khz = in.coreClockRate;
  out.sm_count = in.numMultiprocessors;
  out.compute_major = in.computeCapabilityMajor;
  out.compute_minor = in.computeCapabilityMinor;
  out.max_warps_per_sm = in.maxWarpsPerMultiprocessor;
  out.threads_per_warp = in.numThreadsPerWarp;
  out.max_blocks_per_sm = in.maxBlocksPerMultiprocessor;
  out.registers_per_sm = in.maxRegistersPerMultiprocessor;
  out.shared_bytes_per_sm = in.maxSharedMemoryPerMultiprocessor;
  out.copy_engines = in.numMemcpyEngines;
  std::memcpy(out.uuid, &in.uuid, sizeof out.uuid);
  encoder.lane().write(RecordType::device, out);
}

void encode_context(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityContext3 scratch;
  const auto& in = view(data, bytes, scratch);
  encoder.lane().write(RecordType::context, spool::ContextRecord{{.id = in.contextId}, in.deviceId, in.nullStreamId});
}

void encode_stream(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityStream scratch;
  const auto& in = view(data, bytes, scratch);
  encoder.lane().write(RecordType::stream, spool::StreamRecord{{.id = in.streamId}, in.contextId, in.priority,
                                                               static_cast<std::uint32_t>(in.flag), 0});
}

void encode_pcie(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityPcie scratch;
  const auto& in = view(data, bytes, scratch);
  spool::PcieRecord out;
  out.bridge = in.type == CUPTI_PCIE_DEVICE_TYPE_BRIDGE;
  out.header.id = out.bridge ? in.id.bridgeId : static_cast<std::uint32_t>(in.id.devId);
  out.domain = in.domain;
  out.generation = in.pcieGeneration;
  out.rate = in.linkRate;
  out.width = in.linkWidth;
  out.upstream_bus = in.upstreamBus;
  out.secondary_bus = out.bridge ? in.attr.bridgeAttr.secondaryBus : 0;
  encoder.lane().write(RecordType::pcie, out);
}

void encode_nvlink(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityNvLink4 scratch;
  const auto& in = view(data, bytes, scratch);
  spool::NvlinkRecord out;
  out.version = in.nvlinkVersion;
  out.count = in.physicalNvLinkCount;
  out.type[0] = static_cast<std::uint32_t>(in.typeDev0);
  out.type[1] = static_cast<std::uint32_t>(in.typeDev1);
  std::memcpy(out.end[0], &in.idDev0, sizeof out.end[0]);
  std::memcpy(out.end[1], &in.idDev1, sizeof out.end[1]);
  out.bandwidth_kb_per_s = in.bandwidth;
  encoder.lane().write(RecordType::nvlink, out);
}

void encode_environment(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityEnvironment scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.timestamp)) return;
  spool::EnvironmentRecord out;
  out.header.id = in.deviceId;
  out.header.flags = static_cast<std::uint8_t>(number_at<offsetof(CUpti_ActivityEnvironment, environmentKind)>(in));
  out.time_ns = in.timestamp;
  static_assert(sizeof in.data <= sizeof out.values && sizeof in.data == 5 * sizeof(std::uint32_t));
  std::memcpy(out.values, &in.data, sizeof in.data);
  encoder.lane().write(RecordType::environment, out);
}

}  // namespace

std::span<const KindEncoder> machine_kinds() {
  static constexpr KindEncoder kKinds[] = {
      {CUPTI_ACTIVITY_KIND_DEVICE, encode_device},
      {CUPTI_ACTIVITY_KIND_CONTEXT, encode_context},
      {CUPTI_ACTIVITY_KIND_STREAM, encode_stream},
      {CUPTI_ACTIVITY_KIND_PCIE, encode_pcie},
      {CUPTI_ACTIVITY_KIND_NVLINK, encode_nvlink},
      {CUPTI_ACTIVITY_KIND_ENVIRONMENT, encode_environment},
  };
  return kKinds;
}

}  // namespace gputrace::guest
