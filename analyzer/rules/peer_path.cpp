// A pair of GPUs exchanges data more slowly than what joins them explains; or, where that is not recorded, than other pairs do.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/interconnect.h"
#include "analyzer/peer_faults.h"
#include "analyzer/peer_rates.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy even_out_peers;

namespace {

std::string table_of(const trace::Trace& trace, const std::map<GpuPair, PeerRate>& rates) {
  constexpr std::size_t kShown = 8;
  std::vector<std::pair<GpuPair, PeerRate>> pairs(rates.begin(), rates.end());
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.second.bytes_per_s > b.second.bytes_per_s; });
  std::string text;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs.size() > kShown && i >= kShown / 2 && i + kShown / 2 < pairs.size()) continue;  // the fastest and the slowest
    const auto& [pair, rate] = pairs[i];
    text += fmt::format("{}GPU {} to {}: {}, {}", text.empty() ? "" : "; ", pair.first.value, pair.second.value, gigabytes_per_second(rate.bytes_per_s),
                        path_in_words(trace, pair, rate.bytes_per_s));
  }
  return text;
}

void add_evidence(Finding& finding, const RuleInput& input, const GpuPair& pair) {
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.kind[i] != trace::CopyKind::peer_to_peer || pair_of(copies, i) != pair || !input.metrics.holds(copies.span(i))) continue;
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} from GPU {} to {}", gigabytes(static_cast<double>(copies.bytes[i])),
                                                                                         pair.first.value, pair.second.value)});
  }
  keep_longest(finding.evidence);
}

std::string why_slow(const PeerFault& worst, std::size_t pairs) {
  std::string why = worst.is_around_link
                        ? fmt::format("The trace says that {} joins the two, and even the fastest copy is slower than that gives: the data went another way, as "
                                      "through the host where neither GPU has access to the other's memory. ", worst.kind)
                        : fmt::format("The trace says that {} joins the two, as it does other pairs, whose copies are {:.1f} times as fast. ", worst.kind,
                                      worst.usual_bytes_per_s / worst.own_bytes_per_s);
  return pairs == 1 ? why : why + fmt::format("{} pairs are slower than what joins them explains. ", pairs);
}

void find_fault(const RuleInput& input, const std::map<GpuPair, PeerFault>& faults, Finding& finding) {
  const auto worst = std::min_element(faults.begin(), faults.end(), [](const auto& a, const auto& b) {
    return a.second.own_bytes_per_s * b.second.usual_bytes_per_s < b.second.own_bytes_per_s * a.second.usual_bytes_per_s;
  });
  const auto& [pair, fault] = *worst;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("Copies from GPU {} to {} run at {} over {}, which gives {}", pair.first.value, pair.second.value,
                              gigabytes_per_second(fault.own_bytes_per_s), fault.kind, gigabytes_per_second(fault.usual_bytes_per_s));
  finding.why = why_slow(fault, faults.size());
  if (input.what_if.possible()) {
    const RemedyGain gain = gain_of(input, even_out_peers);
    set_found(finding, gain);
    finding.why += gain.share() < thresholds::kInfoShare ? "Other work hides it here: the time would hardly be shorter at the usual rate."
                                                         : fmt::format("At the usual rate {}.", time_change(input.metrics, gain.after_ns, gain.now_ns));
  }
  add_evidence(finding, input, pair);
  finding.advice = {"nvidia-smi topo -p2p r and -p2p n say whether each two GPUs can read each other's memory, nvidia-smi nvlink -s whether every link is up; ACS on a PCIe switch, or a "
                    "container that isolates devices, sends the data through the host."};
}

// Pairs whose links the trace does not name, by their rates: how the machine is built, and worth knowing.
void tell_of_paths(const RuleInput& input, const std::map<GpuPair, PeerRate>& rates, Finding& finding) {
  const auto by_rate = [](const auto& a, const auto& b) { return a.second.bytes_per_s < b.second.bytes_per_s; };
  const auto [slowest, fastest] = std::minmax_element(rates.begin(), rates.end(), by_rate);
  if (fastest->second.bytes_per_s < thresholds::kSlowLinkFactor * slowest->second.bytes_per_s) return;
  finding.verdict = Verdict::found;
  finding.severity = Severity::info;
  finding.title = fmt::format("Copies from GPU {} to {} run at {}, from GPU {} to {} at {}", slowest->first.first.value, slowest->first.second.value,
                              gigabytes_per_second(slowest->second.bytes_per_s), fastest->first.first.value, fastest->first.second.value,
                              gigabytes_per_second(fastest->second.bytes_per_s));
  finding.why = fmt::format("Pairs of GPUs are joined by different paths: {}. Most machines are built so, which is no fault; the links themselves were not recorded, so no gain "
                            "is predicted: what exchanges most belongs on the pairs that are joined best.", table_of(input.trace, rates));
  add_evidence(finding, input, slowest->first);
  finding.advice = {"nvidia-smi topo -m shows what joins each two GPUs (NV4: four NVLinks, PIX and PHB: PCIe, SYS: between sockets): let those exchange most that are joined best."};
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!has_copy_sizes(input, finding)) return finding;
  if (const auto faults = peer_faults(input.trace, input.metrics); !faults.empty()) {
    find_fault(input, faults, finding);
    return finding;
  }
  const auto rates = peer_rates(input.trace, input.metrics);
  const Interconnect interconnect(input.trace);
  const bool all_recorded = std::all_of(rates.begin(), rates.end(), [&](const auto& pair) { return interconnect.between(pair.first.first, pair.first.second).has_value(); });
  if (rates.size() >= 2 && !all_recorded) tell_of_paths(input, rates, finding);
  return finding;
}

}  // namespace

extern const Rule peer_path;
constinit const Rule peer_path{
    "peer-path", "Do pairs of GPUs exchange data as fast as what joins them lets them?", look,
    {"Use collectives, which go around by the fast paths, instead of tensor.to('cuda:2'): torch.distributed.all_gather_into_tensor(out, x); order ranks by CUDA_VISIBLE_DEVICES=0,1,4,2.",
     "tf.distribute.NcclAllReduce() or HierarchicalCopyAllReduce(num_packs=2) for cross_device_ops; order GPUs by CUDA_VISIBLE_DEVICES=0,1,4,2.",
     "cudaDeviceCanAccessPeer(&can, a, b) and cudaDeviceEnablePeerAccess(b, 0) for direct copies; cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, a, b) ranks paths."}};

}  // namespace gputrace::analyzer
