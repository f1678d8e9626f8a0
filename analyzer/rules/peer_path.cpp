// Some pairs of GPUs exchange data over a slower path than others.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/communication_time.h"
#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/input_waits.h"
#include "analyzer/peer_rates.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

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

// Of copies over slow paths, what they would take less over the fastest, as far as nothing computes on the GPU that sends.
double saved_with_best_path_ns(const RuleInput& input, const std::map<GpuPair, PeerRate>& rates, double best) {
  const trace::Copies& copies = input.trace.copies;
  const auto times = communication_times(input.trace, input.metrics);
  double saved_ns = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto own = rates.find(pair_of(copies, i));
    if (copies.kind[i] != trace::CopyKind::peer_to_peer || !input.metrics.holds(copies.span(i)) || own == rates.end()) continue;
    if (best < thresholds::kSlowLinkFactor * own->second.bytes_per_s) continue;
    const auto time = times.find(copies.device[i]);
    const std::int64_t hidden_ns = time == times.end() ? 0 : covered_ns(time->second.compute, copies.span(i));
    saved_ns += static_cast<double>(copies.span(i).duration_ns() - hidden_ns) * (1 - own->second.bytes_per_s / best);
  }
  return saved_ns;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const auto rates = peer_rates(input.trace, input.metrics);
  if (rates.size() < 2) return finding;
  const auto by_rate = [](const auto& a, const auto& b) { return a.second.bytes_per_s < b.second.bytes_per_s; };
  const auto [slowest, fastest] = std::minmax_element(rates.begin(), rates.end(), by_rate);
  if (fastest->second.bytes_per_s < thresholds::kSlowLinkFactor * slowest->second.bytes_per_s) return finding;
  // How GPUs are joined is worth a word even where computing hides the slow pairs.
  const double saved_ns = saved_with_best_path_ns(input, rates, fastest->second.bytes_per_s) / input.metrics.step_count, now_ns = step_ns(input.metrics);
  finding.verdict = Verdict::found;
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(saved_ns);
  set_gain(finding, now_ns, now_ns - saved_ns);
  finding.title = fmt::format("Copies from GPU {} to {} run at {}, from GPU {} to {} at {}", slowest->first.first.value, slowest->first.second.value,
                              gigabytes_per_second(slowest->second.bytes_per_s), fastest->first.first.value, fastest->first.second.value,
                              gigabytes_per_second(fastest->second.bytes_per_s));
  finding.why = fmt::format("Pairs of GPUs are joined by different paths: {}. ", table_of(input.trace, rates));
  finding.why += saved_ns < thresholds::kInfoShare * now_ns
                     ? "Computing hides it here: the time would hardly be shorter with the fastest path everywhere."
                     : fmt::format("With the fastest path for all of them, the copies that no computing hides would take {} less of {} {}.", milliseconds(saved_ns), milliseconds(now_ns),
                                   per_step(input.metrics));
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.kind[i] != trace::CopyKind::peer_to_peer || pair_of(copies, i) != slowest->first || !input.metrics.holds(copies.span(i))) continue;
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} from GPU {} to {}", gigabytes(static_cast<double>(copies.bytes[i])),
                                                                                         slowest->first.first.value, slowest->first.second.value)});
  }
  keep_longest(finding.evidence);
  finding.advice = {"nvidia-smi topo -m shows what joins each two GPUs (NV4: four NVLinks, PIX and PHB: PCIe, SYS: between sockets): let those exchange most that are joined best."};
  return finding;
}

}  // namespace

extern const Rule peer_path;
constinit const Rule peer_path{
    "peer-path", "Do some pairs of GPUs exchange data over a slower path?", look,
    {"Use collectives, which go around by the fast paths, instead of tensor.to('cuda:2'): torch.distributed.all_gather_into_tensor(out, x); order ranks by CUDA_VISIBLE_DEVICES=0,1,4,2.",
     "tf.distribute.NcclAllReduce() or HierarchicalCopyAllReduce(num_packs=2) for cross_device_ops; order GPUs by CUDA_VISIBLE_DEVICES=0,1,4,2.",
     "cudaDeviceCanAccessPeer(&can, a, b) and cudaDeviceEnablePeerAccess(b, 0) for direct copies; cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, a, b) ranks paths."}};

}  // namespace gputrace::analyzer
