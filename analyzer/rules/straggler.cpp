// One host thread works longer than those beside it, which make the same calls, and they wait for it at the end of the step.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/replay/host_sequences.h"
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

// The latest first. The same comparison as the remedy's.
std::vector<LateThread> late_threads(const RuleInput& input) {
  const ChangedGraph recorded(input.what_if.graph());
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const HostSequence*>> beside;  // by step and number of calls
  for (const HostSequence& sequence : input.what_if.sequences()) beside[{sequence.step, sequence.calls.size()}].push_back(&sequence);
  std::map<trace::ThreadIndex, LateThread> late;
  const auto devices = devices_of_threads(input);
  for (const auto& [key, threads] : beside) {
    for (std::size_t k = 1; threads.size() > 1 && k < key.second; ++k) {
      std::int64_t others_ns = INT64_MAX;
      for (const HostSequence* it : threads) others_ns = std::min(others_ns, recorded.host_work_before_ns(it->calls[k]));
      for (const HostSequence* it : threads) {
        const std::int64_t ns = recorded.host_work_before_ns(it->calls[k]), more_ns = ns - others_ns;
        if (more_ns < static_cast<std::int64_t>(thresholds::kPauseNs)) continue;
        LateThread& thread = late[it->thread];
        thread.thread = it->thread;
        if (const auto device = devices.find(it->thread); device != devices.end()) thread.device = device->second;
        thread.late_ns += more_ns;
        ++thread.count;
        const std::int64_t until_ns = input.what_if.graph().recorded_ns[start_of(it->calls[k])];
        add_keeping_longest(thread.evidence, {{until_ns - ns, until_ns}, thread.device, fmt::format("host work before a call, {} longer than beside it", milliseconds(static_cast<double>(more_ns)))});
      }
    }
  }
  std::vector<LateThread> threads;
  for (auto& [id, thread] : late) {
    keep_longest(thread.evidence);
    threads.push_back(std::move(thread));
  }
  std::sort(threads.begin(), threads.end(), [](const LateThread& a, const LateThread& b) { return a.late_ns > b.late_ns; });
  return threads;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  const auto residual_ns = input.trace.clock_residual_ns();
  if (!residual_ns) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "the clocks of the files could not be aligned, so nothing can be said across their ranks";
    return finding;
  }
  const RemedyGain gain = gain_of(input, even_out_threads);
  if (gain.count == 0) return finding;
  const auto late = late_threads(input);
  if (late.empty()) return finding;
  const LateThread& worst = late.front();
  // One that is late by a good part of the step is worth a word even while something else is later still.
  const double late_per_step_ns = static_cast<double>(worst.late_ns) / input.metrics.step_count;
  if (gain.share() < thresholds::kInfoShare && late_per_step_ns < thresholds::kWarningShare * gain.now_ns) return finding;
  if (worst.late_ns <= *residual_ns * static_cast<std::int64_t>(worst.count)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = fmt::format("ranks differ by less than their clocks are known to agree ({})", milliseconds(static_cast<double>(*residual_ns)));
    return finding;
  }
  set_found(finding, gain);
  const trace::Thread& thread = input.trace.threads[static_cast<std::size_t>(worst.thread.value)];
  const std::string who = thread.name.empty() ? fmt::format("thread {}", thread.tid) : fmt::format("thread '{}'", thread.name);
  const std::string where = worst.device ? fmt::format(", which hands out work to GPU {},", worst.device->value) : "";
  finding.title = fmt::format("A straggler: {} works {} longer {} than those beside it", who, milliseconds(static_cast<double>(worst.late_ns) / input.metrics.step_count),
                              per_step(input.metrics));
  finding.why = fmt::format("The {}{} makes the same calls as the threads beside it, and is late {} times in the window by its own work. ", who, where, worst.count);
  finding.why += gain.share() < thresholds::kInfoShare
                     ? "Something else is later still, so the step would not be shorter without it yet."
                     : fmt::format("The others wait for it at the end of the step. With host work like theirs, a step takes {} instead of {}.",
                                   milliseconds(gain.after_ns), milliseconds(gain.now_ns));
  finding.evidence = worst.evidence;
  finding.advice = {"Look at what this thread does there: logging, metrics or saving on rank 0 only, uneven input, a debug hook, a core that it "
                    "shares (pin threads: taskset, numactl; PyTorch: torch.set_num_threads).",
                    "Give every rank the same work, or move what only one does out of the step."};
  return finding;
}

}  // namespace

extern const Rule straggler;
constinit const Rule straggler{"straggler", "Does one host thread keep the others waiting?", look};

}  // namespace gputrace::analyzer
