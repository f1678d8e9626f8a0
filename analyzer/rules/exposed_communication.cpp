// A GPU waits for communication with others that no computing hides.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/arrivals.h"
#include "analyzer/communication_time.h"
#include "analyzer/gain.h"
#include "analyzer/input_waits.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy hide_communication;

namespace {

// Of the collectives, the time that their GPUs spend waiting for the last one, on average.
double waited_ns(const std::vector<Arrivals>& collectives) {
  double ns = 0;
  for (const Arrivals& collective : collectives) ns += static_cast<double>(collective.waited_ns);
  return ns;
}

std::string who_waits(const RuleInput& input, const std::vector<Arrivals>& collectives) {
  const auto agree_ns = input.trace.clock_residual_ns();
  if (!agree_ns) return "The clocks of the files could not be aligned, so it is not known for whom it waits. ";
  if (collectives.empty()) return "";
  const auto late = late_gpus(input.trace, collectives, *agree_ns);
  if (late.empty()) return "All GPUs come to their collectives at the same time, so it is the exchange itself. ";
  const auto longest = std::max_element(collectives.begin(), collectives.end(), [](const auto& a, const auto& b) { return a.waited_ns < b.waited_ns; });
  const trace::Kernels& kernels = input.trace.kernels;
  return fmt::format("A collective cannot end before its last GPU has begun it: {} {} are spent waiting. In the worst one GPU {} begins {} after GPU {}; over "
                     "all of them the others wait longest for GPU {}. ", milliseconds(waited_ns(collectives) / input.metrics.step_count), per_step(input.metrics),
                     kernels.device[longest->last()].value,
                     milliseconds(static_cast<double>(longest->last_ns - kernels.start_ns[longest->kernels.front()])),
                     kernels.device[longest->kernels.front()].value, late.front().device.value);
}

void add_evidence(Finding& finding, const CommunicationTime& time, trace::DeviceId device) {
  for (const trace::Span& span : time.communication) {
    const std::int64_t hidden_ns = covered_ns(time.compute, span);
    if (hidden_ns < span.duration_ns())
      add_keeping_longest(finding.evidence, {span, device, fmt::format("communication, {} of it hidden", milliseconds(static_cast<double>(hidden_ns)))});
  }
  keep_longest(finding.evidence);
}

struct Limits {  // of what hiding communication wins, as shares of the window
  double room = 0, exchange = 0, replay = 0;
};

std::string nothing_to_win(const RuleInput& input, const Limits& limits) {
  if (limits.exchange < thresholds::kInfoShare) return "It is waiting for the last GPU all but wholly, which no overlap hides: what makes that one late is the cause.";
  if (limits.room < thresholds::kInfoShare)
    return fmt::format("There is no computing left to hide it behind: fewer bytes, fewer collectives or a faster link would shorten {}.", step_word(input.metrics));
  return fmt::format("Hidden behind what computing there is, {} would be as long: the host, or other work, is later still.", step_word(input.metrics));
}

// Collectives are kernels too.
bool runs_kernels(const RuleInput& input) {
  const trace::Kernels& kernels = input.trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (kernels.start_ns[i] < input.metrics.window.end_ns && kernels.end_ns[i] > input.metrics.window.start_ns) return true;
  return input.trace.graph_launches.size() > 0;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  const auto times = communication_times(input.trace, input.metrics);
  const auto worst = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second.exposed_ns < b.second.exposed_ns; });
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst == times.end() || window_ns <= 0) return finding;
  const CommunicationTime& time = worst->second;
  const double exposed = static_cast<double>(time.exposed_ns) / window_ns;
  if (exposed < thresholds::kExposedCommunicationShare) return finding;
  if (!runs_kernels(input)) {
    finding.why = "Nothing but copies runs, so nothing that computes waits for them.";
    return finding;
  }

  const auto collectives = find_arrivals(input.trace, input.metrics);
  // What computing there is to hide it behind; waiting for the last GPU cannot be hidden, and where the host is the limit nothing is won.
  const double room = std::max(0.0, thresholds::kBackwardShare * static_cast<double>(time.compute_ns) - static_cast<double>(time.communication_ns - time.exposed_ns)) / window_ns;
  const double exchange = std::max(0.0, exposed - waited_ns(collectives) / window_ns);
  const double most = input.what_if.possible() ? gain_of(input, hide_communication).share() : 1;
  const double share = std::max(0.0, std::min({room, exchange, most}));
  const double now_ns = step_ns(input.metrics);
  finding.verdict = Verdict::found;
  finding.title = fmt::format("GPU {} waits for other GPUs for {} of {}", worst->first.value, percent(exposed), step_word(input.metrics));
  finding.why = fmt::format("Communication takes {} {} on GPU {}, and {} of it runs while nothing computes there. ",
                            milliseconds(static_cast<double>(time.communication_ns) / input.metrics.step_count), per_step(input.metrics), worst->first.value,
                            milliseconds(static_cast<double>(time.exposed_ns) / input.metrics.step_count));
  finding.why += who_waits(input, collectives);
  finding.why += share < thresholds::kInfoShare
                     ? nothing_to_win(input, {room, exchange, most})
                     : fmt::format("Started as soon as its data is ready, beside the computing that remains, {} of {} would be won.", milliseconds(share * now_ns), step_word(input.metrics));
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(static_cast<double>(time.exposed_ns) / input.metrics.step_count);
  set_gain(finding, now_ns, now_ns * (1 - share));
  // A GPU that waits for a good part of the time is worth a warning even where hiding it is not the remedy.
  if (finding.severity == Severity::info && exposed >= thresholds::kCriticalShare) finding.severity = Severity::warning;
  add_evidence(finding, time, worst->first);
  return finding;
}

}  // namespace

extern const Rule exposed_communication;
constinit const Rule exposed_communication{
    "exposed-communication", "Does a GPU wait for communication that no computing hides?", look,
    {"DistributedDataParallel(model, bucket_cap_mb=25, gradient_as_bucket_view=True) reduces while backward() runs; FSDP(..., backward_prefetch=BackwardPrefetch.BACKWARD_PRE).",
     "tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.NcclAllReduce()); options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=32 * 1024 * 1024).",
     "ncclAllReduce(..., communication_stream) per bucket, after cudaStreamWaitEvent(communication_stream, bucket_ready, 0); ncclGroupStart() around small ones."}};

}  // namespace gputrace::analyzer
