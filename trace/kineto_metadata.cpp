#include "trace/kineto_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "trace/exported_ids.h"
#include "trace/json_reader.h"
#include "trace/table_rows.h"

namespace gputrace::trace {
namespace {

void set_property(Gpu& gpu, std::string_view key, std::string_view value) {
  const auto number = [value] {
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(json_integer(value).value_or(0), 0, INT32_MAX));
  };
  if (key == "id")
    gpu.device = DeviceId{number()};
  else if (key == "name")
    gpu.name = json_text(value);
  else if (key == "totalGlobalMem")
    gpu.memory_bytes = json_integer(value).value_or(0);
  else if (key == "computeMajor")
    gpu.compute_major = number();
  else if (key == "computeMinor")
    gpu.compute_minor = number();
  else if (key == "maxThreadsPerMultiprocessor")
    gpu.max_threads_per_sm = number();
  else if (key == "regsPerMultiprocessor")
    gpu.registers_per_sm = number();
  else if (key == "sharedMemPerMultiprocessor" || key == "maxSharedMemoryPerMultiProcessor")
    gpu.shared_bytes_per_sm = number();
  else if (key == "numSms")
    gpu.sm_count = number();
  else if (key == "uuid")
    gpu.uuid = json_text(value);
  else if (key == "busLocation")
    gpu.bus_location = json_text(value);
  else if (key == "clockHz")
    gpu.clock_hz = json_integer(value).value_or(0);
  else if (key == "memoryBandwidthBytesPerSecond")
    gpu.memory_bandwidth_bytes_per_s = json_integer(value).value_or(0);
  else if (key == "copyEngines")
    gpu.copy_engines = number();
  else if (key == "maxBlocksPerMultiprocessor")
    gpu.max_blocks_per_sm = number();
}

}  // namespace

void KinetoMetadata::add(std::string_view key, std::string_view value) {
  if (key == "schemaVersion")
    trace_.metadata.schema_version = json_text(value);
  else if (key == "baseTimeNanoseconds")
    trace_.metadata.start_utc_ns = json_integer(value).value_or(0);
  else if (key == "deviceProperties")
    add_gpus(value);
  else if (key == "distributedInfo")
    keep_rank(value);
  else if (key == "gputrace")
    keep_own(value);
}

void KinetoMetadata::add_gpus(std::string_view array) {
  mark_captured(trace_, Table::gpus);
  for (JsonItems items(array); items.next();) {
    Gpu gpu;
    for (JsonFields fields(items.value()); fields.next();) set_property(gpu, fields.key(), fields.value());
    trace_.gpus.push_back(std::move(gpu));
  }
}

void KinetoMetadata::keep_rank(std::string_view object) {
  std::optional<std::int64_t> rank, ranks;
  for (JsonFields fields(object); fields.next();) {
    if (fields.key() == "rank") rank = json_integer(fields.value());
    if (fields.key() == "world_size") ranks = json_integer(fields.value());
  }
  if (!rank) return;
  if (*rank >= 0 && *rank <= INT32_MAX) trace_.metadata.rank = static_cast<std::int32_t>(*rank);
  rank_text_ = ranks ? fmt::format(" (rank {} of {})", *rank, *ranks) : fmt::format(" (rank {})", *rank);
}

// gputrace's own export: what the trace said of itself stays true.
void KinetoMetadata::keep_own(std::string_view object) {
  Metadata& metadata = trace_.metadata;
  for (JsonFields fields(object); fields.next();) {
    if (fields.key() == "producer") own_producer_ = json_text(fields.value());
    if (fields.key() == "simulated") metadata.simulated = fields.value() == "true";
    if (fields.key() == "machine") metadata.machine = json_text(fields.value());
    if (fields.key() == "complete") metadata.complete = fields.value() == "true";
    if (fields.key() == "incomplete_why") metadata.incomplete_why = json_text(fields.value());
    if (fields.key() == "dropped_records") metadata.dropped_records = json_integer(fields.value()).value_or(0);
  }
  if (!metadata.complete && metadata.incomplete_why.empty()) metadata.incomplete_why = kIncompleteWithoutReason;
}

}  // namespace gputrace::trace
