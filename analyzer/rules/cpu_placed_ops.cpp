// Ops that were asked for a GPU and ran on the CPU: explicit in the trace (op ranges that say both devices).
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/placement_counts.h"
#include "analyzer/rule.h"
#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct TypeTime {
  std::string type;
  std::int64_t ns = 0, count = 0;
};

struct Misplaced {
  std::size_t ops = 0;
  std::map<std::int32_t, std::vector<trace::Span>> spans_by_thread;
  std::map<int, OpWork> matmul_by_gpu, other_by_gpu;  // by the GPU asked for, in the window
  std::map<std::string, TypeTime> by_type;
  std::map<std::string, std::size_t> requested;       // device as written -> ops
  std::string placed;                                 // where they ran
  std::vector<Evidence> evidence;
};

bool names_devices(const OpText& op) { return !op.requested.empty() && !op.device.empty(); }
bool is_misplaced(const OpText& op) { return names_devices(op) && gpu_of(op.requested) >= 0 && is_cpu(op.device); }

Misplaced find_misplaced(const OpRanges& ops) {
  Misplaced found;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpText& op = ops.texts[ops.text[i]];
    if (!is_misplaced(op)) continue;
    const std::int64_t ns = ops.span[i].duration_ns();
    ++found.ops;
    found.spans_by_thread[ops.thread[i].value].push_back(ops.span[i]);
    const OpWork work = op_work(op);
    OpWork& sum = (work.flops > 0 ? found.matmul_by_gpu : found.other_by_gpu)[gpu_of(op.requested)];
    sum.flops += work.flops;
    sum.bytes += work.bytes;
    TypeTime& type = found.by_type[op.type];
    type.type = op.type;
    type.ns += ns;
    ++type.count;
    ++found.requested[op.requested];
    found.placed = op.device;
    add_keeping_longest(found.evidence, {ops.span[i], std::nullopt,
                              fmt::format("{} ({}) asked for {}, ran on {}", op.name, op.type, op.requested, op.device)});
  }
  keep_longest(found.evidence);
  return found;
}

// What would cross to and from each GPU in one step, if the ops ran where they were asked to: inputs that come from elsewhere, and
// results that ops which stay on the host read. Each value crosses once. Empty where the texts do not name the inputs.
std::map<int, double> crossing_bytes(const OpRanges& ops) {
  std::unordered_map<std::string_view, int> gpu_of_op;
  for (const OpText& op : ops.texts) {
    if (is_misplaced(op)) gpu_of_op.emplace(op.name, gpu_of(op.requested));
  }
  std::map<int, double> bytes;
  std::set<std::pair<int, std::string_view>> seen;
  for (const OpText& op : ops.texts) {
    const int here = is_misplaced(op) ? gpu_of(op.requested) : -1;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const auto producer = gpu_of_op.find(op.inputs[i]);
      const int there = producer == gpu_of_op.end() ? -1 : producer->second;
      if (here == there) continue;
      for (const int gpu : {here, there}) {
        if (gpu >= 0 && seen.emplace(gpu, op.inputs[i]).second) bytes[gpu] += input_bytes(op, i);
      }
    }
  }
  return bytes;
}

// The time that the ops would take on the GPU that they were asked for, by its published peaks and what programs reach of them;
// nullopt where the trace does not say what the GPU can do or how large the ops are.
std::optional<double> time_on_gpus_ns(const RuleInput& input, const Misplaced& found) {
  const std::map<int, double> crossing = crossing_bytes(input.metrics.ops);
  double slowest_ns = 0;
  bool any_work = false;
  for (const auto& [requested, count] : found.requested) {
    const int id = gpu_of(requested);
    const trace::Gpu* gpu = find_gpu(input.trace, trace::DeviceId{id});
    if (gpu == nullptr || gpu->memory_bandwidth_bytes_per_s <= 0) return std::nullopt;
    const auto flops_per_s = peak_flops(*gpu);
    if (!flops_per_s) return std::nullopt;
    const double bytes_per_s = thresholds::kAssumedMemoryEfficiency * static_cast<double>(gpu->memory_bandwidth_bytes_per_s);
    double seconds = 0;
    if (const auto matmul = found.matmul_by_gpu.find(id); matmul != found.matmul_by_gpu.end()) {
      seconds += std::max(matmul->second.flops / (thresholds::kAssumedMatmulEfficiency * *flops_per_s), matmul->second.bytes / bytes_per_s);
      any_work = true;
    }
    if (const auto other = found.other_by_gpu.find(id); other != found.other_by_gpu.end() && other->second.bytes > 0) {
      seconds += other->second.bytes / bytes_per_s;
      any_work = true;
    }
    if (const auto bytes = crossing.find(id); bytes != crossing.end()) {
      seconds += input.metrics.step_count * bytes->second / thresholds::kAssumedPageableBytesPerSecond;
    }
    slowest_ns = std::max(slowest_ns, 1e9 * seconds);
  }
  return any_work ? std::optional<double>(slowest_ns / input.metrics.step_count) : std::nullopt;
}

std::string largest_types(const Misplaced& found) {
  std::vector<TypeTime> types;
  for (const auto& [name, type] : found.by_type) types.push_back(type);
  std::sort(types.begin(), types.end(), [](const TypeTime& a, const TypeTime& b) { return a.ns > b.ns; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, types.size()); ++i) {
    text += fmt::format("{}{} ({} times, {})", i == 0 ? "" : ", ", types[i].type, types[i].count,
                        milliseconds(static_cast<double>(types[i].ns)));
  }
  return text;
}

std::string devices(const Misplaced& found) {
  std::string text;
  for (const auto& [device, count] : found.requested) text += (text.empty() ? "" : ", ") + device;
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

Finding look(const RuleInput& input) {
  Finding finding;
  const OpRanges& ops = input.metrics.ops;
  const bool any = std::any_of(ops.texts.begin(), ops.texts.end(), names_devices);
  if (!any) return look_at_placements(input.trace);
  Misplaced found = find_misplaced(ops);
  double longest_ns = 0;  // of the host threads: they work side by side
  for (const auto& [thread, spans] : found.spans_by_thread) longest_ns = std::max(longest_ns, static_cast<double>(union_ns(spans)));
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (found.ops == 0 || window_ns <= 0 || longest_ns < thresholds::kCpuPlacedShare * window_ns) return finding;

  const double now_ns = step_ns(input.metrics), at_stake_ns = longest_ns / window_ns * now_ns;
  const auto gpu_ns = time_on_gpus_ns(input, found);
  finding.verdict = Verdict::found;
  finding.title = fmt::format("{:.0f} ops {} were asked for {} and ran on {}: {} of {}",
                              static_cast<double>(found.ops) / input.metrics.step_count, per_step(input.metrics), devices(found), found.placed,
                              percent(longest_ns / window_ns), step_word(input.metrics));
  finding.why = fmt::format("The trace shows these ops on the CPU although a GPU was asked for: {}. They take {} {}. ",
                            largest_types(found), milliseconds(at_stake_ns), per_step(input.metrics));
  finding.at_stake_ns_per_step = std::llround(at_stake_ns);
  if (gpu_ns && *gpu_ns < at_stake_ns) {
    finding.why += fmt::format(
        "From their sizes and the GPU's published figures (at {} of its arithmetic peak for matrix products and {} of its memory "
        "bandwidth for the rest) they would take about {} on the GPUs asked for, copies to and from the host included, so a step would take {} "
        "in place of {}.",
        percent(thresholds::kAssumedMatmulEfficiency), percent(thresholds::kAssumedMemoryEfficiency), milliseconds(*gpu_ns),
        milliseconds(now_ns - at_stake_ns + *gpu_ns), milliseconds(now_ns));
    set_gain(finding, now_ns, now_ns - at_stake_ns + *gpu_ns);
  } else if (!gpu_ns) {
    finding.why += "How fast they would be on the GPU cannot be said: the trace lacks the ops' sizes or the GPU's figures.";
    finding.severity = severity_of(longest_ns / window_ns);
  } else {
    finding.why += "On the GPU they would be no faster: they are small, or their inputs come from the host.";
  }
  finding.evidence = std::move(found.evidence);
  const std::string outer = found.requested.size() == 1 ? "'" + found.requested.begin()->first + "'" : "'/gpu:%d' % i";
  finding.advice = {line_to_remove(outer, found.placed)};
  return finding;
}

}  // namespace

extern const Rule cpu_placed_ops;
constinit const Rule cpu_placed_ops{"cpu-placed-ops", "Did ops run on the CPU that were asked for a GPU?", look,
    {"model.to('cuda') once, and inputs x = x.to('cuda', non_blocking=True); torch.set_default_device('cuda') for tensors made in the loop.",
     "Remove the inner scope: the innermost tf.device wins. Pin only variables: tf.device(tf.train.replica_device_setter(ps_device='/cpu:0', worker_device='/gpu:0')); tf.debugging.set_log_device_placement(True) prints where each op was put.",
     "Keep the data on the device between kernels: replace the host loop by kernel<<<blocks, threads, 0, stream>>>(device_data), without cudaMemcpy around it."}};

}  // namespace gputrace::analyzer
