// Ops that ran on the CPU and belong on a GPU: explicit in the trace (op ranges that say both devices, tables of placements), or by the
// pattern of what the host does in the midst of a GPU's work.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyzer/gain.h"
#include "analyzer/host_detours.h"
#include "analyzer/launchless_ops.h"
#include "analyzer/misplaced_ops.h"
#include "analyzer/placement_counts.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/rule.h"
#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy move_ops_to_gpu;

namespace {

struct TypeTime {
  std::string type;
  std::int64_t ns = 0, count = 0;
};

// Work of the host that belongs on a GPU, of one kind.
struct HostWork {
  std::size_t pieces = 0;
  std::map<std::int32_t, std::vector<trace::Span>> spans_by_thread;
  std::map<std::string, TypeTime> by_type;
  std::vector<Evidence> evidence;

  void add(std::int32_t thread, trace::Span span, const std::string& type, std::string text, std::optional<trace::DeviceId> device = {}) {
    ++pieces;
    spans_by_thread[thread].push_back(span);
    TypeTime& time = by_type[type];
    time.type = type;
    time.ns += span.duration_ns();
    ++time.count;
    add_keeping_longest(evidence, {span, device, std::move(text)});
  }
  // Of the window: of the thread that has most, since threads work side by side.
  double share(const Metrics& metrics) {
    double longest_ns = 0;
    for (auto& [thread, spans] : spans_by_thread) longest_ns = std::max(longest_ns, static_cast<double>(union_ns(spans)));
    const auto window_ns = static_cast<double>(metrics.window.duration_ns());
    return window_ns > 0 ? longest_ns / window_ns : 0;
  }
};

std::string largest_types(const HostWork& work) {
  std::vector<TypeTime> types;
  for (const auto& [name, type] : work.by_type) types.push_back(type);
  std::sort(types.begin(), types.end(), [](const TypeTime& a, const TypeTime& b) { return a.ns > b.ns; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, types.size()); ++i) {
    text += fmt::format("{}{} ({} times, {})", i == 0 ? "" : ", ", types[i].type, types[i].count,
                        milliseconds(static_cast<double>(types[i].ns)));
  }
  return text;
}

// Of TensorFlow's nested scopes the innermost wins; what was asked for is the outer one.
std::string line_to_remove(const std::string& outer, const std::string& placed) {
  return fmt::format("The line to remove: with tf.device('{}'): where it stands inside with tf.device({}):, so that the outer one holds for its ops.", placed, outer);
}

// Placements without times, as logs have them: that ops were misplaced is certain, what it costs is not.
Finding look_at_placements(const trace::Trace& trace) {
  Finding finding;
  const PlacementCounts counts = count_placements(trace);
  if (counts.misplaced > 0) {
    finding.verdict = Verdict::found;
    finding.severity = Severity::warning;
    finding.title = fmt::format("{} of {} ops were asked for a GPU and ran on the CPU", counts.misplaced, counts.placed);
    finding.why = fmt::format("{}. Of type:", counts.example);
    for (const auto& [type, count] : counts.misplaced_by_type) finding.why += fmt::format(" {} ({} ops)", type, count);
    finding.why += ". What that costs cannot be said: there are no times of these ops.";
    finding.evidence = {{trace.span(), std::nullopt, counts.example}};
    finding.advice = {line_to_remove("'" + counts.requested + "'", counts.device)};
  } else if (counts.with_request == 0) {
    finding.verdict = Verdict::could_not_look;
    if (counts.placed > 0)
      finding.why = fmt::format("it is known where {} ops ran ({} of them on the CPU), not which device was asked for", counts.placed, counts.on_cpu);
    else
      finding.why = trace.has(trace::Table::nvtx) ? "no op range says which device was asked for and which one ran it" : "no NVTX ranges were captured";
  }
  return finding;
}

// By replay with the work on the GPU, where there is something to replay; steps alone are enough.
void set_gain_by_replay(const RuleInput& input, double share, Finding& finding) {
  finding.verdict = Verdict::found;
  finding.severity = severity_of(share);
  RemedyGain gain;
  if (input.what_if.possible() || !input.metrics.steps.spans.empty()) gain = gain_of(input, move_ops_to_gpu);
  if (gain.won_ns() > 0) set_found(finding, gain);
  finding.at_stake_ns_per_step = std::llround(share * step_ns(input.metrics));
}

std::string then_and_now(const Finding& finding) {
  const double after_ns = finding.step_now_ns - static_cast<double>(finding.recoverable_ns_per_step);
  return fmt::format("would take {} in place of {}", milliseconds(after_ns), milliseconds(finding.step_now_ns));
}

Finding look_at_devices_asked_for(const RuleInput& input) {
  Finding finding;
  const OpRanges& ops = input.metrics.ops;
  const MisplacedOps misplaced = find_misplaced_ops(input.trace, input.metrics);
  HostWork work;
  std::set<std::string> requested;
  for (const std::size_t i : misplaced.ops) {
    const OpText& op = ops.texts[ops.text[i]];
    work.add(ops.thread[i].value, ops.span[i], op.type, fmt::format("{} ({}) asked for {}, ran on {}", op.name, op.type, op.requested, op.device));
    requested.insert(op.requested);
  }
  const double share = work.share(input.metrics);
  if (work.pieces == 0 || share < thresholds::kCpuPlacedShare) return finding;

  const std::string& placed = ops.texts[ops.text[misplaced.ops.back()]].device;
  set_gain_by_replay(input, share, finding);
  finding.title = fmt::format("{:.0f} ops {} were asked for {} and ran on {}: {} of {}", static_cast<double>(work.pieces) / input.metrics.step_count,
                              per_step(input.metrics), fmt::join(requested, ", "), placed, percent(share), step_word(input.metrics));
  finding.why = fmt::format("The trace shows these ops on the CPU although a GPU was asked for: {}. They take {} {}. ", largest_types(work),
                            milliseconds(static_cast<double>(finding.at_stake_ns_per_step)), per_step(input.metrics));
  if (misplaced.gpu_ns.empty()) {
    finding.why += "How fast they would be on the GPU cannot be said: the trace lacks the ops' sizes or the GPU's figures.";
  } else if (finding.recoverable_ns_per_step > 0) {
    const double gpu_ns = std::accumulate(misplaced.gpu_ns.begin(), misplaced.gpu_ns.end(), 0.0) / input.metrics.step_count / static_cast<double>(requested.size());
    finding.why += fmt::format(
        "From their sizes and the GPU's published figures (at {} of its arithmetic peak for matrix products and {} of its memory "
        "bandwidth for the rest) they would take about {} on each of the GPUs asked for, copies to and from the host included. Replayed so, {} {}.",
        percent(thresholds::kAssumedMatmulEfficiency), percent(thresholds::kAssumedMemoryEfficiency), milliseconds(gpu_ns), step_word(input.metrics), then_and_now(finding));
  } else {
    finding.why += "On the GPU they would be no faster: they are small, or their inputs come from the host.";
    finding.severity = Severity::info;
  }
  keep_longest(work.evidence);
  finding.evidence = std::move(work.evidence);
  finding.advice = {line_to_remove(requested.size() == 1 ? "'" + *requested.begin() + "'" : "'/gpu:%d' % i", placed)};
  return finding;
}

// Nothing says which device was asked for: told by what the host does between the GPU's work.
Finding look_at_patterns(const RuleInput& input) {
  Finding finding;
  HostWork work;
  const trace::NvtxRanges& nvtx = input.trace.nvtx;
  for (const std::size_t row : find_launchless_ops(input.trace, input.metrics)) {
    const std::string type(input.trace.text(nvtx.text[row]));
    work.add(nvtx.thread[row].value, {nvtx.start_ns[row], nvtx.end_ns[row]}, type, type + " asks for nothing on a GPU");
  }
  const std::size_t ops = work.pieces;
  if (input.what_if.possible()) {
    for (const HostDetour& detour : find_host_detours(input.trace, input.metrics, input.what_if.graph(), input.what_if.sequences()).list) {
      const trace::ThreadIndex thread = input.trace.api_calls.thread[input.what_if.graph().row[detour.waits.back()]];
      work.add(thread.value, detour.span, "copies to the host, work there and copies back",
               fmt::format("{} to the host and back to GPU {}, and {} of the host's work between", gigabytes(static_cast<double>(detour.bytes)), detour.device.value,
                           milliseconds(static_cast<double>(detour.host_work.duration_ns()))), detour.device);
    }
  }
  const double share = work.share(input.metrics);
  if (work.pieces == 0 || share < thresholds::kCpuPlacedShare) return finding;
  set_gain_by_replay(input, share, finding);
  finding.title = fmt::format("The host does {} pieces of work {} that a GPU could do: {} of {}", std::llround(static_cast<double>(work.pieces) / input.metrics.step_count),
                              per_step(input.metrics), percent(share), step_word(input.metrics));
  finding.why = fmt::format("In the midst of {} the host computes what the GPU's next work needs: {}. That takes {} {}. ", step_word(input.metrics), largest_types(work),
                            milliseconds(static_cast<double>(finding.at_stake_ns_per_step)), per_step(input.metrics));
  if (finding.recoverable_ns_per_step > 0)
    finding.why += fmt::format("Replayed with that work on the GPU, {}{}, {} {}.", work.pieces > ops ? "and without the copies" : "where it is taken to take no time",
                               work.pieces > ops && ops > 0 ? ", ops taken to take no time" : "", step_word(input.metrics), then_and_now(finding));
  else
    finding.why += "Replayed with that work on the GPU the time stays the same: other work hides it.", finding.severity = Severity::info;
  keep_longest(work.evidence);
  finding.evidence = std::move(work.evidence);
  finding.advice = {"Look in the middle of the step for .cpu(), .numpy(), .tolist() or an op on a CPU tensor (TensorFlow: tf.py_function, tf.numpy_function), and do that work with "
                    "ops of the GPU, on the tensor that is there already."};
  return finding;
}

Finding look(const RuleInput& input) {
  const auto& texts = input.metrics.ops.texts;
  if (std::any_of(texts.begin(), texts.end(), names_devices)) {
    Finding finding = look_at_devices_asked_for(input);
    return finding.verdict == Verdict::found ? finding : look_at_patterns(input);
  }
  Finding finding = look_at_patterns(input);
  if (finding.verdict == Verdict::found) return finding;
  finding = look_at_placements(input.trace);
  // By their pattern ops can be told from where calls, copies and steps are known.
  const bool looked = input.what_if.possible() && input.trace.has(trace::Table::copies) && input.metrics.steps.source == StepSource::nvtx;
  if (finding.verdict == Verdict::could_not_look && looked) return {};
  return finding;
}

}  // namespace

extern const Rule cpu_placed_ops;
constinit const Rule cpu_placed_ops{"cpu-placed-ops", "Did ops run on the CPU that were asked for a GPU?", look,
    {"model.to('cuda') once, and inputs x = x.to('cuda', non_blocking=True); torch.set_default_device('cuda') for tensors made in the loop.",
     "Remove the inner scope: the innermost tf.device wins. Pin only variables: tf.device(tf.train.replica_device_setter(ps_device='/cpu:0', worker_device='/gpu:0')); tf.debugging.set_log_device_placement(True) prints where each op was put.",
     "Keep the data on the device between kernels: replace the host loop by kernel<<<blocks, threads, 0, stream>>>(device_data), without cudaMemcpy around it."}};

}  // namespace gputrace::analyzer
