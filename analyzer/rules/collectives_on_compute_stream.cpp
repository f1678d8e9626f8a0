// Communication between GPUs is queued into the stream that computes, so it can overlap nothing.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy hide_communication;

namespace {

using Stream = std::tuple<trace::ProcessIndex, trace::DeviceId, trace::ContextId, trace::StreamId>;

struct Work {
  std::int64_t compute_ns = 0, communication_ns = 0;
  std::vector<trace::Span> communication;
};

Stream stream_of(const trace::DeviceColumns& columns, std::size_t i) {
  return {columns.process[i], columns.device[i], columns.context[i], columns.stream[i]};
}

bool in_window(const RuleInput& input, const trace::DeviceColumns& columns, std::size_t i) {
  return columns.start_ns[i] >= input.metrics.window.start_ns && columns.end_ns[i] <= input.metrics.window.end_ns;
}

// Per stream. A copy between two GPUs is communication; so is a kernel of NCCL and its like.
std::map<Stream, Work> work_by_stream(const RuleInput& input) {
  std::map<Stream, Work> streams;
  const trace::Kernels& kernels = input.trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!in_window(input, kernels, i)) continue;
    Work& work = streams[stream_of(kernels, i)];
    const bool communicates = input.metrics.is_communication[kernels.name[i].value];
    (communicates ? work.communication_ns : work.compute_ns) += kernels.span(i).duration_ns();
    if (communicates) work.communication.push_back(kernels.span(i));
  }
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.kind[i] != trace::CopyKind::peer_to_peer || !in_window(input, copies, i)) continue;
    Work& work = streams[stream_of(copies, i)];
    work.communication_ns += copies.span(i).duration_ns();
    work.communication.push_back(copies.span(i));
  }
  return streams;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  // The stream with the most communication among those that also do most of their GPU's computing.
  const auto streams = work_by_stream(input);
  std::map<trace::DeviceId, std::int64_t> computing_ns;
  for (const auto& [stream, work] : streams) computing_ns[std::get<1>(stream)] += work.compute_ns;
  const std::pair<const Stream, Work>* worst = nullptr;
  for (const auto& entry : streams) {
    if (2 * entry.second.compute_ns < computing_ns[std::get<1>(entry.first)]) continue;
    if (worst == nullptr || entry.second.communication_ns > worst->second.communication_ns) worst = &entry;
  }
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst == nullptr || window_ns <= 0 || worst->second.communication_ns == 0) return finding;
  const trace::DeviceId device = std::get<1>(worst->first);
  const auto communication_ns = static_cast<double>(worst->second.communication_ns), compute_ns = static_cast<double>(worst->second.compute_ns);
  // A backward pass is about two thirds of the computing (it does twice the forward's work): what can hide communication.
  const double hidden_ns = std::min(communication_ns, thresholds::kBackwardShare * compute_ns);
  // Where the host is the limit, hiding it wins less.
  const double most = input.what_if.possible() ? gain_of(input, hide_communication).share() : 1;
  const double share = std::min(hidden_ns / window_ns, most);
  if (share < thresholds::kInfoShare) return finding;
  const double now_ns = step_ns(input.metrics);
  finding.verdict = Verdict::found;
  finding.title = fmt::format("Communication runs in the stream that computes: {} of {} on GPU {}", percent(communication_ns / window_ns), step_word(input.metrics), device.value);
  finding.why = fmt::format(
      "Stream {} of GPU {} does most of its computing and {} of communication {}: one stream does one thing at a time, so nothing hides it. "
      "Gradients are ready layer by layer; reduced on a stream of their own while the backward pass goes on, {} of it could be hidden.",
      std::get<3>(worst->first).value, device.value, milliseconds(communication_ns / input.metrics.step_count), per_step(input.metrics),
      milliseconds(hidden_ns / input.metrics.step_count));
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(communication_ns / input.metrics.step_count);
  set_gain(finding, now_ns, now_ns * (1 - share));
  for (const trace::Span& span : worst->second.communication) {
    add_keeping_longest(finding.evidence, {span, device, "communication in the compute stream"});
  }
  keep_longest(finding.evidence);
  return finding;
}

}  // namespace

extern const Rule collectives_on_compute_stream;
constinit const Rule collectives_on_compute_stream{
    "collectives-on-compute-stream", "Does communication run in the stream that computes?", look,
    {"DistributedDataParallel(model) reduces buckets beside the backward pass; by hand: handle = dist.all_reduce(p.grad, async_op=True) in a hook, handle.wait() before the update.",
     "tf.distribute.MirroredStrategy() runs collectives on streams of their own; with Horovod: hvd.DistributedOptimizer(optimizer), not hvd.allreduce after all gradients.",
     "cudaEventRecord(bucket_ready, compute); cudaStreamWaitEvent(communication, bucket_ready, 0); ncclAllReduce(..., communication); and an event back before the update."}};

}  // namespace gputrace::analyzer
