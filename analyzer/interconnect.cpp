#include "analyzer/interconnect.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace gputrace::analyzer {
namespace {

using trace::DeviceId;
using trace::Link;

// Real trees have two or three levels of switches; this ends a walk through a file whose edges form a ring.
constexpr std::size_t kDeepestTree = 16;

std::optional<DeviceId> gpu_of(std::string_view node) {
  constexpr std::string_view kPrefix = "gpu:";
  if (!node.starts_with(kPrefix)) return std::nullopt;
  DeviceId device;
  const char* const end = node.data() + node.size();
  const auto [at, error] = std::from_chars(node.data() + kPrefix.size(), end, device.value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return device;
}

std::pair<DeviceId, DeviceId> ordered(DeviceId a, DeviceId b) { return {std::min(a, b), std::max(a, b)}; }

const Link* narrower(const Link* a, const Link* b) {
  if (a == nullptr) return b;
  return b->bytes_per_s < a->bytes_per_s ? b : a;
}

}  // namespace

std::string link_kind(const Link& link) {
  std::string kind = link.kind == trace::LinkKind::pcie ? "PCIe" : "NVLink";
  if (link.generation > 0) kind += fmt::format(" {}.0", link.generation);
  if (link.width > 0) kind += fmt::format(" x{}", link.width);
  return kind;
}

Interconnect::Interconnect(const trace::Trace& trace) {
  std::unordered_map<std::string_view, const Link*> up;
  for (const Link& link : trace.links) {
    if (link.kind == trace::LinkKind::pcie) {
      up.emplace(link.from, &link);
    } else if (const auto a = gpu_of(link.from), b = gpu_of(link.to); a && b && *a != *b) {
      nvlinks_.emplace(ordered(*a, *b), &link);
    }
  }
  for (const Link& link : trace.links) {
    const auto device = gpu_of(link.from);
    if (link.kind != trace::LinkKind::pcie || !device || paths_.contains(*device)) continue;
    Path& path = paths_[*device];
    std::string_view at = link.from;
    for (auto edge = up.find(at); edge != up.end() && path.size() < kDeepestTree; edge = up.find(at)) {
      path.push_back(edge->second);
      at = edge->second->to;
    }
  }
}

const Link* Interconnect::narrowest(DeviceId device) const {
  const auto path = paths_.find(device);
  if (path == paths_.end()) return nullptr;
  const Link* narrowest = nullptr;
  for (const Link* edge : path->second) {
    if (edge->bytes_per_s > 0) narrowest = narrower(narrowest, edge);
  }
  return narrowest;
}

std::map<DeviceId, Uplink> Interconnect::shared_uplinks(const std::set<DeviceId>& copying) const {
  std::unordered_map<const Link*, int> users;
  const auto for_each_uplink = [&](DeviceId device, auto&& visit) {
    const auto path = paths_.find(device);
    if (path == paths_.end()) return;
    for (std::size_t level = 1; level < path->second.size(); ++level) visit(path->second[level]);  // the first edge is the GPU's own
  };
  for (const DeviceId device : copying) for_each_uplink(device, [&](const Link* edge) { ++users[edge]; });
  std::map<DeviceId, Uplink> tightest;
  for (const DeviceId device : copying) {
    for_each_uplink(device, [&](const Link* edge) {
      const int gpus = users[edge];
      if (gpus < 2 || edge->bytes_per_s <= 0) return;
      const Uplink uplink{edge->from, gpus, static_cast<double>(edge->bytes_per_s)};
      const auto [best, is_first] = tightest.try_emplace(device, uplink);
      if (!is_first && uplink.bytes_per_s / gpus < best->second.bytes_per_s / best->second.gpus) best->second = uplink;
    });
  }
  return tightest;
}

std::optional<RecordedLink> Interconnect::between(DeviceId a, DeviceId b) const {
  if (const auto link = nvlinks_.find(ordered(a, b)); link != nvlinks_.end()) {
    return RecordedLink{link_kind(*link->second), static_cast<double>(link->second->bytes_per_s), trace::LinkKind::nvlink};
  }
  const auto from = paths_.find(a), to = paths_.find(b);
  if (from == paths_.end() || to == paths_.end()) return std::nullopt;
  // Edges that both use lie above the switch that joins them: the copy turns round below.
  const Link* narrowest = nullptr;
  const auto add_own = [&](const Path& own, const Path& other) {
    for (const Link* edge : own) {
      const bool is_shared = std::find(other.begin(), other.end(), edge) != other.end();
      if (!is_shared && edge->bytes_per_s > 0) narrowest = narrower(narrowest, edge);
    }
  };
  add_own(from->second, to->second);
  add_own(to->second, from->second);
  if (narrowest == nullptr) return std::nullopt;
  RecordedLink recorded{link_kind(*narrowest), static_cast<double>(narrowest->bytes_per_s)};
  for (const Link* edge : from->second) {
    const bool both = std::any_of(to->second.begin(), to->second.end(), [&](const Link* other) { return other->to == edge->to; });
    if (both) return recorded.meets_at = edge->to, recorded;
  }
  return recorded;
}

}  // namespace gputrace::analyzer
