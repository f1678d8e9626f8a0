#include "gui/lane_builders.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "analyzer/parallel_for.h"
#include "gui/device_lanes.h"
#include "gui/host_lanes.h"

namespace gputrace::gui {

LaneBuilders build_lanes(const trace::Trace& trace, const KernelNames& names, std::int64_t trace_end_ns) {
  const std::uint32_t cores = std::bit_floor(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  std::vector<LaneBuilders> parts(2 * cores);
  analyzer::parallel_for(parts.size(), [&](std::size_t part) {
    const LaneShare share{.part = static_cast<std::uint32_t>(part / 2), .of = cores};
    parts[part] = part % 2 == 0 ? build_device_lanes(trace, names, share) : build_host_lanes(trace, trace_end_ns, share);
  });
  LaneBuilders all;
  for (LaneBuilders& part : parts)
    for (auto& [process, lanes] : part) {
      all[process].gpus.merge(lanes.gpus);
      all[process].threads.merge(lanes.threads);
    }
  return all;
}

}  // namespace gputrace::gui
