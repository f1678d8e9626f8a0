#include "analyzer/charts/place_traffic.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "analyzer/host_links.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::CopyKind;
using trace::Trace;

constexpr std::int32_t kHost = -1;

using Path = std::pair<std::int32_t, std::int32_t>;  // device ids, or kHost

struct Sums {
  PlaceTraffic use;
  std::int64_t large_bytes = 0, large_ns = 0;
  double best_gbps = 0;
};

std::string place(std::int32_t id) { return id == kHost ? "host" : fmt::format("GPU {}", id); }

// nullopt for copies within one GPU or within the host: they cross no link.
std::optional<Path> path_of(const trace::Copies& copies, std::size_t i) {
  const std::int32_t device = copies.device[i].value;
  switch (copies.kind[i]) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array:
    case CopyKind::unified_host_to_device:
      return Path{kHost, device};
    case CopyKind::device_to_host:
    case CopyKind::array_to_host:
    case CopyKind::unified_device_to_host:
      return Path{device, kHost};
    default:
      break;
  }
  const std::int32_t from = copies.source_device[i].value, to = copies.destination_device[i].value;
  return from == to ? std::nullopt : std::optional(Path{from, to});
}

void add(const trace::Copies& copies, std::size_t i, Sums& sums) {
  const std::int64_t bytes = copies.has_size(i) ? copies.bytes[i] : 0, duration_ns = copies.span(i).duration_ns();
  ++sums.use.count;
  sums.use.bytes += bytes;
  sums.use.total_ns += duration_ns;
  if (bytes < static_cast<std::int64_t>(thresholds::kLinkBoundBytes) || duration_ns <= 0) return;
  sums.large_bytes += bytes;
  sums.large_ns += duration_ns;
  sums.best_gbps = std::max(sums.best_gbps, static_cast<double>(bytes) / static_cast<double>(duration_ns));
}

std::optional<std::int32_t> gpu_of(const std::string& end) {
  constexpr std::string_view kPrefix = "gpu:";
  if (!end.starts_with(kPrefix)) return std::nullopt;
  std::int32_t id = 0;
  const char* last = end.data() + end.size();
  const auto parsed = std::from_chars(end.data() + kPrefix.size(), last, id);
  return parsed.ec == std::errc{} && parsed.ptr == last ? std::optional(id) : std::nullopt;
}

// NVLinks join two GPUs in both directions; a recording may name a pair once or twice.
void add_recorded_links(const Trace& trace, std::map<Path, Sums>& paths) {
  for (const trace::Link& link : trace.links) {
    const auto a = gpu_of(link.from), b = gpu_of(link.to);
    if (!a || !b || *a == *b) continue;
    for (const Path& path : {Path{*a, *b}, Path{*b, *a}}) {
      PlaceTraffic& use = paths[path].use;
      use.link_source = fmt::format("recorded: {} {} x{}", link.kind == trace::LinkKind::nvlink ? "NVLink" : "PCIe",
                                    link.generation, link.width);
      if (link.bytes_per_s > 0) use.link_gbps = static_cast<double>(link.bytes_per_s) / 1e9;
    }
  }
}

void add_host_limit(const HostLinks& links, const Path& path, PlaceTraffic& use) {
  if (path.first != kHost && path.second != kHost) return;
  const bool to_device = path.first == kHost;
  const trace::DeviceId device{to_device ? path.second : path.first};
  const auto limit = links.limit(device, to_device ? CopyKind::host_to_device : CopyKind::device_to_host);
  if (!limit) return;
  use.link_gbps = limit->bytes_per_s / 1e9;
  use.link_source = limit->source;
}

}  // namespace

std::vector<PlaceTraffic> place_traffic(const Trace& trace, const Metrics& metrics) {
  std::map<Path, Sums> paths;
  add_recorded_links(trace, paths);
  const trace::Copies& copies = trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.end_ns[i] <= metrics.window.start_ns || copies.start_ns[i] >= metrics.window.end_ns) continue;
    if (const auto path = path_of(copies, i)) add(copies, i, paths[*path]);
  }
  std::vector<PlaceTraffic> uses;
  const HostLinks links(trace);
  for (auto& [path, sums] : paths) {
    PlaceTraffic& use = sums.use;
    use.from = place(path.first);
    use.to = place(path.second);
    if (sums.large_ns > 0) {
      use.gbps = static_cast<double>(sums.large_bytes) / static_cast<double>(sums.large_ns);
      use.best_gbps = sums.best_gbps;
    }
    add_host_limit(links, path, use);
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace gputrace::analyzer
