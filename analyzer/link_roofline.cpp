#include "analyzer/link_roofline.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "analyzer/busy_time.h"
#include "analyzer/host_links.h"
#include "analyzer/host_memory.h"
#include "analyzer/interconnect.h"
#include "analyzer/link_faults.h"
#include "analyzer/peer_links.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::CopyKind;
using trace::DeviceId;
using trace::MemoryKind;

struct SizeClass {
  std::int64_t below_bytes;
  const char* name;
};
constexpr std::array<SizeClass, 5> kSizes{{{1, "not captured"},
                                           {64 << 10, "below 64 KiB"},
                                           {1 << 20, "64 KiB to 1 MiB"},
                                           {16 << 20, "1 to 16 MiB"},
                                           {INT64_MAX, "from 16 MiB"}}};
constexpr std::size_t kFirstLinkBound = 2;  // smaller copies are bound by what each costs to start
// A rate measured while no other GPU used the uplink counts from this many copies on.
constexpr std::int64_t kEnoughAlone = 3;

std::size_t size_class(std::int64_t bytes) {
  std::size_t i = 0;
  while (i + 1 < kSizes.size() && bytes >= kSizes[i].below_bytes) ++i;
  return i;
}

struct RowKey {
  DeviceId device;
  CopyKind kind;
  MemoryKind memory;  // of the host side
  std::size_t size;
  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

struct Row {
  std::int64_t count = 0, bytes = 0, total_ns = 0, exposed_ns = 0, beside_ns = 0;
  std::int64_t alone_count = 0, alone_bytes = 0, alone_ns = 0;
};

double bytes_per_s(std::int64_t bytes, std::int64_t ns) { return ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(ns) : 0; }

class HostCopies {
 public:
  HostCopies(const trace::Trace& trace, const Metrics& metrics, const Interconnect& interconnect)
      : trace_(trace), window_(metrics.window), interconnect_(interconnect), links_(trace, interconnect) {
    collect_kernels();
    collect_copies();
    find_shared();
    sum_up();
  }

  std::vector<LinkUse> uses(std::size_t& left_out) const;
  std::vector<RateToCompare> rates() const;

 private:
  struct DirectionOf {  // one direction of one GPU
    BusyTime busy;
    std::optional<Uplink> uplink;             // recorded, shared with others that copy
    const BusyTime* with_others = nullptr;    // another GPU copies too, over the same uplink where it is known
    int others = 0;
  };

  bool in_window(const trace::DeviceColumns& columns, std::size_t i) const {
    return columns.end_ns[i] > window_.start_ns && columns.start_ns[i] < window_.end_ns;
  }

  // Sorted by start, so the busy time of each GPU is put together in one pass.
  void collect_kernels() {
    const auto& nodes = trace_.kernels.graph_node;
    const bool has_nodes = std::any_of(nodes.begin(), nodes.end(), [](std::int64_t node) { return node != 0; });
    const trace::DeviceColumns& kernels = trace_.kernels;
    const trace::DeviceColumns& graphs = trace_.graph_launches;
    std::size_t graph = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      for (; !has_nodes && graph < graphs.size() && graphs.start_ns[graph] <= kernels.start_ns[i]; ++graph) kernels_[graphs.device[graph]].add(graphs.span(graph));
      kernels_[kernels.device[i]].add(kernels.span(i));
    }
    for (; !has_nodes && graph < graphs.size(); ++graph) kernels_[graphs.device[graph]].add(graphs.span(graph));
  }

  void collect_copies() {
    const trace::Copies& copies = trace_.copies;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const auto way = link_way(copies.kind[i]);
      if (!way || !in_window(copies, i)) continue;
      DirectionOf& direction = directions_[{*way, copies.device[i]}];
      direction.busy.add(copies.span(i));
    }
  }

  void find_shared();
  void sum_up();

  const trace::Trace& trace_;
  trace::Span window_;
  const Interconnect& interconnect_;
  HostLinks links_;
  std::map<DeviceId, BusyTime> kernels_;
  std::map<std::pair<LinkWay, DeviceId>, DirectionOf> directions_;
  std::map<std::pair<LinkWay, std::string>, BusyTime> together_;  // by uplink
  std::map<RowKey, Row> rows_;
};

void HostCopies::find_shared() {
  std::map<LinkWay, std::set<DeviceId>> copying;
  for (const auto& [key, direction] : directions_) copying[key.first].insert(key.second);
  std::map<LinkWay, std::map<DeviceId, Uplink>> uplinks;
  for (const auto& [way, devices] : copying) uplinks[way] = interconnect_.shared_uplinks(devices);
  std::map<std::pair<LinkWay, std::string>, std::vector<DirectionOf*>> groups;
  for (auto& [key, direction] : directions_) {
    const auto& [way, device] = key;
    if (!interconnect_.is_recorded(device)) {
      groups[{way, ""}].push_back(&direction);  // they may share one
      continue;
    }
    const auto shared = uplinks[way].find(device);
    if (shared == uplinks[way].end()) continue;
    direction.uplink = shared->second;
    groups[{way, direction.uplink->name}].push_back(&direction);
  }
  for (auto& [key, group] : groups) {
    std::vector<const BusyTime*> parts;
    for (const DirectionOf* direction : group) parts.push_back(&direction->busy);
    BusyTime& together = together_[key];
    together = busy_together(parts);
    for (DirectionOf* direction : group) direction->with_others = &together, direction->others = static_cast<int>(group.size()) - 1;
  }
}

void HostCopies::sum_up() {
  const trace::Copies& copies = trace_.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto way = link_way(copies.kind[i]);
    if (!way || !in_window(copies, i)) continue;
    const MemoryKind memory = memory_of_copy(copies, i);
    DirectionOf& direction = directions_.at({*way, copies.device[i]});
    Row& row = rows_[{copies.device[i], copies.kind[i], memory, size_class(copies.bytes[i])}];
    const std::int64_t ns = copies.span(i).duration_ns();
    const std::int64_t beside_ns = direction.with_others == nullptr ? 0 : direction.with_others->covered_ns(copies.span(i));
    const auto kernels = kernels_.find(copies.device[i]);
    ++row.count;
    if (copies.has_size(i)) row.bytes += copies.bytes[i];
    row.total_ns += ns;
    row.exposed_ns += ns - (kernels == kernels_.end() ? 0 : kernels->second.covered_ns(copies.span(i)));
    row.beside_ns += beside_ns;
    if (beside_ns == 0 && copies.has_size(i)) ++row.alone_count, row.alone_bytes += copies.bytes[i], row.alone_ns += ns;
  }
}

std::vector<RateToCompare> HostCopies::rates() const {
  std::map<std::tuple<CopyKind, MemoryKind, std::size_t>, int> like;
  std::vector<RateToCompare> rates;
  for (const auto& [key, row] : rows_) {
    const LinkWay way = *link_way(key.kind);
    const DirectionOf& direction = directions_.at({way, key.device});
    const bool alone = row.alone_count >= kEnoughAlone;
    // Small copies and those of unknown size get a number of their own: they compare with none.
    const int number = static_cast<int>(key.size >= kFirstLinkBound ? like.try_emplace({key.kind, key.memory, key.size}, like.size()).first->second : rows_.size() + rates.size());
    rates.push_back({.device = key.device, .to_device = way == LinkWay::to_device, .like = number, .bytes = row.bytes, .count = row.count,
                     .bytes_per_s = alone ? bytes_per_s(row.alone_bytes, row.alone_ns) : bytes_per_s(row.bytes, row.total_ns),
                     .shared_by = alone ? 1 : 1 + direction.others});
  }
  return rates;
}

std::vector<LinkUse> HostCopies::uses(std::size_t& left_out) const {
  const auto shares = of_others(rates());
  std::vector<std::pair<const std::pair<const RowKey, Row>*, std::optional<double>>> rows;
  for (const auto& row : rows_) rows.emplace_back(&row, shares[rows.size()]);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first->second.total_ns > b.first->second.total_ns; });
  if (rows.size() > kMaxLinkRows) left_out += rows.size() - kMaxLinkRows, rows.resize(kMaxLinkRows);
  std::vector<LinkUse> uses;
  for (const auto& [entry, share] : rows) {
    const auto& [key, row] = *entry;
    const DirectionOf& direction = directions_.at({*link_way(key.kind), key.device});
    LinkUse use;
    use.device = key.device;
    use.direction = name(key.kind);
    use.memory = name(key.memory);
    use.size = kSizes[key.size].name;
    use.count = row.count, use.bytes = row.bytes, use.total_ns = row.total_ns, use.beside_ns = row.beside_ns;
    if (trace_.has(trace::Table::kernels)) use.exposed_ns = row.exposed_ns;
    if (row.bytes > 0 && row.total_ns > 0) use.gbps = bytes_per_s(row.bytes, row.total_ns) / 1e9;
    if (const auto limit = links_.limit(key.device, key.kind)) {
      use.link_gbps = limit->bytes_per_s / 1e9;
      use.link_source = limit->source;
    }
    if (direction.uplink) {
      use.shared_by = direction.uplink->gpus;
      use.shared_gbps = direction.uplink->bytes_per_s / direction.uplink->gpus / 1e9;
      if (use.link_gbps) use.shared_gbps = std::min(*use.shared_gbps, *use.link_gbps);
    }
    use.of_others = share;
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace

LinkRoofline link_roofline(const trace::Trace& trace, const Metrics& metrics) {
  LinkRoofline roofline;
  const Interconnect interconnect(trace);
  const HostCopies host(trace, metrics, interconnect);
  roofline.uses = host.uses(roofline.left_out);
  roofline.faults = link_faults(interconnect, host.rates());
  roofline.peers = peer_traffic(trace, metrics.window);
  if (roofline.peers.size() > kMaxLinkRows) roofline.left_out += roofline.peers.size() - kMaxLinkRows, roofline.peers.resize(kMaxLinkRows);
  find_link_kinds(trace, interconnect, roofline.peers);
  return roofline;
}

}  // namespace gputrace::analyzer
