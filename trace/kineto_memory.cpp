#include "trace/kineto_memory.h"

#include <algorithm>
#include <optional>
#include <string>

#include "trace/counter_rows.h"
#include "trace/json_reader.h"

namespace gputrace::trace {
namespace {

struct MemoryArgs {
  std::optional<std::int64_t> bytes, allocated, reserved, device_type, device;
};

MemoryArgs decode(std::string_view object) {
  MemoryArgs args;
  for (JsonFields fields(object); fields.next();) {
    const std::string_view key = fields.key();
    if (key == "Bytes") args.bytes = json_integer(fields.value());
    else if (key == "Total Allocated") args.allocated = json_integer(fields.value());
    else if (key == "Total Reserved") args.reserved = json_integer(fields.value());
    else if (key == "Device Type") args.device_type = json_integer(fields.value());
    else if (key == "Device Id") args.device = json_integer(fields.value());
  }
  return args;
}

constexpr DeviceId kHost{-1};

}  // namespace

void KinetoMemory::add_sample(std::int64_t time_ns, const Owner& owner, std::string_view what, std::int64_t bytes) {
  const std::string name = (owner.second == kHost ? "host memory " : "memory ") + std::string(what);
  add_counter_sample(trace_, {.time_ns = time_ns,
                              .name = trace_.strings.intern(name),
                              .unit = trace_.strings.intern("bytes"),
                              .process = owner.first,
                              .device = owner.second,
                              .value = static_cast<double>(bytes)},
                     problems_);
}

void KinetoMemory::add(std::int64_t time_ns, ProcessIndex process, std::string_view object) {
  const MemoryArgs args = decode(object);
  constexpr std::int64_t kHostType = 0;
  const bool is_host = args.device_type == kHostType;
  if (!args.bytes || !args.device_type) return problems_.count(RowProblem::wrong_type);
  if (!is_host && (!args.device || *args.device < 0 || *args.device > INT32_MAX)) return problems_.count(RowProblem::no_device);
  const Owner owner{process, is_host ? kHost : DeviceId{static_cast<std::int32_t>(*args.device)}};
  if (!args.allocated) return without_totals_[owner].push_back({time_ns, *args.bytes});
  add_sample(time_ns, owner, "allocated", *args.allocated);
  if (args.reserved && !is_host) add_sample(time_ns, owner, "reserved", *args.reserved);
}

void KinetoMemory::finish() {
  for (auto& [owner, blocks] : without_totals_) {
    std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.time_ns < b.time_ns; });
    std::int64_t sum = 0;
    for (const Block& block : blocks) {
      if (__builtin_add_overflow(sum, block.bytes, &sum)) problems_.count(RowProblem::value_out_of_range), sum = 0;
      add_sample(block.time_ns, owner, "allocated since the trace began", sum);
    }
  }
  problems_.report(trace_.diagnostics);
}

}  // namespace gputrace::trace
