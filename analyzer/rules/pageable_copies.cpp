// Copies from and to pageable memory: slower than the link, and the host waits for each.
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/host_links.h"
#include "analyzer/pageable_copies.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/replay/task_table.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy pin_copies;
extern const Remedy pin_copies_to_gpu;
extern const Remedy pin_copies_to_host;

namespace {

using Stream = std::pair<trace::DeviceId, trace::StreamId>;

struct Sums {  // of the copies in the window
  double bytes = 0, ns = 0, to_host_ns = 0;
};

Stream stream_of(const RuleInput& input, Task activity) {
  const DependencyGraph& graph = input.what_if.graph();
  const trace::DeviceColumns& table = columns_of(input.trace, graph.kind[activity]);
  return {table.device[graph.row[activity]], table.stream[graph.row[activity]]};
}

// Streams that a thread hands out work to after it has waited in a copy on another one: they get it that much later.
std::size_t streams_held_up(const RuleInput& input) {
  const DependencyGraph& graph = input.what_if.graph();
  std::vector<Task> asked(graph.task_count(), kNoTask);  // by call
  for (Task task = 0; task < graph.task_count(); ++task) {
    if (!is_activity(graph.kind[task])) continue;
    if (const auto call = graph.asked_by(task)) asked[*call] = task;
  }
  std::set<Stream> held_up;
  for (const HostSequence& sequence : input.what_if.sequences()) {
    std::optional<Stream> copied;
    for (const Task call : sequence.calls) {
      if (asked[call] == kNoTask) continue;
      const Stream stream = stream_of(input, asked[call]);
      if (copied && *copied != stream) held_up.insert(stream);
      if (graph.kind[asked[call]] == TaskKind::copy && is_pageable_copy(input.trace.copies, graph.row[asked[call]])) copied = stream;
    }
  }
  return held_up.size();
}

// Where copies go both ways: what pinning one side alone wins.
std::string by_direction(const RuleInput& input) {
  const RemedyGain to_host = gain_of(input, pin_copies_to_host), to_gpu = gain_of(input, pin_copies_to_gpu);
  if (to_host.count == 0 || to_gpu.count == 0) return "";
  return fmt::format(" With the copies to the host alone pinned it takes {}, with those to the GPU alone {}.", milliseconds(to_host.after_ns), milliseconds(to_gpu.after_ns));
}

Sums sum_up(const RuleInput& input, std::vector<Evidence>& evidence) {
  const trace::Copies& copies = input.trace.copies;
  Sums sums;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (!input.metrics.holds(copies.span(i)) || !is_pageable_copy(copies, i)) continue;
    const auto ns = static_cast<double>(copies.span(i).duration_ns());
    sums.bytes += static_cast<double>(copies.bytes[i]);
    sums.ns += ns;
    if (link_way(copies.kind[i]) == LinkWay::from_device) sums.to_host_ns += ns;
    add_keeping_longest(evidence, {copies.span(i), copies.device[i], fmt::format("{} {}, pageable", gigabytes(static_cast<double>(copies.bytes[i])), name(copies.kind[i]))});
  }
  keep_longest(evidence);
  return sums;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, pin_copies);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const Sums sums = sum_up(input, finding.evidence);
  finding.title = fmt::format("Copies of {} {} use pageable host memory", gigabytes(sums.bytes / input.metrics.step_count), per_step(input.metrics));
  if (const std::size_t streams = streams_held_up(input); streams > 0) {
    finding.why = fmt::format("The thread waits in each copy until it is done, and hands out the work of {} other stream{} only then. ", streams, streams == 1 ? "" : "s");
    if (2 * sums.to_host_ns > sums.ns) finding.why += "Blocking copies to the host are most of what stops the other streams. ";
  }
  finding.why += fmt::format(
      "The driver copies pageable memory through a pinned buffer of its own, so the copies reach {} only, and the host thread waits while it "
      "does. From pinned memory, at what the link gives and without the wait, {}.",
      gigabytes_per_second(sums.ns > 0 ? sums.bytes * 1e9 / sums.ns : 0), time_change(input.metrics, gain.after_ns, gain.now_ns));
  finding.why += by_direction(input);
  if (sums.to_host_ns > 0) finding.why += " What comes to the host must then not be read before an event or a wait says that it is there.";
  finding.why += " This counts memory that is pinned once and used again: pinning it anew for each copy may cost as much as it wins.";
  return finding;
}

}  // namespace

extern const Rule pageable_copies;
constinit const Rule pageable_copies{"pageable-copies", "Do copies use pageable host memory?", look,
    {"DataLoader(dataset, pin_memory=True) and x = x.to('cuda', non_blocking=True); to the host: buffer = torch.empty(shape, pin_memory=True); buffer.copy_(y, non_blocking=True).",
     "Feed from tf.data, which pins its buffers: dataset.prefetch(tf.data.AUTOTUNE), not feed_dict, which copies from pageable NumPy arrays.",
     "cudaHostAlloc(&p, size, cudaHostAllocDefault), or cudaHostRegister(p, size, cudaHostRegisterDefault) for memory that exists already; then cudaMemcpyAsync(...) returns at once."}};

}  // namespace gputrace::analyzer
