#include "reports/link_table.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/thresholds.h"
#include "reports/quantities.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::LinkUse;
using analyzer::PeerLink;

constexpr std::size_t kPeersShown = 8, kFaultsShown = 8, kSourcesShown = 4;

bool matters(const Diagnosis& diagnosis, std::int64_t ns) {
  return static_cast<double>(ns) >= analyzer::thresholds::kInfoShare * static_cast<double>(diagnosis.window.duration_ns()) && ns > 0;
}

std::string rate_of(std::optional<double> gbps, std::optional<double> link_gbps) {
  if (!gbps) return "size not captured";
  return link_gbps ? fmt::format("{:.3g} of {}", *gbps, rate(*link_gbps)) : rate(*gbps);
}

std::string share(std::optional<std::int64_t> ns, std::int64_t of_ns) {
  if (!ns || of_ns <= 0) return "-";
  return percent(static_cast<double>(*ns) / static_cast<double>(of_ns));
}

// "GPU 0, 1: recorded: PCIe 3.0 x16, 15.8 GB/s; behind one uplink with 1 more, 7.88 GB/s each when all copy"
void add_sources(const Diagnosis& diagnosis, std::vector<std::string>& sentences) {
  std::map<std::string, std::vector<int>> devices;
  for (const LinkUse& use : diagnosis.links.uses) {
    if (!use.link_gbps || !matters(diagnosis, use.total_ns)) continue;
    std::string source = fmt::format("{}, {}", use.link_source, rate(*use.link_gbps));
    if (use.shared_gbps && use.shared_by > 1) {
      source += fmt::format("; {} GPUs share an uplink, which leaves each {} when all copy {}", use.shared_by, rate(*use.shared_gbps), use.direction);
    }
    std::vector<int>& list = devices[source];
    if (std::find(list.begin(), list.end(), use.device.value) == list.end()) list.push_back(use.device.value);
  }
  std::size_t shown = 0;
  for (auto& [source, list] : devices) {
    if (++shown > kSourcesShown) break;
    std::sort(list.begin(), list.end());
    sentences.push_back(fmt::format("possible, GPU {}: {}", fmt::join(list, ", "), source));
  }
}

std::string peer_sentence(const PeerLink& peer) {
  std::string text = fmt::format("GPU {} to {}: {} in {}", peer.from.value, peer.to.value, byte_count(static_cast<double>(peer.bytes)), duration(static_cast<double>(peer.total_ns)));
  text += ", " + rate_of(peer.gbps, peer.link_gbps);
  return text + (peer.kind == "unknown" ? ", the best seen; kind of link not known" : fmt::format(", {} ({})", peer.kind, peer.source));
}

}  // namespace

std::vector<LinkRow> link_rows(const Diagnosis& diagnosis, std::size_t most) {
  std::vector<LinkRow> rows;
  for (const LinkUse& use : diagnosis.links.uses) {
    if (rows.size() == most || !matters(diagnosis, use.total_ns)) break;  // by total time
    rows.push_back({fmt::format("GPU {}, {}, {}", use.device.value, use.direction, use.memory), use.size, rate_of(use.gbps, use.link_gbps),
                    share(use.exposed_ns, use.total_ns), share(use.beside_ns, use.total_ns)});
  }
  return rows;
}

std::vector<std::string> link_sentences(const Diagnosis& diagnosis) {
  std::vector<std::string> sentences;
  add_sources(diagnosis, sentences);
  const analyzer::LinkRoofline& links = diagnosis.links;
  for (std::size_t i = 0; i < std::min(kPeersShown, links.peers.size()); ++i) sentences.push_back(peer_sentence(links.peers[i]));
  if (links.peers.size() > kPeersShown) sentences.push_back(fmt::format("{} more pairs of GPUs copy to each other", links.peers.size() - kPeersShown));
  for (std::size_t i = 0; i < std::min(kFaultsShown, links.faults.size()); ++i) {
    sentences.push_back(fmt::format("{}: {}", links.faults[i].kind, links.faults[i].text));
  }
  return sentences;
}

}  // namespace gputrace::reports
