// Devices, contexts, streams, links, and how the devices fare.
#include "collector/record_converter.h"

#include <algorithm>

#include "collector/cupti_kinds.h"
#include "collector/spool_reader.h"

namespace gputrace::collector {

void RecordConverter::device(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::DeviceRecord>(bytes);
  Uuid uuid;
  std::copy(std::begin(record.uuid), std::end(record.uuid), uuid.begin());
  assembly_.topology.add_gpu(record.header.id, uuid);
  trace::Gpu gpu;
  gpu.device = {static_cast<std::int32_t>(record.header.id)};
  gpu.name = text_of(lane, record.name);
  gpu.uuid = uuid_text(uuid);
  gpu.sm_count = static_cast<std::int32_t>(record.sm_count);
  gpu.compute_major = static_cast<std::int32_t>(record.compute_major);
  gpu.compute_minor = static_cast<std::int32_t>(record.compute_minor);
  gpu.clock_hz = std::int64_t{record.clock_khz} * 1000;
  gpu.memory_bandwidth_bytes_per_s = static_cast<std::int64_t>(record.bandwidth_kb_per_s & INT32_MAX) * 1000;
  gpu.memory_bytes = static_cast<std::int64_t>(record.memory_bytes);
  gpu.max_threads_per_sm = static_cast<std::int32_t>(record.max_warps_per_sm * record.threads_per_warp);
  gpu.max_blocks_per_sm = static_cast<std::int32_t>(record.max_blocks_per_sm);
  gpu.registers_per_sm = static_cast<std::int32_t>(record.registers_per_sm);
  gpu.shared_bytes_per_sm = record.shared_bytes_per_sm;
  gpu.copy_engines = static_cast<std::int32_t>(record.copy_engines);
  assembly_.add_gpu(pid_, std::move(gpu));
}

void RecordConverter::context(Lane&, Bytes bytes) {
  const auto record = record_as<spool::ContextRecord>(bytes);
  trace::ContextRow row;
  row.context = static_cast<std::int32_t>(record.header.id);
  row.device = static_cast<std::int32_t>(record.device);
  row.null_stream = static_cast<std::int32_t>(record.null_stream);
  row.pid = pid_;
  if (device_of_context_.try_emplace(row.context, row.device).second) writer_.add(row);
}

void RecordConverter::stream(Lane&, Bytes bytes) {
  const auto record = record_as<spool::StreamRecord>(bytes);
  trace::StreamRow row;
  row.context = static_cast<std::int32_t>(record.context);
  row.stream = static_cast<std::int32_t>(record.header.id);
  row.priority = static_cast<std::int32_t>(record.priority);
  row.flag = static_cast<std::int32_t>(record.flag);
  row.pid = pid_;
  writer_.add(row);
}

void RecordConverter::pcie(Lane&, Bytes bytes) { assembly_.topology.add(record_as<spool::PcieRecord>(bytes)); }
void RecordConverter::nvlink(Lane&, Bytes bytes) { assembly_.topology.add(record_as<spool::NvlinkRecord>(bytes)); }

// A value per metric, as the kind of the sample says; CUPTI marks by 0xFFFFFFFF what a device does not tell.
void RecordConverter::environment(Lane&, Bytes bytes) {
  using trace::GpuMetric;
  static constexpr GpuMetric kMetrics[][5] = {
      {GpuMetric::sm_clock_mhz, GpuMetric::memory_clock_mhz, GpuMetric::pcie_generation, GpuMetric::pcie_lanes,
       GpuMetric::throttle_reasons},
      {GpuMetric::temperature_c, GpuMetric::count},
      {GpuMetric::power_mw, GpuMetric::power_limit_mw, GpuMetric::count},
      {GpuMetric::fan_percent, GpuMetric::count}};
  const auto record = record_as<spool::EnvironmentRecord>(bytes);
  const std::size_t kind = record.header.flags;
  if (record.time_ns == 0 || kind == 0 || kind > std::size(kMetrics)) return assembly_.count("environment samples of no known kind");
  for (std::size_t i = 0; i < std::size(kMetrics[0]) && kMetrics[kind - 1][i] != GpuMetric::count; ++i) {
    if (record.values[i] == UINT32_MAX) continue;
    writer_.add(trace::GpuMetricRow{.time_ns = cupti_time(record.time_ns), .device = static_cast<std::int32_t>(record.header.id),
                                    .metric = kMetrics[kind - 1][i], .value = record.values[i]});
  }
}

}  // namespace gputrace::collector
