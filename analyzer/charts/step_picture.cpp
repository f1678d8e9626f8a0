#include "analyzer/charts/step_picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/charts/lane_builder.h"
#include "analyzer/explain.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

constexpr std::int64_t kFinestParts = 16'384;  // of the picture: what a zoom still shows apart
constexpr trace::StringId kWholeGraph{UINT32_MAX};  // no string of the trace
constexpr double kWholePicture = 0.95;         // a range that covers so much of the picture is the step itself
constexpr double kCoarseRange = 0.5;           // ... and so much says little of what the thread does, where shorter ones do

bool overlap(Span a, Span b) { return a.end_ns > b.start_ns && a.start_ns < b.end_ns; }

Span clipped(Span span, Span to) { return {std::max(span.start_ns, to.start_ns), std::min(span.end_ns, to.end_ns)}; }

std::int64_t evidence_in(Span step, const Finding& finding) {
  return std::count_if(finding.evidence.begin(), finding.evidence.end(),
                       [&](const Evidence& evidence) { return overlap(evidence.span, step); });
}

std::optional<std::size_t> typical_step(const Steps& steps, const std::vector<Finding>& findings) {
  std::optional<std::size_t> best;
  std::tuple<std::int64_t, std::int64_t, std::int64_t> best_score;
  for (std::size_t i = std::min(steps.warm_up, steps.spans.size()); i < steps.spans.size(); ++i) {
    const std::int64_t off_ns = std::abs(steps.spans[i].duration_ns() - steps.median_ns);
    const bool typical = static_cast<double>(off_ns) <= kTypicalStep * static_cast<double>(steps.median_ns);
    std::int64_t first = 0, all = 0;
    for (const Finding& finding : findings) {
      if (!typical || finding.verdict != Verdict::found) break;  // those found come first
      const std::int64_t here = evidence_in(steps.spans[i], finding);
      if (&finding == &findings.front()) first = here;
      all += here;
    }
    const std::tuple score{first, all, -off_ns};
    if (!best || score > best_score) best = i, best_score = score;
  }
  return best;
}

// Device -1 for host threads, which `thread` tells apart.
using LaneKey = std::tuple<std::int32_t, std::int32_t, LaneKind>;

struct Lanes {
  Span picture;
  std::int64_t finest_ns;
  std::map<LaneKey, LaneBuilder> builders;

  void add(const LaneKey& key, Span span, trace::StringId name) {
    builders.try_emplace(key, finest_ns).first->second.add(clipped(span, picture), name);
  }
};

void add_device_lanes(const Trace& trace, const Metrics& metrics, Lanes& lanes) {
  const auto add = [&](const trace::DeviceColumns& columns, std::size_t i, LaneKind kind, trace::StringId name) {
    const Span span = columns.span(i);
    if (overlap(span, lanes.picture)) lanes.add({columns.device[i].value, 0, kind}, span, name);
  };
  std::size_t graph = 0;  // graphs that were recorded as a whole come between the kernels: lanes are filled by start
  const auto add_graphs_to = [&](std::int64_t ns) {
    for (; graph < trace.graph_launches.size() && trace.graph_launches.start_ns[graph] <= ns; ++graph) {
      add(trace.graph_launches, graph, LaneKind::compute, kWholeGraph);
    }
  };
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const trace::StringId name = trace.kernels.name[i];
    add_graphs_to(trace.kernels.start_ns[i]);
    add(trace.kernels, i, metrics.is_communication[name.value] ? LaneKind::communication : LaneKind::compute, name);
  }
  add_graphs_to(INT64_MAX);
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    // The lane knows no string for a kind of copy: its number stands for it until the lane is finished.
    add(trace.copies, i, LaneKind::copy, trace::StringId{static_cast<std::uint32_t>(trace.copies.kind[i])});
  }
  for (const DeviceMetrics& device : metrics.devices) {  // a GPU that waits all the time is a lane too
    if (device.used) lanes.builders.try_emplace({device.device.value, 0, LaneKind::compute}, lanes.finest_ns);
  }
}

// The share of the picture that a push/pop range of a known thread covers; 0 for others.
double covered_share(const Trace& trace, std::size_t range, Span picture) {
  const bool ended = trace.nvtx.kind[range] == trace::NvtxKind::push_pop && trace.nvtx.end_ns[range] != trace::kNoEnd;
  const Span span{trace.nvtx.start_ns[range], trace.nvtx.end_ns[range]};
  if (!ended || trace.nvtx.thread[range].value < 0 || !overlap(span, picture)) return 0;
  return static_cast<double>(clipped(span, picture).duration_ns()) / static_cast<double>(picture.duration_ns());
}

void add_host_lanes(const Trace& trace, Lanes& lanes) {
  constexpr std::int64_t kNoRange = INT64_MIN;
  std::vector<bool> has_short(trace.threads.size());
  std::vector<std::int64_t> outermost_to(trace.threads.size(), kNoRange);
  const auto thread_of = [&](std::size_t range) { return static_cast<std::size_t>(trace.nvtx.thread[range].value); };
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    const double share = covered_share(trace, i, lanes.picture);
    if (share > 0 && share < kCoarseRange) has_short[thread_of(i)] = true;
  }
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    const double share = covered_share(trace, i, lanes.picture);
    if (share <= 0 || share >= (has_short[thread_of(i)] ? kCoarseRange : kWholePicture)) continue;
    std::int64_t& to = outermost_to[thread_of(i)];
    if (trace.nvtx.start_ns[i] < to) continue;  // inside another
    to = trace.nvtx.end_ns[i];
    lanes.add({-1, trace.nvtx.thread[i].value, LaneKind::host}, {trace.nvtx.start_ns[i], to}, trace.nvtx.text[i]);
  }
  for (std::size_t i = 0; i < trace.api_calls.size(); ++i) {
    const std::int32_t thread = trace.api_calls.thread[i].value;
    if (thread < 0 || outermost_to[static_cast<std::size_t>(thread)] != kNoRange) continue;
    const Span span = trace.api_calls.span(i);
    if (overlap(span, lanes.picture)) lanes.add({-1, thread, LaneKind::host}, span, trace.api_calls.name[i]);
  }
}

void keep_busiest_hosts(Lanes& lanes) {
  std::vector<std::pair<std::int64_t, LaneKey>> hosts;
  for (const auto& [key, builder] : lanes.builders) {
    if (std::get<LaneKind>(key) == LaneKind::host) hosts.emplace_back(-builder.busy_ns(), key);
  }
  std::sort(hosts.begin(), hosts.end());
  for (std::size_t i = kMostHostLanes; i < hosts.size(); ++i) lanes.builders.erase(hosts[i].second);
}

// Coarser until all lanes together are small enough. Every round halves what a lane can hold.
std::int64_t merge_until_small(Lanes& lanes) {
  std::int64_t below_ns = lanes.finest_ns;
  const auto total = [&lanes] {
    std::size_t n = 0;
    for (const auto& [key, builder] : lanes.builders) n += builder.bundles().size();
    return n;
  };
  while (total() > kMostLaneSpans && below_ns < lanes.picture.duration_ns()) {
    below_ns *= 2;
    for (auto& [key, builder] : lanes.builders) builder.merge_below(below_ns);
  }
  return below_ns;
}

Lane finished(const Trace& trace, const LaneKey& key, const LaneBuilder& builder, Explainer& explainer) {
  const auto [device, thread, kind] = key;
  Lane lane{.kind = kind, .device = std::nullopt, .name = "", .spans = {}};
  if (kind == LaneKind::host) {
    const trace::Thread& of = trace.threads[static_cast<std::size_t>(thread)];
    lane.name = of.name.empty() ? fmt::format("thread {}", of.tid) : of.name;
  } else {
    lane.device = trace::DeviceId{device};
  }
  for (const LaneBuilder::Bundle& bundle : builder.bundles()) {
    LaneSpan& span = lane.spans.emplace_back(LaneSpan{bundle.span, bundle.events, bundle.busy_ns, "", ""});
    if (kind == LaneKind::copy) {
      span.text = name(static_cast<trace::CopyKind>(bundle.name.value));
    } else if (kind == LaneKind::host) {
      span.text = trace.text(bundle.name);
    } else if (bundle.name == kWholeGraph) {
      span.text = "CUDA graph, recorded as a whole";
    } else {
      const Explanation& explained = explainer.explain(trace.text(bundle.name));
      span.text = explained.label;
      span.op_class = explained.op_class;
    }
  }
  return lane;
}

}  // namespace

StepPicture step_picture(const Trace& trace, const Metrics& metrics, const std::vector<Finding>& findings,
                         const std::vector<NameRule>& name_rules) {
  StepPicture picture;
  picture.step = typical_step(metrics.steps, findings);
  picture.span = picture.step ? metrics.steps.spans[*picture.step] : metrics.window;
  if (picture.span.end_ns <= picture.span.start_ns) return picture;
  Lanes lanes{.picture = picture.span, .finest_ns = std::max<std::int64_t>(1, picture.span.duration_ns() / kFinestParts),
              .builders = {}};
  add_host_lanes(trace, lanes);
  add_device_lanes(trace, metrics, lanes);
  keep_busiest_hosts(lanes);
  picture.merged_below_ns = merge_until_small(lanes);
  Explainer explainer(name_rules);
  for (const auto& [key, builder] : lanes.builders) picture.lanes.push_back(finished(trace, key, builder, explainer));
  // Host threads come first, and were numbered as the recorder met them, which is another order each time.
  const auto hosts_end = std::find_if(picture.lanes.begin(), picture.lanes.end(), [](const Lane& lane) { return lane.kind != LaneKind::host; });
  std::stable_sort(picture.lanes.begin(), hosts_end, [](const Lane& a, const Lane& b) { return a.name < b.name; });
  return picture;
}

}  // namespace gputrace::analyzer
