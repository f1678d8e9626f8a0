// One rank keeps the others waiting: its host thread works longer than those beside it, or it comes last to collectives.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/arrivals.h"
#include "analyzer/gain.h"
#include "analyzer/late_work.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy even_out_threads;

namespace {

struct LateThread {
  trace::ThreadIndex thread{};
  std::optional<trace::DeviceId> device;  // that its kernels run on
  std::int64_t late_ns = 0;
  std::size_t count = 0;
  std::vector<Evidence> evidence;
};

std::map<trace::ThreadIndex, trace::DeviceId> devices_of_threads(const RuleInput& input) {
  std::map<trace::ThreadIndex, trace::DeviceId> devices;
  const DependencyGraph& graph = input.what_if.graph();
  for (Task task = 0; task < graph.task_count(); ++task) {
    if (graph.kind[task] != TaskKind::kernel) continue;
    if (const auto call = graph.asked_by(task)) devices[input.trace.api_calls.thread[graph.row[*call]]] = input.trace.kernels.device[graph.row[task]];
  }
  return devices;
}

// The latest first.
std::vector<LateThread> late_threads(const RuleInput& input) {
  const DependencyGraph& graph = input.what_if.graph();
  const auto devices = devices_of_threads(input);
  std::map<trace::ThreadIndex, LateThread> late;
  for (const LateWork& work : late_work(input.trace, input.what_if.sequences(), ChangedGraph(graph))) {
    LateThread& thread = late[work.thread];
    thread.thread = work.thread;
    if (const auto device = devices.find(work.thread); device != devices.end()) thread.device = device->second;
    thread.late_ns += work.more_ns();
    ++thread.count;
    const std::int64_t until_ns = graph.recorded_ns[start_of(work.call)];
    add_keeping_longest(thread.evidence, {{until_ns - work.ns, until_ns}, thread.device,
                                          fmt::format("host work before a call, {} longer than beside it", milliseconds(static_cast<double>(work.more_ns())))});
  }
  std::vector<LateThread> threads;
  for (auto& [id, thread] : late) {
    keep_longest(thread.evidence);
    threads.push_back(std::move(thread));
  }
  std::sort(threads.begin(), threads.end(), [](const LateThread& a, const LateThread& b) { return a.late_ns > b.late_ns; });
  return threads;
}

// By their threads' own work.
Finding look_at_threads(const RuleInput& input, std::int64_t agree_ns) {
  Finding finding;
  const RemedyGain gain = gain_of(input, even_out_threads);
  if (gain.count == 0) return finding;
  const auto late = late_threads(input);
  if (late.empty()) return finding;
  const LateThread& worst = late.front();
  // One that is late by a good part of the step is worth a word even while something else is later still.
  const double late_per_step_ns = static_cast<double>(worst.late_ns) / input.metrics.step_count;
  if (gain.share() < thresholds::kInfoShare && late_per_step_ns < thresholds::kWarningShare * gain.now_ns) return finding;
  if (worst.late_ns <= agree_ns * static_cast<std::int64_t>(worst.count)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = fmt::format("ranks differ by less than their clocks are known to agree ({})", milliseconds(static_cast<double>(agree_ns)));
    return finding;
  }
  set_found(finding, gain);
  const trace::Thread& thread = input.trace.threads[static_cast<std::size_t>(worst.thread.value)];
  const std::string who = thread.name.empty() ? fmt::format("thread {}", thread.tid) : fmt::format("thread '{}'", thread.name);
  const std::string where = worst.device ? fmt::format(", which hands out work to GPU {},", worst.device->value) : "";
  finding.title = fmt::format("A straggler: {} works {} longer {} than those beside it", who, milliseconds(late_per_step_ns), per_step(input.metrics));
  finding.why = fmt::format("The {}{} makes the same calls as the threads beside it, and is late {} times in the window by its own work. ", who, where, worst.count);
  finding.why += gain.share() < thresholds::kInfoShare
                     ? "Something else is later still, so the step would not be shorter without it yet."
                     : fmt::format("The others wait for it at the end of the step. With host work like theirs, {}.",
                                   time_change(input.metrics, gain.after_ns, gain.now_ns));
  finding.evidence = worst.evidence;
  return finding;
}

// By who comes last to the collectives: the one whose kernel of it is the shortest, not the one whose kernel is long.
Finding look_at_collectives(const RuleInput& input, std::int64_t agree_ns) {
  Finding finding;
  const auto collectives = find_arrivals(input.trace, input.metrics);
  const auto late = late_gpus(input.trace, collectives, agree_ns);
  if (late.empty()) return finding;
  const LateGpu& worst = late.front();
  const double now_ns = step_ns(input.metrics), steps = input.metrics.step_count;
  const double waited_ns = static_cast<double>(worst.waited_ns) / steps, late_ns = static_cast<double>(worst.late_ns) / steps;
  if (waited_ns < thresholds::kInfoShare * now_ns) return finding;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("A straggler: GPU {} comes last to {} of {} collectives, and the others wait {} for it {}", worst.device.value, worst.last_to, worst.of,
                              milliseconds(waited_ns), per_step(input.metrics));
  finding.why = fmt::format("A collective ends nowhere before its last GPU has begun it, so the last one has the shortest kernel of it, and long ones are those that wait. Before it "
                            "came late, GPU {} computed for {} of the time since its collective before: {}. ", worst.device.value, percent(worst.computing_before),
                            worst.computing_before >= 0.5 ? "it has more work, or is slower at it" : "its host was late with the launches");
  finding.why += fmt::format("As early as the one before it, {}; what more is won depends on the next one.", time_change(input.metrics, now_ns - late_ns, now_ns));
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(waited_ns);
  set_gain(finding, now_ns, now_ns - late_ns);
  const trace::Kernels& kernels = input.trace.kernels;
  for (const std::uint32_t row : worst.kernels) add_keeping_longest(finding.evidence, {kernels.span(row), worst.device, "the last to begin this collective"});
  keep_longest(finding.evidence);
  return finding;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  const auto agree_ns = input.trace.clock_residual_ns();
  if (!agree_ns) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "the clocks of the files could not be aligned, so nothing can be said across their ranks";
    return finding;
  }
  Finding threads = look_at_threads(input, *agree_ns);
  if (threads.verdict == Verdict::found) return threads;
  Finding collectives = look_at_collectives(input, *agree_ns);
  return collectives.verdict == Verdict::found ? collectives : threads;
}

}  // namespace

extern const Rule straggler;
constinit const Rule straggler{"straggler", "Does one rank keep the others waiting?", look,
    {"if rank == 0: logging, metrics and saving belong outside the step or in a thread; torch.set_num_threads(cores // ranks); even input: DistributedSampler(dataset, drop_last=True).",
     "Give each replica the same work: dataset.shard(n, i).batch(b, drop_remainder=True); summaries and checkpoints of the chief outside the step.",
     "Pin each rank's thread to its own cores: taskset -c or pthread_setaffinity_np(thread, sizeof set, &set); move what only one rank does out of the step."}};

}  // namespace gputrace::analyzer
