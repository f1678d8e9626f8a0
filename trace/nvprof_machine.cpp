// The machine in an nvprof database: GPUs, contexts, and the links between them.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "trace/nvprof_read.h"

namespace gputrace::trace {
namespace {

constexpr std::int64_t kHzPerKilohertz = 1000, kBytesPerKilobyte = 1000;

std::string uuid_text(std::string_view bytes) {
  constexpr std::size_t kUuidBytes = 16;
  if (bytes.size() < kUuidBytes) return {};
  std::string text;
  for (std::size_t i = 0; i < kUuidBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

Result<void> read_gpus(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"id",
                                                  "name",
                                                  "uuid",
                                                  "numMultiprocessors",
                                                  "computeCapabilityMajor",
                                                  "computeCapabilityMinor",
                                                  "coreClockRate",
                                                  "globalMemoryBandwidth",
                                                  "globalMemorySize",
                                                  "maxWarpsPerMultiprocessor",
                                                  "numThreadsPerWarp",
                                                  "maxBlocksPerMultiprocessor",
                                                  "maxRegistersPerMultiprocessor",
                                                  "maxSharedMemoryPerMultiprocessor",
                                                  "numMemcpyEngines"};
  RowProblems problems{"GPU rows"};
  const auto done =
      for_each_row(read, "CUPTI_ACTIVITY_KIND_DEVICE", kColumns, [&](const TableCursor& cursor) {
        const RowValues row{cursor, problems};
        mark_captured(read.trace, Table::gpus);
        read.trace.gpus.push_back(
            {.device = DeviceId{row.int32(0)},
             .name = std::string(read.trace.text(row.string(1, read.strings))),
             .bus_location = {},
             .uuid = uuid_text(cursor.text(2)),
             .sm_count = row.int32(3),
             .compute_major = row.int32(4),
             .compute_minor = row.int32(5),
             .clock_hz = row.int32(6) * kHzPerKilohertz,
             .memory_bandwidth_bytes_per_s = std::int64_t{row.int32(7)} * kBytesPerKilobyte,
             .memory_bytes = row.integer(8),
             .max_threads_per_sm = (row.int32(9) & 0xFFFF) * (row.int32(10) & 0xFFFF),
             .max_blocks_per_sm = row.int32(11),
             .registers_per_sm = row.int32(12),
             .shared_bytes_per_sm = row.integer(13),
             .copy_engines = row.int32(14)});
      });
  problems.report(read.trace.diagnostics);
  return done;
}

Result<void> read_contexts(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"contextId", "deviceId"};
  RowProblems problems{"context rows"};
  const auto done =
      for_each_row(read, "CUPTI_ACTIVITY_KIND_CONTEXT", kColumns, [&](const TableCursor& cursor) {
        const RowValues row{cursor, problems};
        read.device_of_context.insert_or_assign(row.integer(0), DeviceId{row.int32(1)});
      });
  problems.report(read.trace.diagnostics);
  return done;
}

// Bytes a second of a PCIe link, one direction: transfers a second times lanes, less the line code, 8b/10b up
// to generation 2 and 128b/130b from 3 on (PCI Express Base Specification).
std::int64_t pcie_bytes_per_s(std::int64_t generation, std::int64_t megatransfers_per_s, std::int64_t lanes) {
  const double payload_share = generation <= 2 ? 8.0 / 10 : 128.0 / 130;
  return static_cast<std::int64_t>(static_cast<double>(megatransfers_per_s * lanes) * 1e6 / 8 *
                                   payload_share);
}

struct PcieDevice {
  std::string name;
  std::int64_t domain = 0, upstream_bus = 0;
  Link link;  // to what is upstream
};

// A bridge is known by its secondary bus: that is the upstream bus of what hangs below it.
Result<void> read_pcie(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"type",     "id",        "domain",      "pcieGeneration",
                                                  "linkRate", "linkWidth", "upstreamBus", "attr"};
  constexpr std::int64_t kGpu = 0;
  std::vector<PcieDevice> devices;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> bridge_of_bus;  // by domain and secondary bus
  RowProblems problems{"PCIe rows"};
  const auto done = for_each_row(read, "CUPTI_ACTIVITY_KIND_PCIE", kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    const std::int64_t domain = row.integer(2) & 0xFFFF, secondary_bus = little_endian(cursor.text(7), 0, 2);
    const bool is_gpu = row.integer(0) == kGpu;
    const std::string name = is_gpu ? fmt::format("gpu:{}", little_endian(cursor.text(1), 0, 4))
                                    : fmt::format("switch:{:04x}:{:02x}", domain, secondary_bus);
    if (!is_gpu) bridge_of_bus.try_emplace({domain, secondary_bus}, name);
    devices.push_back(
        {name,
         domain,
         row.integer(6) & 0xFFFF,
         {.kind = LinkKind::pcie,
          .from = name,
          .to = {},
          .generation = row.int32(3),
          .width = row.int32(5),
          .bytes_per_s = pcie_bytes_per_s(row.int32(3), row.int32(4) & 0xFFFFF, row.int32(5) & 0xFF)}});
  });
  for (PcieDevice& device : devices) {
    const auto bridge = bridge_of_bus.find({device.domain, device.upstream_bus});
    device.link.to = bridge != bridge_of_bus.end()
                         ? bridge->second
                         : fmt::format("root:{:04x}:{:02x}", device.domain, device.upstream_bus);
    read.trace.links.push_back(std::move(device.link));
  }
  problems.report(read.trace.diagnostics);
  return done;
}

std::string gpu_of_uuid(const Trace& trace, std::string_view uuid) {
  for (const Gpu& gpu : trace.gpus) {
    if (!uuid.empty() && gpu.uuid == uuid) return fmt::format("gpu:{}", gpu.device.value);
  }
  return fmt::format("npu:{}", uuid);
}

// CUPTI gives the bandwidth of all physical links of a row together, both directions, in kB/s.
Result<void> read_nvlinks(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"nvlinkVersion", "idDev0", "idDev1", "physicalNvLinkCount",
                                                  "bandwidth"};
  constexpr std::int64_t kDirections = 2;
  RowProblems problems{"NVLink rows"};
  const auto done =
      for_each_row(read, "CUPTI_ACTIVITY_KIND_NVLINK", kColumns, [&](const TableCursor& cursor) {
        const RowValues row{cursor, problems};
        read.trace.links.push_back(
            {.kind = LinkKind::nvlink,
             .from = gpu_of_uuid(read.trace, uuid_text(cursor.text(1))),
             .to = gpu_of_uuid(read.trace, uuid_text(cursor.text(2))),
             .generation = row.int32(0),
             .width = row.int32(3),
             .bytes_per_s = std::int64_t{row.int32(4)} * kBytesPerKilobyte / kDirections});
      });
  problems.report(read.trace.diagnostics);
  return done;
}

}  // namespace

std::uint32_t little_endian(std::string_view blob, std::size_t offset, std::size_t bytes) {
  if (blob.size() < offset + bytes) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(blob[offset + i]);
  return value;
}

Result<void> read_nvprof_machine(NvprofRead& read) {
  for (const auto part : {read_gpus, read_contexts, read_pcie, read_nvlinks}) {
    if (auto done = part(read); !done) return done;
  }
  if (!read.trace.links.empty()) mark_captured(read.trace, Table::links);
  return {};
}

}  // namespace gputrace::trace
