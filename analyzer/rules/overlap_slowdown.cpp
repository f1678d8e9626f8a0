// Kernels take longer while a collective runs beside them: does overlapping still pay?
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/communication_time.h"
#include "analyzer/gain.h"
#include "analyzer/input_waits.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Pair {  // of like kernels
  double alone_ns = 0, beside_ns = 0;
  std::int64_t alone = 0, beside = 0;
  double usual_ns() const { return alone_ns / static_cast<double>(alone); }
  double lost_ns() const { return beside_ns - static_cast<double>(beside) * usual_ns(); }
  bool compares() const { return alone > 0 && beside > 0; }
};

struct Slowed {
  trace::DeviceId device{};
  double lost_ns = 0, usual_ns = 0, beside_ns = 0, hidden_ns = 0;
  std::vector<Evidence> evidence{};
  double factor() const { return usual_ns > 0 ? beside_ns / usual_ns : 1; }
};

using Key = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;

Key key_of(const trace::Kernels& kernels, std::size_t i) {
  return {kernels.name[i].value, kernels.grid[i].count(), kernels.block[i].count()};
}

Slowed slowed_on(const RuleInput& input, trace::DeviceId device, const CommunicationTime& time) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::map<Key, Pair> pairs;
  Slowed slowed{.device = device};
  const auto each = [&](auto&& visit) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (kernels.device[i] != device || !input.metrics.holds(kernels.span(i)) || input.metrics.is_communication[kernels.name[i].value]) continue;
      visit(i, static_cast<double>(covered_ns(time.communication, kernels.span(i))), static_cast<double>(kernels.span(i).duration_ns()));
    }
  };
  each([&](std::size_t i, double covered, double ns) {
    Pair& pair = pairs[key_of(kernels, i)];
    if (covered == 0) pair.alone_ns += ns, ++pair.alone;
    if (2 * covered >= ns && covered > 0) pair.beside_ns += ns, ++pair.beside;
  });
  for (const auto& [key, pair] : pairs) {
    if (!pair.compares()) continue;
    slowed.lost_ns += pair.lost_ns();
    slowed.beside_ns += pair.beside_ns;
    slowed.usual_ns += static_cast<double>(pair.beside) * pair.usual_ns();
  }
  each([&](std::size_t i, double covered, double ns) {
    const Pair& pair = pairs[key_of(kernels, i)];
    if (!pair.compares() || 2 * covered < ns || covered == 0 || ns <= pair.usual_ns()) return;
    add_keeping_longest(slowed.evidence, {kernels.span(i), device, fmt::format("{} beside a collective, {} alone", milliseconds(ns), milliseconds(pair.usual_ns()))});
  });
  keep_longest(slowed.evidence);
  slowed.hidden_ns = static_cast<double>(time.communication_ns - time.exposed_ns);
  return slowed;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  Slowed worst;
  for (const auto& [device, time] : communication_times(input.trace, input.metrics)) {
    Slowed slowed = slowed_on(input, device, time);
    if (slowed.lost_ns > worst.lost_ns) worst = std::move(slowed);
  }
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst.lost_ns < thresholds::kInfoShare * window_ns || worst.factor() < thresholds::kOverlapSlowdown) return finding;
  const double now_ns = step_ns(input.metrics), won_ns = std::max(0.0, worst.lost_ns - worst.hidden_ns) / input.metrics.step_count;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("Kernels of GPU {} take {:.2f} times as long beside communication", worst.device.value, worst.factor());
  finding.why = fmt::format(
      "Kernels that run beside communication take {} {}, the same kernels alone {}: {} are lost. The overlap hides {} of communication. ",
      milliseconds(worst.beside_ns / input.metrics.step_count), per_step(input.metrics), milliseconds(worst.usual_ns / input.metrics.step_count),
      milliseconds(worst.lost_ns / input.metrics.step_count), milliseconds(worst.hidden_ns / input.metrics.step_count));
  finding.why += worst.lost_ns < worst.hidden_ns
                     ? fmt::format("It still pays: one after the other would take {} longer.", milliseconds((worst.hidden_ns - worst.lost_ns) / input.metrics.step_count))
                     : fmt::format("It does not pay: one after the other would take {} less.", milliseconds(won_ns));
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(worst.lost_ns / input.metrics.step_count);
  if (won_ns > 0) set_gain(finding, now_ns, now_ns - won_ns);
  finding.evidence = std::move(worst.evidence);
  return finding;
}

}  // namespace

extern const Rule overlap_slowdown;
constinit const Rule overlap_slowdown{
    "overlap-slowdown", "Are kernels slower beside a collective than alone?", look,
    {"Give collectives fewer multiprocessors: os.environ['NCCL_MAX_CTAS'] = '8' before torch.distributed.init_process_group('nccl'); larger buckets, DistributedDataParallel(model, bucket_cap_mb=100).",
     "Give collectives fewer multiprocessors: os.environ['NCCL_MAX_CTAS'] = '8' before tf.distribute.MirroredStrategy(); larger packs, CommunicationOptions(bytes_per_pack=64 << 20).",
     "config.maxCTAs = 8; ncclCommInitRankConfig(&comm, n, id, rank, &config); or copy engines for large transfers: cudaMemcpyPeerAsync(...), which take no multiprocessors."}};

}  // namespace gputrace::analyzer
